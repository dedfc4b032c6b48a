"""Graphs that do not fit in memory are refused before sampling."""

import numpy as np
import pytest

import lpgraph as lp
import lpgraph.models.collect as room
from lpgraph.errors import ArgumentError


@pytest.mark.parametrize(
    "draw",
    [
        lambda p: lp.erdos_renyi(3000, p, random_state=0),  # evaluated cell by cell above 1/2, thrown below
        lambda p: lp.stochastic_block_model([1500, 1500], np.full((2, 2), p), random_state=0),
        lambda p: lp.random_dot_product_graph(np.full((3000, 1), np.sqrt(p)), random_state=0),
        lambda p: lp.LatentPositionModel(
            lp.kernels.Gaussian(100.0), np.random.default_rng(0).random((3000, 2)), sparsity=p
        ).sample(3000, random_state=0),
    ],
)
def test_more_edges_than_memory_holds_are_refused(monkeypatch, draw):
    monkeypatch.setattr(room, "installed_memory", lambda otherwise: 1e7)  # 3 10^5 edges
    for p in (0.9, 0.2):  # 4.0 10^6 and 9 10^5 edges
        with pytest.raises(ArgumentError, match="fewer vertices"):
            draw(p)
    assert 10_000 < draw(0.005).adjacency.nnz / 2 < 30_000


def test_a_machine_that_does_not_say_is_given_the_benefit_of_the_doubt(monkeypatch):
    def silent(name):
        raise ValueError(name)

    monkeypatch.setattr("os.sysconf", silent, raising=False)
    room.refuse_too_many(1e9)
    with pytest.raises(ArgumentError, match="GB"):
        room.refuse_too_many(1e12)
