"""Pages and chart of the embedding benchmark."""

import numpy as np

TITLES = {
    "million": "10-block degree-corrected model, 10^6 vertices",
    "weak": "weak structure and a tail of degrees, 10^6 vertices",
    "dblp": "dblp-2010",
    "d2": "the same model, 10^5 vertices",
    "d10": "the same model, 10^5 vertices",
    "d100": "the same model, 10^5 vertices",
    "components": "1000 components, normalised Laplacian",
}

#: The second page.
HARD = {"hard": "10-block model with weak structure and a tail of degrees, 10^6 vertices"}

ABOUT = """\
(minimum to maximum), each in a new process, the programs in turn. The first call of lpgraph includes loading
numba and the compiled loops from its cache; `again` is the second call in the same process. The peak memory
is that of the process until the end of the first call, including graph and interpreter. Residuals are
measured in double precision: `norm(A v - l v) / |l|`, where v is a returned column scaled to length one
and l its Rayleigh quotient. eigsh is `which="LA"` in float64, at the largest tolerance (a power of ten) with
a measured residual of at most 1e-5; graspologic is `AdjacencySpectralEmbed(d)` with its defaults. lpgraph
computes the eigenvalues of largest magnitude, its default, or the largest ones (LA)."""

ABOUT_HARD = """\
(minimum to maximum), each in a new process, the programs in turn, all with the default `tol` of lpgraph and
`which="LM"`: eigsh of scipy in float64, and `primme.eigsh`. The graph has ten blocks, 6.7 times as dense within
as between, and vertices whose expected degrees are 0.2 to 10 times the mean of 20: the tenth eigenvalue is
close to the first that says nothing of the blocks. The first call of lpgraph includes loading numba and the
compiled loops from its cache; `again` is the second call in the same process. The peak memory is that of the
process until the end of the first call, including graph and interpreter. Residuals are measured in double
precision: `norm(A v - l v) / |l|`."""

BANDWIDTH = """\
The lower bound is the number of bytes that must be read, divided by the speed at which all cores copy 400 MB:
four bytes for each stored entry and two products, which are computed together, and each pass over the basis.
Gathering from the vectors is not included."""


def seconds(entry, key):
    """Return "median (least to most)"."""
    return "{:.3g} ({:.3g} to {:.3g})".format(*entry[key])


def rows(known, titles):
    """Yield the lines of the main table."""
    yield "| graph | edges | d | program | first call, s | again, s | peak, GB | residual | ratio |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for name in titles:
        result = known.get(name)
        if not result:
            continue
        own = next(entry for p, entry in result["programs"].items() if p.startswith("lpgraph"))
        for p, entry in result["programs"].items():
            start = f"| {titles[name]} | {result['edges']} | {result['d']} | {p} (tol {entry['tol']:g}) | "
            if p == "graspologic":
                start = start.replace(f" (tol {entry['tol']:g})", " (default)")
            if "failed" in entry:
                yield start + f"{entry['failed']} | | | | |"
                continue
            wrong = ""
            if name == "components":
                copies = sum(abs(v - 1) < 1e-6 for v in entry["values"])
                wrong = f"; {copies} of the 20 copies of 1 found"
            again = p.startswith("lpgraph")
            ratio = entry["first"][0] / own["first"][0]
            yield (
                start + f"{seconds(entry, 'first')} | {seconds(entry, 'again') if again else '-'} | "
                f"{entry['peak'][0] / 1e9:.2f} | {entry['residual']:.1e}{wrong} | {ratio:.1f} x |"
            )


def floors(known):
    """Yield the lines of the table of bandwidth floors."""
    yield "| graph | d | products | copy speed, GB/s | matrix, s | with the basis, s | measured, s | share |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for name in TITLES:
        result = known.get(name)
        if not result or "products" not in result.get("traffic", {}):
            continue
        moved, speed = result["traffic"], result["copy speed"]
        matrix = moved["matrix bytes"] / speed
        both = matrix + moved["basis bytes"] / speed
        took = result["programs"]["lpgraph"]["again"][0]
        yield (
            f"| {TITLES[name]} | {result['d']} | {moved['products']} | {speed / 1e9:.1f} | {matrix:.2g} | "
            f"{both:.2g} | {took:.3g} | {both / took:.0%} |"
        )


def growth(known, output):
    """Draw time and memory over n; return the line on the slopes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    sizes = [n for n in (1000, 10_000, 100_000, 1_000_000) if known.get(f"n{n}")]
    if len(sizes) < 2:
        return ""
    found = [known[f"n{n}"]["programs"]["lpgraph"] for n in sizes]
    time = [entry["again"][0] for entry in found]
    memory = [entry["peak"][0] for entry in found]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.loglog(sizes, time, "o-")
    left.set(xlabel="vertices", ylabel="seconds", title="time, mean degree 20, d = 10")
    right.loglog(sizes, np.array(memory) / 1e9, "o-")
    right.set(xlabel="vertices", ylabel="peak resident GB", title="memory, the interpreter included")
    figure.savefig(output / "embed.png", dpi=120)
    plt.close(figure)
    slope = np.polyfit(np.log(sizes), np.log(time), 1)[0]
    last = np.log(time[-1] / time[-2]) / np.log(sizes[-1] / sizes[-2])
    room = np.polyfit(np.log(sizes), np.log(memory), 1)[0]
    return (
        f"From {sizes[0]} to {sizes[-1]} vertices the time grows as n^{slope:.2f} "
        f"(n^{last:.2f} in the last decade) and the peak memory as n^{room:.2f}."
    )


def made(known, command, names):
    """Return the last lines of a page, and the number of runs."""
    machine, results = known["machine"], [known[name] for name in names if known.get(name)]
    own = machine["lpgraph's environment"]
    peers = {"graspologic": "graspologic's environment", "primme": "primme's environment"}
    used = {p for r in results for p in r["programs"]} & set(peers)
    peer = "; ".join(machine[peers[p]] for p in sorted(used))
    load = max(r["load"] for r in results)
    runs = max(e["runs"] for r in results for e in r["programs"].values())
    return runs, [
        f"Made by `{command}` on {machine['processor']}, {machine['cores']} cores, "
        f"Python {machine['python']}; {own}; peer: {peer}. "
        f"Load average by the end of a case: up to {load:.1f}.",
        "",
    ]


def write(known, output):
    """Write embed.md and embed.png, and embed_hard.md, of the cases that are known."""
    if any(known.get(name) for name in TITLES):
        slopes = growth(known, output)
        names = [name for name in known if name not in ("machine", *HARD)]
        runs, last = made(known, "python benchmarks/embed.py", names)
        page = ["# Embedding against graspologic and scipy", "", *rows(known, TITLES), ""]
        page += [f"Medians of {runs} runs {ABOUT}", "", "## Bandwidth", "", *floors(known), "", BANDWIDTH, ""]
        page += ["## Growth", "", slopes, "", "![time and memory over n](embed.png)", "", *last]
        (output / "embed.md").write_text("\n".join(page))
    if any(known.get(name) for name in HARD):
        runs, last = made(known, "python benchmarks/embed.py --only hard", HARD)
        page = ["# Close eigenvalues: against scipy and PRIMME", "", *rows(known, HARD), ""]
        page += [f"Medians of {runs} runs {ABOUT_HARD}", "", *last]
        (output / "embed_hard.md").write_text("\n".join(page))
