"""Joint embeddings and tests of several networks: time, stability, levels, power, false discoveries.

``python benchmarks/joint.py`` writes ``docs/results/joint.md`` and ``joint.png``. LPGRAPH_DATA needs
``flights36/As_0.npz`` to ``As_35.npz`` and ``larval/{left,right}_{nodes,edgelist}.csv.gz``. ``--only NAME`` prints
one table.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from _peer import CACHE, peer_result, python_with
from _timing import page, table
from scipy import sparse, stats

import lpgraph as lp

DATA = Path(os.environ["LPGRAPH_DATA"])
RESULTS = Path(__file__).parent.parent / "docs" / "results"
#: Two blocks: probabilities within and between.
ASSORTATIVE, DISASSORTATIVE = [[0.5, 0.1], [0.1, 0.5]], [[0.1, 0.5], [0.5, 0.1]]
METHODS = {
    "unfolded": lp.joint.UnfoldedEmbedding,
    "omnibus": lp.joint.OmnibusEmbedding,
    "multiple": lp.joint.MultipleEmbedding,
}
LEVEL = 0.05


def flights():
    """Return the airports and flights of 36 months from January 2019, as in the data of Davis et al. (2023)."""
    return [sparse.csr_array(sparse.load_npz(DATA / "flights36" / f"As_{month}.npz")) for month in range(36)]


def fitted(method):
    """Print processor seconds of a fit and of a new month, the largest residual, and peak memory; one process."""
    months = lp.as_graphs(flights(), directed=False)
    before = time.process_time()
    model = METHODS[method](10).fit(months)
    middle = time.process_time()
    model.transform_graph(months[35])
    after = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(json.dumps([middle - before, (after - middle) * 1e3, float(model.residuals_.max()), peak]))


def speed():
    """Return the table of times on flights, each method in its own process."""
    rows = []
    for method in METHODS:
        command = [sys.executable, __file__, "--only", "fitted", method]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds, milliseconds, residual, peak = json.loads(done.stdout.splitlines()[-1])
        row = {"embedding": method, "fit, s": seconds, "new month, ms": milliseconds}
        rows.append({**row, "largest residual": f"{residual:.1e}", "peak GB": f"{peak:.2f}"})
    return rows


def peers():
    """Return times on 12 networks of 1000 vertices beside graspologic's."""
    python = python_with("graspologic", CACHE)
    networks = [blocks(1000, ASSORTATIVE, seed) for seed in range(12)]
    stacked = sparse.vstack([network.matrix for network in networks])
    rows = []
    for method in ("omnibus", "multiple"):
        METHODS[method](2).fit(networks)  # imports are not timed, of graspologic neither
        began = time.process_time()
        METHODS[method](2).fit(networks)
        seconds = time.process_time() - began
        found = peer_result(python, method, stacked, 1800)
        theirs = "more than 1800" if found is None else f"{found[1]:.3g}"
        ratio = "" if found is None else f"{found[1] / seconds:.0f}"
        rows.append({"embedding": method, "lpgraph, s": seconds, "graspologic, s": theirs, "ratio": ratio})
    return rows


def blocks(n, b, seed, *, drawn=False, share=0.5, directed=False, weighted=False):
    """Return a network of two blocks, whose sizes are equal or drawn."""
    rng = np.random.default_rng(seed)
    first = rng.binomial(n, share) if drawn else n // 2
    network = lp.as_adjacency(
        lp.stochastic_block_model([first, n - first], b, directed=directed, random_state=rng)
    )
    if not weighted:
        return network
    matrix = sparse.triu(network.matrix).tocsr()
    matrix.data = rng.gamma(2.0, size=matrix.nnz)
    return lp.as_adjacency(sparse.csr_array(matrix + matrix.T), directed=False)


def three_blocks(n, seed):
    """Return a network of three blocks, whose sizes are drawn."""
    rng = np.random.default_rng(seed)
    b = [[0.5, 0.1, 0.1], [0.1, 0.4, 0.2], [0.1, 0.2, 0.6]]
    return lp.stochastic_block_model(rng.multinomial(n, [0.5, 0.3, 0.2]), b, random_state=rng)


def hotelling(differences):
    """Return the p-value of the hypothesis that rows have the mean 0."""
    n, d = differences.shape
    mean, covariance = differences.mean(axis=0), np.atleast_2d(np.cov(differences.T))
    statistic = n * mean @ np.linalg.solve(covariance, mean)
    return float(stats.f.sf(statistic * (n - d) / (d * (n - 1)), d, n - d))


def two_sample(x, y):
    """Return the p-value of Hotelling's test of two samples of rows."""
    n, m, d = len(x), len(y), x.shape[1]
    gap, freedom = x.mean(axis=0) - y.mean(axis=0), n + m - d - 1
    pooled = ((n - 1) * np.cov(x.T) + (m - 1) * np.cov(y.T)) / (n + m - 2)
    statistic = n * m / (n + m) * gap @ np.linalg.solve(pooled, gap)
    return float(stats.f.sf(statistic * freedom / (d * (n + m - 2)), d, freedom))


def placed(graphs, d):
    """Return the positions of vertices in two networks by each embedding."""
    found = {method: METHODS[method](d).fit(graphs).embeddings_ for method in ("unfolded", "omnibus")}
    x, y = (lp.AdjacencySpectralEmbedding(d).fit_transform(graph) for graph in graphs)
    return {**found, "separate, aligned": np.stack([x @ lp.procrustes(x, y), y])}


def stability(runs=500, n=999):
    """Return how often 30 vertices are found to differ that behave alike: at two times, and at the second one."""
    two = [[0.5, 0.2], [0.2, 0.4]], [[0.5, 0.2], [0.2, 0.1]]
    before = [[0.5, 0.2, 0.2], [0.2, 0.4, 0.1], [0.2, 0.1, 0.6]]
    after = [[0.5, 0.2, 0.2], [0.2, 0.3, 0.3], [0.2, 0.3, 0.3]]
    columns = ("two blocks, two times", "three blocks, two times", "three blocks, second time")
    rejected = {}
    for run in range(runs):
        graphs = [blocks(n + 1, b, [run, k]) for k, b in enumerate(two)]
        for method, (first, second) in placed(graphs, 2).items():
            counts = rejected.setdefault(method, [0, 0, 0])
            counts[0] += hotelling(second[:30] - first[:30]) <= LEVEL
        graphs = []
        for k, b in enumerate((before, after)):
            rng = np.random.default_rng([run, k])
            graphs.append(lp.stochastic_block_model([n // 3] * 3, b, random_state=rng))
        for method, (first, second) in placed(graphs, 3).items():
            rejected[method][1] += hotelling(second[:30] - first[:30]) <= LEVEL
            rejected[method][2] += two_sample(second[n // 3 :][:30], second[-30:]) <= LEVEL
    shares = {method: (f"{count / runs:.3f}" for count in counts) for method, counts in rejected.items()}
    return [{"embedding": method, **dict(zip(columns, of, strict=True))} for method, of in shares.items()]


def rejections(first, second, runs, **options):
    """Return the share of rejections, and the processor time of a test."""
    count, seconds = 0, 0.0
    for run in range(runs):
        a, b = first([run, 0]), second([run, 1])
        began = time.process_time()
        found = lp.infer.two_sample_test(a, b, random_state=10**6 + run, **{"n_components": 2, **options})
        count += found.p_value <= LEVEL
        seconds += time.process_time() - began
    return {"runs": runs, "rejected": f"{count / runs:.3f}", "ms": f"{1e3 * seconds / runs:.0f}"}


def levels(runs=500):
    """Return the levels of `two_sample_test`."""
    models = {"within .5, between .1": ASSORTATIVE, "within .1, between .5": DISASSORTATIVE}
    rows = []
    for name, b in models.items():
        cases = {
            "exchange, 200": (200, 200, {}, {"n_draws": 199}, runs),
            "exchange, 500": (500, 500, {}, {"n_draws": 99}, runs),
            "exchange, 200, directed": (200, 200, {"directed": True}, {"n_draws": 99}, runs),
            "exchange, 200, weighted": (200, 200, {"weighted": True}, {"n_draws": 99}, runs),
            "distribution, 200 and 300, blocks drawn": (
                200,
                300,
                {"drawn": True},
                {"n_draws": 199},
                3 * runs // 5,
            ),
            "distribution, 200 and 300, 45 % drawn": (
                200,
                300,
                {"drawn": True, "share": 0.45},
                {"n_draws": 199},
                3 * runs // 5,
            ),
            "distribution, 200 and 300, blocks fixed": (200, 300, {}, {"n_draws": 199}, runs // 5),
            "bootstrap, 200": (200, 200, {}, {"n_draws": 99}, runs // 5),
        }
        for case, (n, m, how, options, count) in cases.items():
            draws = [lambda seed, n=n, b=b, how=how: blocks(n, b, seed, **how) for n in (n, m)]
            found = rejections(*draws, count, method=case.partition(",")[0], **options)
            rows.append({"model": name, "test": case, **found})
            print(rows[-1], file=sys.stderr, flush=True)
    for n, m in ((200, 300), (100, 150)):
        draws = [lambda seed, n=n: three_blocks(n, seed) for n in (n, m)]
        found = rejections(*draws, runs // 5, method="distribution", n_draws=99, n_components=None)
        rows.append({"model": "three blocks", "test": f"distribution, {n} and {m}, blocks drawn", **found})
    return rows


def power(runs=100, n=200):
    """Return the power if the probability within the second block changes from .1 to .15."""
    rows, groups = [], [0] * (n // 2) + [1] * (n // 2)
    changed = [[0.1, 0.5], [0.5, 0.15]]
    first, second = (lambda seed, b=b: blocks(n, b, seed) for b in (DISASSORTATIVE, changed))
    cases = {"exchange": {}, "exchange, groups": {"groups": groups}, "blocks": {"groups": groups}}
    cases |= {"distribution": {}, "bootstrap": {}}
    for name, options in cases.items():
        count, method = (runs // 5 if name == "bootstrap" else runs), name.partition(",")[0]
        rows.append({"test": name, **rejections(first, second, count, method=method, n_draws=99, **options)})
        print(rows[-1], file=sys.stderr, flush=True)
    drawn = (lambda seed, b=b: blocks(n, b, seed, drawn=True, share=0.45) for b in (DISASSORTATIVE, changed))
    found = rejections(*drawn, runs, method="distribution", n_draws=99)
    rows.append({"test": "distribution, 45 % drawn", **found})
    python, pairs = python_with("graspologic", CACHE), 10
    for name, other in (("graspologic, no change", first), ("graspologic, change", second)):
        matrices = [draw([run, k]).matrix for run in range(pairs) for k, draw in enumerate((first, other))]
        found = peer_result(python, "position_test", sparse.vstack(matrices), 1200)
        if found is not None:
            p, seconds = found
            share, each = f"{np.mean(p <= LEVEL):.3f}", f"{1e3 * seconds / pairs:.0f}"
            rows.append({"test": name, "runs": pairs, "rejected": share, "ms": each})
    return rows


def with_movers(n, share, strength, seed):
    """Return two networks between which a share of the vertices changes its block in part, and which they are."""
    rng = np.random.default_rng(seed)
    labels, moved = np.arange(n) % 2, rng.permutation(n) < share * n
    weights = np.eye(2)[labels]
    after = np.where(moved[:, None], (1 - strength) * weights + strength * weights[:, ::-1], weights)
    b, graphs = np.array([[0.3, 0.1], [0.1, 0.3]]), []
    for mixture in (weights, after):
        upper = np.triu(rng.random((n, n)) < mixture @ b @ mixture.T, 1)
        graphs.append(sparse.csr_array((upper + upper.T).astype(float)))
    return graphs, moved


def discoveries(runs=200, n=1000):
    """Return false discoveries and power of `vertex_changes`, of 1000 vertices of which 100 change."""
    rows = []
    for strength, count in ((1.0, runs), (0.5, runs), (0.25, runs), (0.0, runs)):
        false, true = [], []
        for run in range(count):
            graphs, moved = with_movers(n, 0.1, strength, run)
            found = lp.infer.vertex_changes(lp.joint.UnfoldedEmbedding(2).fit(graphs), 0, 1).changed
            right = int(moved[found].sum()) if strength else 0
            false.append((len(found) - right) / max(len(found), 1))
            true.append(right / 100)
        shares = {"false discoveries": f"{np.mean(false):.3f}", "found": f"{np.mean(true):.3f}"}
        rows.append({"part of the change of block": strength, "runs": count, **shares})
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def alarms(runs=2000, n=200, steps=10):
    """Return how often `change_points` finds a change in sequences without one, and one that is planted."""
    rows = []
    for after in (0.5, 0.48, 0.46, 0.44):
        alarm, hit, count = 0, 0, runs if after == 0.5 else runs // 40
        for run in range(count):
            changed = [[0.5, 0.1], [0.1, after]]
            graphs = [blocks(n, changed if step >= 5 else ASSORTATIVE, [run, step]) for step in range(steps)]
            found = lp.infer.change_points(lp.joint.UnfoldedEmbedding(2).fit(graphs)).changed
            hit += 5 in found and after != 0.5
            alarm += bool(set(found) - ({5} if after != 0.5 else set()))
        shares = {"false alarms": f"{alarm / count:.3f}", "change found": f"{hit / count:.3f}"}
        rows.append({"change": f"within the second block .5, then {after:g}", "runs": count, **shares})
        print(rows[-1], file=sys.stderr, flush=True)
    four = np.full((4, 4), 0.04) + 0.26 * np.eye(4)
    for n, movers in ((120, 10), (120, 20), (300, 25)):
        alarm, hit, count = 0, 0, runs // 40
        for run in range(count):
            rng = np.random.default_rng(run)
            before = after = np.arange(n) % 4
            moved = rng.choice(n, movers, replace=False)
            after = np.where(np.isin(np.arange(n), moved), (before + 1) % 4, before)
            groups = [before] * 3 + [after] * 2
            graphs = [
                lp.LatentPositionModel(lp.kernels.BlockMatrix(four), z).sample(random_state=rng) for z in groups
            ]
            found = lp.infer.change_points(lp.joint.UnfoldedEmbedding(4).fit(graphs)).changed
            hit += 3 in found
            alarm += bool(set(found) - {3})
        shares = {"false alarms": f"{alarm / count:.3f}", "change found": f"{hit / count:.3f}"}
        rows.append({"change": f"{movers} of {n} vertices change blocks", "runs": count, **shares})
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def coverage(runs=20):
    """Return how often intervals of 95 % cover the noise-free positions, in each of two dimensions."""
    kinds = {
        "unfolded": (lp.joint.UnfoldedEmbedding(2), {}),
        "unfolded, directed": (lp.joint.UnfoldedEmbedding(2), {"directed": True}),
        "unfolded, weighted": (lp.joint.UnfoldedEmbedding(2), {"weighted": True}),
        "unfolded, Laplacian": (lp.joint.UnfoldedEmbedding(2, matrix="laplacian"), {}),
        "omnibus": (lp.joint.OmnibusEmbedding(2), {}),
        "multiple": (lp.joint.MultipleEmbedding(2), {}),
    }
    rows = []
    for name, (model, how) in kinds.items():
        row = {"embedding": name}
        for n, scale in ((200, 1.0), (500, 1.0), (500, 0.2), (200, 0.2)):
            probabilities = [scale * np.array([[0.5, 0.15], [0.15, second]]) for second in (0.5, 0.5, 0.3, 0.3)]
            labels, mean, held = np.repeat([0, 1], n // 2), 2.0 if "weighted" in how else 1.0, []
            expected = [mean * (b[labels][:, labels] - np.diag(np.diag(b)[labels])) for b in probabilities]
            for run in range(runs):
                model.fit([blocks(n, b, [run, k], **how) for k, b in enumerate(probabilities)])
                true = model._placers["out"].new([sparse.csr_array(some) for some in expected])
                errors = lp.joint.standard_errors(model, range(n))
                held.append((abs(model.embeddings_ - true) <= 1.96 * errors).mean(axis=(0, 1)))
            edges = scale * n * 0.325
            row[f"{n} vertices, {edges:.3g} edges"] = ", ".join(f"{share:.3f}" for share in np.mean(held, axis=0))
        rows.append(row)
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def larval():
    """Return the tests of the hemispheres of the larval brain (Pedigo et al. 2023)."""
    import pandas

    graphs, groups = [], []
    for side in ("left", "right"):
        nodes = pandas.read_csv(DATA / "larval" / f"{side}_nodes.csv.gz", index_col=0)
        edges = pandas.read_csv(DATA / "larval" / f"{side}_edgelist.csv.gz", header=None)
        ends = [nodes.index.get_indexer(edges[column]) for column in (0, 1)]
        matrix = sparse.csr_array((np.ones(len(edges)), ends), shape=(len(nodes),) * 2)
        graphs.append(lp.as_adjacency(matrix, directed=True, names=nodes.index))
        groups.append(nodes["simple_group"].tolist())
    published = {"density": "4.9e-24", "blocks": "3.3e-8", "adjusted blocks": ".0047"}
    rows = []
    for method, value in published.items():
        options = {} if method == "density" else {"groups": tuple(groups)}
        found = lp.infer.two_sample_test(*graphs, method=method, **options)
        rows.append({"test": method, "p": f"{found.p_value:.2g}", "published": value, "pairs": len(found.parts)})
    return rows


def changed_months():
    """Return the largest steps of the flights, by `change_points` in 10 dimensions, and draw all distances."""
    import matplotlib as mpl
    import pandas

    mpl.use("Agg")

    months = pandas.period_range("2019-01", periods=36, freq="M").astype(str)
    graphs = lp.as_graphs(dict(zip(months, flights(), strict=True)), directed=False)
    model = lp.joint.UnfoldedEmbedding(10).fit(graphs)
    lp.plot.distances(model).figure.savefig(RESULTS / "joint.png", dpi=90)
    found = lp.infer.change_points(model).table
    found = found.sort_values("distance", ascending=False).head(6)
    return [
        {"month": row.key, "distance": row.distance, "p, adjusted": f"{row.adjusted:.1g}"}
        for row in found.itertuples()
    ]


def continents():
    """Return the share of airports whose continent is predicted by flights of six months, and of one."""
    place = np.array((DATA / "flights36" / "continents.txt").read_text().splitlines())
    months = flights()[::6]
    known = np.flatnonzero(sum(month.sum(axis=1) for month in months))
    place, graphs = place[known], [lp.as_adjacency(month[known][:, known], directed=False) for month in months]
    labelled = np.random.default_rng(0).permutation(len(known))[: len(known) // 20]
    hidden = np.setdiff1d(np.arange(len(known)), labelled)

    def accuracy(embedding, networks):
        y = np.full(len(known), "", dtype=object)
        y[labelled] = place[labelled]
        found = lp.VertexClassifier(embedding).fit(networks, y).transduction_
        return np.mean(found[hidden] == place[hidden])

    single = [accuracy(lp.LaplacianSpectralEmbedding(16), graph) for graph in graphs]
    shares = {
        "unfolded, laplacian": accuracy(lp.joint.UnfoldedEmbedding(16, matrix="laplacian"), graphs),
        "unfolded": accuracy(lp.joint.UnfoldedEmbedding(16), graphs),
        "sum of the months": accuracy(lp.LaplacianSpectralEmbedding(16), lp.as_graphs(graphs).total),
        "one month, best and worst": (max(single), min(single)),
    }
    return [
        {"networks": name, "right": " and ".join(f"{x:.3f}" for x in np.atleast_1d(of))}
        for name, of in shares.items()
    ]


#: Tables with their titles and notes.
TABLES = {
    "peers": (peers, "Beside graspologic", "12 networks of 1000 vertices, d = 2; processor time without imports."),
    "stability": (
        stability,
        "Stability",
        "Share of 500 runs in which Hotelling's test at 5 % rejects that 30 vertices have the same mean position. "
        "Two blocks of 500 vertices: the second changes, and vertices of the first are compared at both times. "
        "Three blocks of 333 vertices: the second and the third differ at the first time and are alike at the "
        "second. Vertices of the first block are compared at both times, those of the other two at the second.",
    ),
    "levels": (
        levels,
        "Levels of the two-sample test",
        'Share of rejections at 5 % of pairs from one model; d = 2, with three blocks the default. "45 % drawn": '
        "the blocks have the shares 45 and 55 %. The three blocks have the shares .5, .3 and .2.",
    ),
    "power": (
        power,
        "Power of the two-sample test",
        "Two blocks of 100 vertices, .5 between and .1 within; within the second block .15 in the other network. "
        "graspologic's `latent_position_test` with 100 draws.",
    ),
    "discoveries": (
        discoveries,
        "vertex_changes",
        "Two blocks of 500 vertices (.3 within, .1 between), of which 100 vertices change block in part. Mean "
        "share of false discoveries at alpha = .05, and share of the 100 vertices that are found.",
    ),
    "alarms": (
        alarms,
        "change_points",
        "10 networks of two blocks of 100 vertices; a change after the fifth. The standard error of the first row "
        "is .005. Last rows: five networks of four blocks (.3 within, .04 between), of which some vertices change "
        "to the next block after the third.",
    ),
    "coverage": (
        coverage,
        "Intervals of positions",
        "Share of intervals of 95 % (`joint.standard_errors`) that contain the noise-free position, in each of "
        "two dimensions; 20 runs. Four networks of two blocks: .5 within and .15 between, in the last two .3 "
        "within the second; a fifth of it in the last two columns. Edges are the mean of a vertex of the first "
        "block.",
    ),
    "changed_months": (
        changed_months,
        "Flights",
        "The six largest steps of 35, d = 10.\n\n"
        "![Distances between the positions in any two of 36 months: those before March 2020, and those since "
        "April 2020](joint.png)",
    ),
    "continents": (
        continents,
        "Continents of airports",
        "Flights of every sixth month between 15,929 airports, d = 16; the continents of 5 % are known. "
        "Airports without flights in a month get the most frequent continent there.",
    ),
    "larval": (
        larval,
        "Hemispheres of the larval brain",
        "Groups are `simple_group` of the published tables. The published tests leave out pairs of groups without "
        "an edge in one hemisphere: 285 remain.",
    ),
}


if __name__ == "__main__":
    if sys.argv[1:3] == ["--only", "fitted"]:
        fitted(sys.argv[3])
    elif sys.argv[1:2] == ["--only"]:
        print("\n".join(table({"speed": speed, **{k: v[0] for k, v in TABLES.items()}}[sys.argv[2]]())))
    else:
        first = speed()
        notes = [
            "36 months of flights between 17,388 airports, 10.7 million entries, d = 10; processor time, each "
            "method in its own process. Other programs ran on the same cores."
        ]
        for make, title, note in TABLES.values():
            notes += [f"## {title}", "\n".join(table(make())), note]
        page(__file__, "Joint embeddings", first, "\n\n".join(notes))
