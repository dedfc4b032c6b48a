"""The plot of a stream of new vertices."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentTypeError

mpl.use("Agg")


def test_statistics_relative_to_their_limits_and_the_alarm():
    graph = lp.stochastic_block_model([150, 150], [[0.4, 0.1], [0.1, 0.4]], random_state=0)
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    rows = graph.new_vertices(60, random_state=1).adjacency.toarray()
    batch = lp.plot.drift(lp.infer.drift(ase, rows))
    assert [bar.get_height() <= 0 for bar in batch.patches] == [True] * 5
    found = lp.infer.drift(ase, rows, ordered=True)
    axes = lp.plot.drift(found)
    assert [line.get_label() for line in axes.lines[:5]] == list(found.paths)
    assert max(line.get_ydata().max() for line in axes.lines[:5]) <= 0
    rows[30:] = np.random.default_rng(0).random((30, 300)) < 0.25
    found = lp.infer.drift(
        ase, {f"v{i}": np.flatnonzero(row).tolist() for i, row in enumerate(rows)}, ordered=True
    )
    axes = lp.plot.drift(found, axes=plt.figure().add_subplot())
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[-1] == f"alarm at v{found.alarm_after - 1}"
    line = axes.lines[list(found.paths).index(found.alarm_measure)]
    assert line.get_ydata()[found.alarm_after - 1] > 0
    with pytest.raises(ArgumentTypeError, match=r"pass what lpgraph\.infer\.drift returns"):
        lp.plot.drift(rows)
    plt.close("all")
