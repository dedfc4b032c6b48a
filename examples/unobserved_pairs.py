"""Unobserved pairs: the fit to the observed ones against zeros that are rescaled by the observed share.

30 % of the pairs are hidden at random, or all pairs between two groups of 30 % of the vertices, which are chosen
at random. The errors of the probabilities of all pairs, and of the positions, are divided by those of the
adjacency spectral embedding in which unobserved pairs are zeros, all entries divided by the observed share. Two
columns tell what can be reached: the embedding of the same network with all pairs observed, and the Cramer-Rao
bound of unbiased estimators of a matrix of low rank.

``python examples/unobserved_pairs.py`` takes 10 minutes on one core.
"""

import numpy as np
from _report import report
from scipy import linalg, sparse

import lpgraph as lp
from lpgraph.errors import ConvergenceError
from lpgraph.spectral import completion
from lpgraph.spectral.completion import Partial
from lpgraph.spectral.eigen import eigenpairs

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
    """Return the operator of the fit without a penalty, after 2000 steps if it has not converged by then."""
    partial = Partial(matrix, sparse.csr_array(hidden, dtype=float), True, False)
    try:
        return completion.complete(partial, d, noise=0.0)[0], 0
    except ConvergenceError as error:
        low = error.result
        return partial.filled([(1.0, low, low.at(partial.listed))]), 1


def bound(positions, signature, probabilities, hidden):
    """Return the Cramer-Rao bound of the mean squared error of unbiased estimates of the probabilities.

    The parameters are the n d coordinates X of ``P = X S X'``, and an observed pair has the information
    ``g g' / (p (1 - p))`` for the gradient g of p. With the information matrix I and the Jacobian J of all entries
    of P, the bound is ``trace(J pinv(I) J')``. Both vanish in the directions X K for the matrices K with
    ``K S + S K' = 0``, which do not change P. In these directions a term is added to I that makes it definite.
    """
    n, d = positions.shape
    weights = np.where(hidden, 0.0, 1 / (probabilities * (1 - probabilities)))
    np.fill_diagonal(weights, 0.0)
    gradient, eye = positions * signature, np.eye(n)
    squares = (gradient[:, :, None] * gradient[:, None, :]).reshape(n, d * d)

    def quadratic(weights):
        cross = np.einsum("ij,ja,ib->iajb", weights, gradient, gradient)
        own = np.einsum("ij,iab->iajb", eye, (weights @ squares).reshape(n, d, d))
        return (cross + own).reshape(n * d, n * d)

    information, jacobian = quadratic(weights), 2 * quadratic(np.ones((n, n)))
    rows, columns = np.triu_indices(d, 1)
    for a, b in zip(rows, columns, strict=True):
        same = np.zeros((n, d))
        same[:, b], same[:, a] = positions[:, a] * signature[a], -positions[:, b] * signature[b]
        same = same.ravel() * np.sqrt(np.trace(information) / n / (same**2).sum())
        information += np.outer(same, same)
    return np.trace(linalg.solve(information, jacobian, assume_a="pos", overwrite_b=True)) / n**2


def draw(model, degree, mask, n, seed, *, without_penalty=True, with_bound=True):
    """Return the errors of the fit, and of others to compare with, as multiples of those of rescaled zeros."""
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
    complete = upper | upper.T
    A = sparse.csr_array(complete & ~hidden, dtype=float)
    kept = A / (1 - hidden.mean())
    ase = lp.CompletedEmbedding(lp.AdjacencySpectralEmbedding(d), unobserved=hidden).fit(A)
    order = np.argsort(-ase.eigenvalues_)
    found = [spectral(kept, d), (ase.embedding_[:, order], ase.signature_[order])]
    found.append(spectral(sparse.csr_array(complete, dtype=float), d))
    stopped = 0
    if without_penalty:
        operator, stopped = unpenalised(A, hidden, d)
        found.append(spectral(operator, d))
    if any((signs != signature).any() for _, signs in found):
        return None  # noise exceeds an eigenvalue
    zeros, *others = [np.array(errors(X, signature, truth, P)) for X, _ in found]
    share = 1 - SHARE
    theory = (P * (1 - P)).sum() / (P * (1 - share * P)).sum()
    least = bound(truth, signature, P, hidden) / zeros[0] if with_bound else np.nan
    return np.concatenate([*(other / zeros for other in others), [theory, stopped, least]])


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
                seeds = range(1000 * degree, 1000 * degree + repeats)
                drawn = [draw(model, degree, mask, n, seed, with_bound=seed == seeds[0]) for seed in seeds]
                ratios = np.array([ratio for ratio in drawn if ratio is not None])
                if len(ratios) < 2:
                    curve.append(np.full(9, np.nan))
                    continue
                lost += repeats - len(ratios)
                mean, error = np.nanmean(ratios, axis=0), ratios.std(axis=0, ddof=1) / np.sqrt(len(ratios))
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
                        "all observed": float(mean[2]),
                        "bound": float(mean[8]),
                        "without penalty": float(mean[4]),
                        "not converged": int(ratios[:, 7].sum()),
                        "theory": float(mean[6]) if mask == "random" else "",
                    }
                )
                print(rows[-1], flush=True)
            curve = np.array(curve)
            (line,) = axes.semilogx(degrees, curve[:, 0], "o-", label=model)
            axes.semilogx(degrees, curve[:, 1], "x--", color=line.get_color())
            if mask == "random":
                axes.semilogx(degrees, curve[:, 6], ":", color=line.get_color())
            else:
                axes.semilogx(degrees, curve[:, 8], ":", color=line.get_color())
        axes.axhline(1, color="0.5", lw=0.8)
        axes.set(title=titles[mask], xlabel="mean degree", ylabel="error / error of rescaled zeros")
    panels[0].legend(frameon=False)
    notes = (
        f"Mean squared errors as multiples of those of rescaled zeros; n = {n}, {repeats} networks each (seeds "
        f"1000 x mean degree + 0 ... {repeats - 1}), with the standard error of the mean. {lost} networks were "
        "left out, in which noise exceeded an eigenvalue, so that signs differed, and cells with fewer than two "
        "networks, or with probabilities above 1. Lines: probabilities; dashed: "
        "positions; dotted on the left: the theory for pairs hidden at random, sum p (1 - p) / sum p (1 - q p) "
        "with the observed share q, for large n; on the right: the bound. All observed: the error of the "
        "probabilities by the embedding of the same network with all its pairs. Bound: the Cramer-Rao bound "
        "of the error of probabilities, for unbiased estimators that know the rank and the variances, in the "
        "first network. In sparse networks, biased estimates can have smaller errors. Without the penalty, "
        "the fit stops after 200 steps if it has not converged by then; its column is the error of the "
        "probabilities."
    )
    report("unobserved_pairs", "Unobserved pairs", rows, notes, figure)
    return rows


if __name__ == "__main__":
    main()
