from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lpgraph.models.boxes import BoxTree, split_pairs

POINTS = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 40), st.integers(1, 3)),
    elements=st.one_of(st.integers(-3, 3).map(float), st.floats(-1e300, 1e300)),
)


def leaves(tree):
    """Split until nothing can be split; return the final nodes."""
    done, nodes = [], np.zeros(1, dtype=np.intp)
    while len(nodes):
        done.append(nodes[tree.width[nodes] == 0])
        nodes = (
            np.concatenate(tree.children(nodes[tree.width[nodes] > 0])) if tree.width[nodes].any() else nodes[:0]
        )
    return np.concatenate(done)


@given(POINTS)
@settings(max_examples=150, deadline=None)
def test_leaves_partition_the_points_into_equal_ones(points):
    tree = BoxTree(points)
    final = leaves(tree)
    assert sorted(tree.order) == list(range(len(points)))
    assert (tree.points == points[tree.order]).all()
    covered = sorted(i for node in final for i in range(tree.start[node], tree.stop[node]))
    assert covered == list(range(len(points)))
    assert len(final) == len(np.unique(points, axis=0))
    for node in range(tree.n_nodes):
        inside = tree.points[tree.start[node] : tree.stop[node]]
        assert (tree.lo[node] == inside.min(axis=0)).all()
        assert (tree.hi[node] == inside.max(axis=0)).all()


@given(POINTS, POINTS, st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_pairs_cover_every_cell_once(points, others, square, seed):
    rng = np.random.default_rng(seed)
    tree_a = BoxTree(points)
    tree_b = tree_a if square else BoxTree(np.resize(others, (len(others), points.shape[1])))
    a = b = np.zeros(1, dtype=np.intp)
    final = []
    while len(a):
        split = (rng.random(len(a)) < 0.8) & ((tree_a.width[a] > 0) | (tree_b.width[b] > 0))
        final += zip(a[~split], b[~split], strict=True)
        a, b = split_pairs(tree_a, tree_b, a[split], b[split], unordered=square)
    times = np.zeros((len(tree_a.points), len(tree_b.points)))
    for node_a, node_b in final:
        rows = tree_a.order[tree_a.start[node_a] : tree_a.stop[node_a]]
        columns = tree_b.order[tree_b.start[node_b] : tree_b.stop[node_b]]
        times[np.ix_(rows, columns)] += 1
        if square and node_a != node_b:
            times[np.ix_(columns, rows)] += 1
    assert (times == 1).all()
