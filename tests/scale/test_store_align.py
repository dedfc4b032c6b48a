"""Fits of edge stores aligned to earlier fits."""

import numpy as np
import pandas as pd
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, StoreError
from lpgraph.scale import build_store
from lpgraph.scale.names_file import FileNames
from lpgraph.spectral.named_positions import common_rows

NAMES = {"texts": lambda rows: [f"vertex {row:05d}" for row in rows], "integers": lambda rows: 7 * rows - 50}


@pytest.fixture(scope="module", params=NAMES)
def stores(request, tmp_path_factory):
    """Two networks whose vertices are mostly the same."""
    folder = tmp_path_factory.mktemp(request.param)
    graph = lp.stochastic_block_model([500] * 3, 0.02 + 0.1 * np.eye(3), random_state=0)
    u, v = lp.as_adjacency(graph).matrix.nonzero()
    rng, found = np.random.default_rng(0), []
    for name, chosen in (("earlier", (u < v) & (u >= 10)), ("later", (u < v) & (v < 1480))):
        chosen &= rng.random(len(u)) < 0.9
        ends = {"source": NAMES[request.param](u[chosen]), "target": NAMES[request.param](v[chosen])}
        found.append(build_store(pd.DataFrame(ends), folder / name))
    return found


def refuse(self):
    raise AssertionError("all names are read one by one")


def test_a_fit_is_aligned_without_a_list_of_all_names(stores, monkeypatch):
    earlier, later = (lp.AdjacencySpectralEmbedding(3).fit(store) for store in stores)
    in_memory = [lp.AdjacencySpectralEmbedding(3).fit(store.to_adjacency()) for store in stores]
    turn = lp.procrustes(in_memory[1], in_memory[0], robust=True)
    monkeypatch.setattr(FileNames, "__iter__", refuse)
    found = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(stores[1])
    assert repr(found.alignment_) == "Alignment of 1470 common vertices, 10 new, 20 gone"
    np.testing.assert_allclose(found.embedding_, in_memory[1].embedding_ @ turn, atol=1e-5)
    np.testing.assert_allclose(lp.procrustes(later, earlier, robust=True), turn, atol=1e-5)


def test_common_rows_of_stores_and_lists(stores):
    earlier, later = (store.names for store in stores)
    expected = np.arange(10, 1480), np.arange(1470)
    for names in (later, list(later)):
        for others in (earlier, list(earlier)):
            for found, rows in zip(common_rows(names, others), expected, strict=True):
                np.testing.assert_array_equal(found, rows)


def test_an_aligned_model_is_saved_with_references_to_both_stores(stores, tmp_path, monkeypatch):
    earlier = lp.AdjacencySpectralEmbedding(3).fit(stores[0])
    model = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(stores[1])
    monkeypatch.setattr(FileNames, "__iter__", refuse)
    lp.save(model, tmp_path / "model.lpg")
    loaded = lp.load(tmp_path / "model.lpg")
    lp.save(loaded, tmp_path / "again.lpg")
    again = lp.load(tmp_path / "again.lpg")
    assert again.align_to.names[3] == stores[0].names[3]
    np.testing.assert_array_equal(again.fit(stores[1]).embedding_, model.embedding_)


def test_a_moved_store_is_passed_to_the_reference_that_it_fits(stores, tmp_path):
    first, second = (build_store(store.to_adjacency(), tmp_path / f"{k}") for k, store in enumerate(stores))
    earlier = lp.AdjacencySpectralEmbedding(3).fit(first)
    model = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(second)
    lp.save(model, tmp_path / "model.lpg")
    second.folder.rename(tmp_path / "moved")
    loaded = lp.load(tmp_path / "model.lpg", store=tmp_path / "moved")
    assert list(loaded.vertex_names_[:2]) == list(stores[1].names[:2])
    assert loaded.align_to.names[3] == stores[0].names[3]
    other = build_store(lp.erdos_renyi(50, 0.2, random_state=0), tmp_path / "other")
    with pytest.raises(StoreError, match="is not the one that the model was fitted to"):
        lp.load(tmp_path / "model.lpg", store=other)


def test_a_store_without_common_names_is_refused(stores, tmp_path):
    earlier = lp.AdjacencySpectralEmbedding(3).fit(stores[0])
    graph = lp.from_edges(["a", "b", "c", "a"], ["b", "c", "a", "d"])
    other = build_store(graph, tmp_path / "other")
    with pytest.raises(ArgumentError, match="have 0 common names"):
        lp.AdjacencySpectralEmbedding(align_to=earlier).fit(other)
