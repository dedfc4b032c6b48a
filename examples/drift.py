"""False alarms and power of the test of streams of new vertices.

Without a change, 1000 streams of 100 new vertices are drawn for each of three models and three mean degrees, with
800 known vertices; and the vertices of real networks are divided at random into known and new ones 1000 times. For
the power, some of the last 50 of 100 new vertices are from a new community, have random edges, or are from another
mixture of the communities.

``python examples/drift.py 200``, which draws 200 streams of each, takes 7 minutes on a core with other work.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from _report import report, table
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import DisconnectedGraphWarning

sys.path.append(str(Path(__file__).resolve().parent.parent / "benchmarks"))

KNOWN, NEW, CHANGE = 800, 100, 50
STREAMS = 1000
DEGREES = (10, 30, 200)
SHARES = (0.2, 0.5, 1.0)
ALPHA, DRAWS = 0.05, 199
#: Streams of each network that is drawn.
EACH = 10
BLOCKS = np.array([[0.6, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]])
MIXTURE, OTHER = [0.2, 0.3, 0.5], [0.6, 0.3, 0.1]
CORNERS = np.linalg.cholesky(BLOCKS)
#: Real networks, and the dimensions of their embeddings.
NETWORKS = {"football": 7, "celegans": 5, "polblogs": 4, "email_eu": 12, "cora": 6}
MODELS = ("SBM", "RDPG", "degree-corrected")
CHANGES = ("new community", "random edges", "other mixture")


def positions_of(model, rng, n, mixture):
    """Return latent positions: of blocks, of Dirichlet mixtures of them, or of blocks with degree factors."""
    if model == "RDPG":
        return rng.dirichlet(np.multiply(2, mixture), n) @ CORNERS
    found = CORNERS[rng.choice(3, n, p=mixture)]
    return found * rng.uniform(0.5, 1, (n, 1)) if model == "degree-corrected" else found


def draw(model, degree, rng):
    """Return the matrix of known vertices, their positions, and the factor of their products."""
    positions = positions_of(model, rng, KNOWN, MIXTURE)
    scale = degree / (positions @ positions.sum(axis=0)).mean()
    upper = np.triu(rng.random((KNOWN, KNOWN)) < scale * positions @ positions.T, 1)
    return sparse.csr_array((upper | upper.T).astype(float)), positions, scale


def draw_new(model, positions, scale, rng, change=None, share=0.0):
    """Return rows of new vertices; some of the second half are changed."""
    later = positions_of(model, rng, NEW, MIXTURE)
    changed = (np.arange(NEW) >= CHANGE) & (rng.random(NEW) < share)
    if change == "other mixture":
        later[changed] = positions_of(model, rng, int(changed.sum()), OTHER)
    p = scale * later @ positions.T
    means = p.mean(axis=1, keepdims=True)
    if change == "new community":  # at the same rate to all communities
        factors = np.linalg.norm(positions, axis=1) if model == "degree-corrected" else np.ones(KNOWN)
        p[changed] = (means * factors / factors.mean())[changed]
    if change == "random edges":
        p[changed] = np.broadcast_to(means, p.shape)[changed]
    return sparse.csr_array((rng.random(p.shape) < p).astype(float))


def results(model, degree, streams, seed, change=None, share=0.0):
    """Yield the results for streams, ten for each network."""
    for number in range(0, streams, EACH):
        rng = np.random.default_rng([seed, number])
        matrix, positions, scale = draw(model, degree, rng)
        embedding = lp.AdjacencySpectralEmbedding(3, solver="lanczos", tol=1e-3).fit(matrix)
        for stream in range(number, min(number + EACH, streams)):
            rows = draw_new(model, positions, scale, rng, change, share)
            yield lp.infer.drift(embedding, rows, ALPHA, ordered=True, draws=DRAWS, random_state=stream)


def network(name):
    """Return the adjacency matrix of the largest component of a network, without directions and weights."""
    from _folder_data import load

    graph = lp.largest_component(lp.as_adjacency(load(name).graph, directed=False, weight=None))
    return graph.matrix


def split(matrix, dimensions, seed):
    """Return the result for a random fifth of the vertices of a network, as new vertices."""
    order = np.random.default_rng(seed).permutation(matrix.shape[0])
    new, known = np.split(order, [len(order) // 5])
    embedding = lp.AdjacencySpectralEmbedding(dimensions, solver="lanczos", tol=1e-3).fit(matrix[known][:, known])
    return lp.infer.drift(embedding, matrix[new][:, known], ALPHA, ordered=True, draws=DRAWS, random_state=seed)


def levels(streams):
    """Return rows of the table: shares of streams with an alarm."""
    rows = []
    for model in MODELS:
        for degree in DEGREES:
            alarms = [found.alarm for found in results(model, degree, streams, 0)]
            rows.append({"network": model, "vertices": KNOWN + NEW, "mean degree": degree, "alarms": alarms})
            print(model, degree, np.mean(alarms), flush=True)
    for name, dimensions in NETWORKS.items():
        matrix = network(name)
        alarms = [split(matrix, dimensions, seed).alarm for seed in range(streams)]
        degree = f"{matrix.nnz / matrix.shape[0]:.1f}"
        rows.append({"network": name, "vertices": matrix.shape[0], "mean degree": degree, "alarms": alarms})
        print(name, np.mean(alarms), flush=True)
    count = len(MODELS) * len(DEGREES)
    parts = {"all models": rows[:count], "all real networks": rows[count:]}
    for title, part in parts.items():
        alarms = [alarm for row in part for alarm in row["alarms"]]
        if alarms:
            rows.append({"network": title, "vertices": "", "mean degree": "", "alarms": alarms})
    counts = [(len(row["alarms"]), np.mean(row["alarms"])) for row in rows]
    return [
        {**row, "streams": streams, "alarms": f"{share:.3f}", "standard error": f"{np.sqrt(0.0475 / streams):.3f}"}
        for row, (streams, share) in zip(rows, counts, strict=True)
    ]


def powers(degree, streams):
    """Return rows of the table of power, and the power of each change for each share."""
    rows, found = [], {}
    for change in CHANGES:
        for share in SHARES:
            found_now = list(results("degree-corrected", degree, streams, 1, change, share))
            after = [r.alarm_after - CHANGE for r in found_now if r.alarm and r.alarm_after > CHANGE]
            measures = [r.alarm_measure for r in found_now if r.alarm]
            power = np.mean([r.alarm for r in found_now])
            found.setdefault(change, []).append(power)
            rows.append(
                {
                    "change": change,
                    "mean degree": degree,
                    "share": share,
                    "alarms": f"{power:.3f}",
                    "median delay": f"{np.median(after):.0f}" if len(after) >= streams / 4 else "",
                    "most alarms by": max(sorted(set(measures)), key=measures.count) if measures else "",
                }
            )
            print(rows[-1], flush=True)
    return rows, found


def main():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    warnings.simplefilter("ignore", DisconnectedGraphWarning)
    streams = int(sys.argv[1]) if len(sys.argv) > 1 else STREAMS
    many = max(10, streams // 6)
    level_rows = levels(streams)
    figure, axes = plt.subplots(1, len(DEGREES), figsize=(10, 3.6), layout="constrained", sharey=True)
    power_rows = []
    for panel, degree in zip(axes, DEGREES, strict=True):
        rows, found = powers(degree, many)
        power_rows += rows
        for change, values in found.items():
            panel.plot(SHARES, values, "o-", label=change)
        panel.axhline(ALPHA, color="0.5", linewidth=1)
        panel.set(title=f"mean degree {degree}", xlabel="share of changed vertices", ylim=(0, 1.02))
    axes[0].set_ylabel("share of streams with an alarm")
    axes[0].legend(frameon=False)
    notes = "\n".join(
        [
            f"Shares of {streams} streams without a change that raised an alarm, with the stated probability "
            f"{ALPHA}, and the binomial standard error of this probability. A stream has "
            f"{NEW} new vertices; there are {EACH} streams for each network of {KNOWN} vertices that is drawn. Of "
            "a real network, a random fifth of the vertices is new, in random order. Seeds are 0 to "
            f"{streams - 1}, and the limits are by {DRAWS} random streams.",
            "",
            f"Power in the degree-corrected model: this share of the last {NEW - CHANGE} vertices is changed; "
            f"{many} streams each, with a standard error of at most {0.5 / np.sqrt(many):.3f}. A vertex of a new "
            "community has edges to all known communities, in proportion to the degrees; random edges are to all "
            f"vertices alike; the mixture of the communities changes from {MIXTURE} to {OTHER}. Expected degrees "
            "do not change, except with the mixture. The delay is the number of vertices from the change to the "
            "alarm, where at least a quarter of the streams raised one.",
            "",
            *table(power_rows),
        ]
    )
    report("drift", "Alarms about streams of new vertices", level_rows, notes, figure)
    return level_rows, power_rows


if __name__ == "__main__":
    main()
