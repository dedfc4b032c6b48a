"""Semidefinite embedding of Swiss rolls, compared with general solvers that use all constraints.

With landmarks: the same program with all constraints, by CVXOPT and Clarabel.
For all points, with approximate distances: the same program by Newton's method on its dual, with all multipliers
as variables.
"""

import time

import clarabel
import cvxopt
import numpy as np
from _report import report
from scipy import sparse
from swiss_roll_sde import canonical, fit, swiss_roll

from lpgraph.manifold.unfolding import landmark_map, orthonormal_range, rigid_pairs
from lpgraph.points.neighborhood import Neighborhood


def constraints(X, model):
    """Return the rows c of all constraints ``c' Z c <= 1`` of a model with landmarks."""
    hood = Neighborhood.of(X, n_neighbors=model.n_neighbors)
    pairs = rigid_pairs(hood)
    basis = orthonormal_range(landmark_map(hood, model.landmarks_, 12, model.regularizer))
    return (basis[pairs.first] - basis[pairs.second]) / pairs.distance[:, None]


def by_cvxopt(C):
    """Return the largest trace by CVXOPT, with its gap and status, in the entries of Z's lower triangle."""
    p, r = C.shape
    i, j = np.tril_indices(r)
    scale = 1 / np.mean((C**2).sum(axis=1))  # scales Z to the order of 1, as CVXOPT's tolerances require
    linear = C[:, i] * C[:, j] * np.where(i == j, 1.0, 2.0) * scale
    cone = np.zeros((r * r, len(i)))
    cone[i + j * r, np.arange(len(i))] = -1
    cone[j + i * r, np.arange(len(i))] = -1
    found = cvxopt.solvers.sdp(
        cvxopt.matrix(-(i == j).astype(float)),
        Gl=cvxopt.matrix(linear),
        hl=cvxopt.matrix(1.0, (p, 1)),
        Gs=[cvxopt.matrix(cone)],
        hs=[cvxopt.matrix(0.0, (r, r))],
        options={"show_progress": False, "maxiters": 200},
    )
    primal, dual = found["primal objective"], found["dual objective"]
    return -primal * scale, abs(primal - dual) / abs(primal), found["status"]


def by_clarabel(C):
    """Return the same by Clarabel, in the entries of Z's upper triangle, column by column."""
    p, r = C.shape
    j, i = np.tril_indices(r)
    off = np.where(i == j, 1.0, np.sqrt(2.0))
    scale = 1 / np.mean((C**2).sum(axis=1))
    rows = sparse.vstack([sparse.csc_array(C[:, i] * C[:, j] * off * scale), -sparse.eye_array(len(i))])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    found = clarabel.DefaultSolver(
        sparse.csc_matrix((len(i), len(i))),
        -(i == j).astype(float),
        sparse.csc_matrix(rows),
        np.concatenate([np.ones(p), np.zeros(len(i))]),
        [clarabel.NonnegativeConeT(p), clarabel.PSDTriangleConeT(r)],
        settings,
    ).solve()
    return -found.obj_val * scale, abs(found.obj_val - found.obj_val_dual) / abs(found.obj_val), str(found.status)


def landmarks_row(n, m):
    """Return how a certified trace compares with the other solvers'."""
    X = swiss_roll(n)[0]
    model, seconds = fit(X, landmarks=m)
    C, trace = constraints(X, model), model.spectrum_.sum()
    row = {
        "n": n,
        "m": m,
        "constraints": len(C),
        "trace": f"{trace:.6g}",
        "certified gap": f"{model.bound_.gap:.1e}",
    }
    row["seconds"] = seconds
    for name, solver in (("CVXOPT", by_cvxopt), ("Clarabel", by_clarabel)):
        start = time.perf_counter()
        optimum, gap, status = solver(C)
        row[f"{name}: trace relative to ours"] = f"{optimum / trace - 1:+.1e}"
        row[f"{name}: gap"] = f"{gap:.1e} ({status})"
        row[f"{name}, seconds"] = time.perf_counter() - start
    return row


def newton(C, squares, rho, u, gap):
    """Return multipliers and kernel of ``max tr Z - rho/2 sum (c' Z c - d^2)^2 / d^2``, by the dual's barrier."""
    r = C.shape[1]
    for mu in gap * np.geomspace(1e5, 1, 11):
        for _ in range(40):
            slack = (C.T * u) @ C - np.eye(r)
            half = np.linalg.solve(np.linalg.cholesky(slack), C.T)
            leverage = half.T @ half
            slope = squares + u * squares / rho - mu * np.diag(leverage)
            step = np.linalg.solve(mu * leverage**2 + np.diag(squares / rho), slope)
            decrement = np.sqrt(slope @ step / mu)
            u = u - step / (1 + decrement if decrement > 0.25 else 1)
            if decrement < 1e-3:
                break
    return u, mu * np.linalg.inv((C.T * u) @ C - np.eye(r))


def soft_note(n=200, wanted=1e-3):
    """Return a comparison of the exact optimum for all points, with approximate distances, with the model."""
    X, flat = swiss_roll(n)
    model, _ = fit(X)
    pairs = rigid_pairs(Neighborhood.of(X, n_neighbors=4))
    basis = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0][:, 1:]
    C, unit = basis[pairs.first] - basis[pairs.second], np.median(pairs.distance)
    squares = (pairs.distance / unit) ** 2
    u = np.full(len(C), 2 / np.linalg.eigvalsh(C.T @ C)[0])
    size = model.spectrum_.sum() / unit**2 / n
    rho, rms = 1e2, np.inf
    while True:
        u, Z = newton(C, squares, rho, u, 1e-5 * size)
        rms = np.sqrt(np.mean((np.einsum("ij,ij->i", C @ Z, C) / squares - 1) ** 2))
        if rms <= wanted:
            break
        rho *= np.clip((rms / wanted) ** 1.5, 1.2, 10)
    values, vectors = np.linalg.eigh(Z)
    exact = canonical(basis @ vectors[:, -2:] * np.sqrt(values[-2:]), flat)
    ours = canonical(model.embedding_, flat)
    return (
        f"All {n} points, soft constraints, k = 4: the optimum by Newton's method on the dual, with {len(C)} "
        f"multipliers, has trace {np.trace(Z) * unit**2:.6g} at a root mean square change of {rms:.2e}, "
        f"and correlations of {exact[0]:.5f} with length and {exact[1]:.5f} with height; the model has trace "
        f"{model.spectrum_.sum():.6g} at {model.constraints_.rms:.2e}, and {ours[0]:.5f} and {ours[1]:.5f}."
    )


def main(cases=((200, 10), (500, 10), (500, 20), (1000, 10), (1000, 20), (2000, 10), (2000, 20), (2000, 30))):
    rows = [landmarks_row(*case) for case in cases]
    notes = (
        "All solvers use all constraints and the same landmarks. Swiss rolls, k = 4, r = 12. The gap of another "
        "solver is the relative difference of its primal and dual objectives; its status is in brackets.\n\n"
        + soft_note()
    )
    report("sde_check", "Semidefinite embedding and general solvers", rows, notes)
    return rows


if __name__ == "__main__":
    main()
