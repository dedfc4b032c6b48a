"""Unobserved pairs: the fit to the observed ones against zeros that are rescaled by the observed share.

30 % of the pairs are hidden at random, or all pairs between two groups of 30 % of the vertices, which are chosen
at random. The errors of the probabilities of all pairs, and of the positions, are divided by those of the
adjacency spectral embedding in which unobserved pairs are zeros, all entries divided by the observed share.
"""

import numpy as np
from _report import report
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ConvergenceError
from lpgraph.spectral.completion import complete
from lpgraph.spectral.eigen import eigenpairs
from lpgraph.spectral.partial import Partial

DEGREES = (10, 30, 100, 300)
SHARE = 0.3


def positions(model, n, rng):
    """Return positions and their signature."""
    if model == "three simplex corners":
        return rng.dirichlet([1.0, 1.0, 1.0], n), np.ones(3)
    if model == "hubs":
        corners, signs = positions("two blocks", n, rng)
        weights = np.minimum(rng.pareto(2.5, n) + 1, 6)
        return corners * (weights / weights.mean())[:, None], signs
    blocks = {"two blocks": [[0.5, 0.1], [0.1, 0.5]], "disassortative": [[0.1, 0.5], [0.5, 0.1]]}[model]
    values, vectors = np.linalg.eigh(blocks)
    order = np.argsort(-np.abs(values))
    corners = vectors[:, order] * np.sqrt(np.abs(values[order]))
    return corners[np.arange(n) * 2 // n], np.sign(values[order])


def hidden_pairs(mask, n, rng):
    """Return the symmetric matrix of unobserved pairs."""
    if mask == "random":
        upper = np.triu(rng.random((n, n)) < SHARE, 1)
    else:
        first, second = np.array_split(rng.permutation(n)[: int(0.6 * n)], 2)
        upper = np.zeros((n, n), dtype=bool)
        upper[np.ix_(first, second)] = True
    return upper | upper.T


def errors(positions, signature, truth, probabilities):
    """Return the mean squared errors of the probabilities and of the positions."""
    fitted = (positions * signature) @ positions.T
    turn = lp.procrustes(positions, truth, signature=signature)
    return ((fitted - probabilities) ** 2).mean(), ((positions @ turn - truth) ** 2).sum(axis=1).mean()


def spectral(operator, d):
    """Return positions by d eigenpairs in decreasing order, and their signs."""
    pairs = eigenpairs(operator, d)
    order = np.argsort(-pairs.values)
    return (pairs.vectors * np.sqrt(np.abs(pairs.values)))[:, order], np.sign(pairs.values[order])


def unpenalised(matrix, hidden, d):
    """Return the operator of the fit without a penalty, after 200 steps if it has not converged by then."""
    partial = Partial(matrix, sparse.csr_array(hidden, dtype=float), True, False)
    try:
        return complete(partial, d, noise=0.0, most=200)[0], 0
    except ConvergenceError as error:
        low = error.result
        return partial.filled([(1.0, low, low.at(partial.listed))]), 1


def draw(model, degree, mask, n, seed, *, without_penalty=True):
    """Return the errors of the fit, and of that without a penalty, as multiples of those of rescaled zeros."""
    rng = np.random.default_rng(seed)
    latent, signs = positions(model, n, rng)
    P = (latent * signs) @ latent.T
    P *= degree / P.sum(axis=1).mean()
    if P.max() >= 1:
        return None
    d = len(signs)
    truth, signature = spectral(P, d)
    upper = np.triu(rng.random((n, n)) < P, 1)
    hidden = hidden_pairs(mask, n, rng)
    A = sparse.csr_array((upper | upper.T) & ~hidden, dtype=float)
    kept = A / (1 - hidden.mean())
    ase = lp.AdjacencySpectralEmbedding(d, unobserved=hidden).fit(A)
    order = np.argsort(-ase.eigenvalues_)
    found = [spectral(kept, d), (ase.embedding_[:, order], ase.signature_[order])]
    stopped = 0
    if without_penalty:
        operator, stopped = unpenalised(A, hidden, d)
        found.append(spectral(operator, d))
    if any((signs != signature).any() for _, signs in found):
        return None  # noise exceeds an eigenvalue
    zeros, *others = [np.array(errors(X, signature, truth, P)) for X, _ in found]
    share = 1 - SHARE
    theory = (P * (1 - P)).sum() / (P * (1 - share * P)).sum()
    return np.concatenate([*(other / zeros for other in others), [theory, stopped]])


def main(n=1000, repeats=5, degrees=DEGREES):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
    rows, lost = [], 0
    titles = {"random": "30 % of the pairs hidden at random", "block": "a block of pairs hidden"}
    for mask, axes in zip(titles, panels, strict=True):
        for model in ("two blocks", "disassortative", "three simplex corners", "hubs"):
            curve = []
            for degree in degrees:
                drawn = [draw(model, degree, mask, n, 1000 * degree + seed) for seed in range(repeats)]
                ratios = np.array([ratio for ratio in drawn if ratio is not None])
                if len(ratios) < 2:
                    curve.append(np.full(6, np.nan))
                    continue
                lost += repeats - len(ratios)
                mean, error = ratios.mean(axis=0), ratios.std(axis=0, ddof=1) / np.sqrt(len(ratios))
                curve.append(mean)
                rows.append(
                    {
                        "hidden": mask,
                        "model": model,
                        "mean degree": degree,
                        "probabilities": float(mean[0]),
                        "s.e.": float(error[0]),
                        "positions": float(mean[1]),
                        "s.e. of these": float(error[1]),
                        "without penalty": float(mean[2]),
                        "not converged": int(ratios[:, 5].sum()),
                        "theory": float(mean[4]) if mask == "random" else "",
                    }
                )
                print(rows[-1], flush=True)
            curve = np.array(curve)
            (line,) = axes.semilogx(degrees, curve[:, 0], "o-", label=model)
            axes.semilogx(degrees, curve[:, 1], "x--", color=line.get_color())
            if mask == "random":
                axes.semilogx(degrees, curve[:, 4], ":", color=line.get_color())
        axes.axhline(1, color="0.5", lw=0.8)
        axes.set(title=titles[mask], xlabel="mean degree", ylabel="error / error of rescaled zeros")
    panels[0].legend(frameon=False)
    notes = (
        f"Mean squared errors as multiples of those of rescaled zeros; n = {n}, {repeats} networks each (seeds "
        f"1000 x mean degree + 0 ... {repeats - 1}), with the standard error of the mean. {lost} networks were "
        "left out, in which noise exceeded an eigenvalue, so that signs differed, and cells with fewer than two "
        "networks, or with probabilities above 1. Lines: probabilities; dashed: "
        "positions; dotted: the theory for pairs hidden at random, sum p (1 - p) / sum p (1 - q p) with the "
        "observed share q, for large n. Without the penalty, the fit stops after 200 steps if it has not "
        "converged by then; its column is the error of the probabilities."
    )
    report("unobserved_pairs", "Unobserved pairs", rows, notes, figure)
    return rows


if __name__ == "__main__":
    main()
