"""Alignment of refits: the rule of the rotation, and classifiers that were trained on an earlier fit.

``python benchmarks/align.py`` writes ``docs/results/align.md``. It needs LPGRAPH_DATA.
"""

from functools import partial

import numpy as np
from _labelled_networks import REAL
from _timing import page, table
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import lpgraph as lp
from lpgraph.embed.procrustes import rotation

N, K = 800, 4
#: Seeds on which the rule was chosen, and seeds of the figures.
CHOICE, REPORT = range(10), range(100, 120)
#: Seeds of the samples of edges of real networks.
DRAWS = range(5)

WITHIN = 0.03 + np.diag([0.12, 0.1, 0.09, 0.11])
BETWEEN = 0.15 - 0.09 * np.eye(K)
#: Probabilities, whether degrees are heavy-tailed, and whether all vertices that move go to the first block.
MODELS = {
    "assortative": (WITHIN, False, False),
    "assortative, all to one block": (WITHIN, False, True),
    "disassortative": (BETWEEN, False, False),
    "disassortative, all to one block": (BETWEEN, False, True),
    "heavy-tailed": (WITHIN, True, False),
    "heavy-tailed, all to one block": (WITHIN, True, True),
}
#: Weights by distances that are multiples of their median.
RULES = {
    "least distances": lambda u: 1 / np.maximum(u, 0.01),
    "Cauchy": lambda u: 1 / (1 + u**2),
    "Geman-McClure, 1 median": lambda u: (1 + u**2) ** -2.0,
    "Geman-McClure, 2 medians": lambda u: (1 + (u / 2) ** 2) ** -2.0,
    "Geman-McClure, 3 medians": lambda u: (1 + (u / 3) ** 2) ** -2.0,
    "Tukey, 3 medians": lambda u: np.maximum(1 - (u / 3) ** 2, 0) ** 2,
    "nearer half": lambda u: (u <= 1).astype(float),
}


def sample(p, labels, weights, rng):
    """Return the matrix of a block model."""
    chosen = np.triu(rng.random((N, N)) < p[labels][:, labels] * np.multiply.outer(weights, weights), 1)
    return (chosen + chosen.T).astype(float)


def two_days(p, heavy, one_block, seed):
    """Return two fits between which a tenth of the vertices changes block, and which vertices do not."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(K, size=N)
    weights = np.minimum(0.3 + rng.pareto(2.2, N), 6) if heavy else np.ones(N)
    weights /= weights.mean()
    later, moving = labels.copy(), rng.choice(N, N // 10, replace=False)
    later[moving] = 0 if one_block else (labels[moving] + rng.integers(1, K, size=len(moving))) % K
    # d = 4 is the rank; the values of largest magnitude have the same signs on both days.
    fits = [lp.AdjacencySpectralEmbedding(K).fit(sample(p, days, weights, rng)) for days in (labels, later)]
    return *fits, labels == later


def reweighted(a, b, left, right, weight, relative):
    """Return the rotation by iteratively reweighted least squares."""
    plain = partial(rotation, b=b, left=left, right=right, robust=False)
    lengths = (np.linalg.norm(a, axis=1) + np.linalg.norm(b, axis=1)) / 2
    scale = np.sqrt(np.maximum(lengths, 1e-6 * np.median(lengths))) if relative else np.ones(len(a))
    found = plain(a)
    for _ in range(50):
        r = np.linalg.norm(a @ found - b, axis=1) / scale
        found = plain(a * (weight(r / np.median(r)) / scale**2)[:, None])
    return found


def errors(model, seeds, rules):
    """Return the mean difference from the best rotation of those that stay, as a share of what that leaves."""
    found = {name: [] for name in rules}
    for seed in seeds:
        earlier, fit, stays = two_days(*model, seed)
        a, b, left, right = fit.embedding_, earlier.embedding_, fit.signature_, earlier.signature_
        best = a[stays] @ rotation(a[stays], b[stays], left, right, robust=False)
        noise = np.linalg.norm(best - b[stays])
        for name, rule in rules.items():
            found[name].append(np.linalg.norm(a[stays] @ rule(a, b, left, right) - best) / noise)
    return {name: np.mean(values) for name, values in found.items()}


def rules():
    """Return a table of the rules on the seeds of the choice."""
    candidates = {"least squares": partial(rotation, robust=False)}
    for name, weight in RULES.items():
        for relative in (False, True):
            candidates[name + (", relative" if relative else "")] = partial(
                reweighted, weight=weight, relative=relative
            )
    by_model = {name: errors(model, CHOICE, candidates) for name, model in MODELS.items()}
    return [
        {"rule": rule, **{model: f"{values[rule]:.3f}" for model, values in by_model.items()}}
        for rule in candidates
    ]


def reported():
    """Return a table of the chosen rule on other seeds."""
    both = {"least squares": partial(rotation, robust=False), "robust": partial(rotation, robust=True)}
    rows = []
    for name, model in MODELS.items():
        rows.append(
            {"model": name, **{rule: f"{value:.3f}" for rule, value in errors(model, REPORT, both).items()}}
        )
    return rows


def part_of_edges(matrix, seed):
    """Return a network with each edge kept with probability 0.9."""
    rng = np.random.default_rng(seed)
    upper = sparse.triu(matrix, format="coo")
    kept = rng.random(upper.nnz) < 0.9
    half = sparse.coo_array((upper.data[kept], (upper.row[kept], upper.col[kept])), shape=matrix.shape).tocsr()
    return half + sparse.triu(half, k=1).T


def accuracies(network, cls, seed):
    """Return the accuracies of classifiers trained on a fit and on an earlier one, for positions of the fit."""
    first, second = (part_of_edges(network.graph.matrix, [seed, k]) for k in range(2))
    known = np.flatnonzero(network.classes >= 0)
    train = np.random.default_rng(seed).random(len(known)) < 0.5
    train, test = known[train], known[~train]
    earlier = cls().fit(first)
    plain, aligned = cls(earlier.embedding_.shape[1]).fit(second), cls(align_to=earlier).fit(second)
    found = []
    for learnt, asked in ((plain, plain), (earlier, aligned), (earlier, plain)):
        classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        classifier.fit(learnt.embedding_[train], network.classes[train])
        found.append(classifier.score(asked.embedding_[test], network.classes[test]))
    return [earlier.embedding_.shape[1], *found]


def real():
    """Return a table of accuracies on real networks."""
    rows = []
    for name in ("email-Eu-core", "Cora", "citeseer", "lastfm", "polblogs", "football"):
        network = REAL[name]().undirected()
        for cls in (lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding):
            found = np.mean([accuracies(network, cls, seed) for seed in DRAWS], axis=0)
            kind = cls.__name__.removesuffix("SpectralEmbedding").lower()
            columns = ("own fit", "earlier fit, aligned", "earlier fit, not aligned")
            shown = dict(zip(columns, (f"{share:.3f}" for share in found[1:]), strict=True))
            rows.append({"network": name, "embedding": kind, "d": f"{found[0]:.3g}", **shown})
    return rows


if __name__ == "__main__":
    with threadpool_limits(1):
        chosen, figures, accuracy = rules(), reported(), real()
    notes = [
        "Accuracies of logistic regression on positions in a fit to 90 % of the edges, for the half of the "
        f"labelled vertices that it was not trained on; means over {len(DRAWS)} draws. It was trained on the "
        "positions of the other half in the same fit, or in an earlier fit to other 90 % of the edges, to which "
        "the fit is aligned (`align_to=`) or not. Both fits have the dimension d that the earlier one chose.",
        "## Vertices that moved",
        f"Between two samples of a block model of {N} vertices, a tenth of the vertices changes block. The "
        "figures are the root mean square difference of the other vertices from their best rotation, divided by "
        f"the root mean square distance that this one leaves; means over {len(REPORT)} seeds.",
        "\n".join(table(figures)),
        "## Choice of the rule",
        f"The same on {len(CHOICE)} other seeds, by which the rule was chosen: Geman-McClure, 2 medians, "
        "relative. Weights depend on distances as multiples of their median; relative ones are first divided by "
        "the root of the row's length. Tukey's rule has smaller errors in some columns, but may give all rows "
        "that determine a direction the weight 0. Relative distances do not count hubs as vertices that moved.",
        "\n".join(table(chosen)),
    ]
    page(__file__, "Alignment of refits", accuracy, "\n\n".join(notes))
