"""How many files of the package a call passes: what somebody has to read who follows it."""

import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp

ROOT = str(Path(lp.__file__).parent)
KARATE = nx.karate_club_graph()
CLASSIFIER = lp.VertexClassifier().fit(KARATE, dict(KARATE.nodes(data="club")))
POINTS = np.random.default_rng(0).standard_normal((200, 3))


@pytest.mark.parametrize(
    ("call", "most"),
    [
        (lambda: lp.AdjacencySpectralEmbedding(2).fit(KARATE), 22),
        (lambda: CLASSIFIER.predict({"new": [0, 1, 2]}), 16),
        (lambda: lp.manifold.Isomap(2).fit(POINTS), 27),
    ],
    ids=["fit", "predict", "Isomap"],
)
def test_a_call_passes_few_files(call, most):
    call()  # imports, and what is made once
    files = set()

    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(ROOT):
            files.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    assert len(files) <= most, sorted(files)
