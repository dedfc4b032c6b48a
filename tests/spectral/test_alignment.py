"""Rotations between embeddings."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from scipy.stats import ortho_group

import lpgraph as lp
from lpgraph.errors import ArgumentError


def test_a_rotation_is_recovered_and_nothing_beats_it():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((50, 4))
    turn = ortho_group.rvs(4, random_state=1)
    assert np.allclose(lp.procrustes(a, a @ turn), turn)
    b = a @ turn + 0.3 * rng.standard_normal((50, 4))
    w = lp.procrustes(a, b)
    assert np.allclose(w @ w.T, np.eye(4))
    assert np.allclose(w, orthogonal_procrustes(a, b)[0])
    for seed in range(20):
        other = ortho_group.rvs(4, random_state=seed)
        assert np.linalg.norm(a @ w - b) <= np.linalg.norm(a @ other - b)


def test_wrong_shapes_are_refused():
    with pytest.raises(ArgumentError, match=r"\(3, 2\).*\(3, 1\)"):
        lp.procrustes(np.ones((3, 2)), np.ones((3, 1)))
