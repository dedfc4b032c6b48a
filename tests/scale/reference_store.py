"""An edge store written by scipy and numpy alone: what `build_store` is compared with, file by file."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from lpgraph.graph.adjacency import Adjacency
from lpgraph.scale.grid import ROWS, grid_of
from lpgraph.scale.layout import NAMES, FileFacts, Manifest, part_file
from lpgraph.scale.store import EdgeStore, checksum


def write_reference(graph: Adjacency, folder, counts=None, grid=None) -> EdgeStore:
    """Write a graph whose names increase; `counts` are those of listed entries, by default of stored ones."""
    folder.mkdir(parents=True, exist_ok=True)
    A, n = graph.matrix, graph.n_vertices
    sides = {"out": A, "in": A.T.tocsr()} if graph.directed else {"out": A}
    if counts is None:
        lengths = sum(np.diff(side.indptr).astype(np.int64) for side in sides.values())
        counts = np.add.reduceat(lengths, np.arange(0, n, ROWS))
    grid = grid_of(n, counts, len(sides)) if grid is None else grid
    files = {}

    def save(name, array):
        np.save(folder / name, array)
        files[name] = FileFacts((folder / name).stat().st_size, checksum(folder / name))

    for direction, side in sides.items():
        for p, (low, high) in enumerate(pairwise(grid.cuts)):
            tiles = [side[low:high, first:last] for first, last in pairwise(grid.panels)]
            for tile in tiles:
                tile.sort_indices()
            starts = np.cumsum([0] + [tile.nnz for tile in tiles[:-1]])
            indptr = np.stack([tile.indptr + start for tile, start in zip(tiles, starts, strict=True)])
            indices = np.concatenate([t.indices + f for t, f in zip(tiles, grid.panels[:-1], strict=True)])
            save(part_file(direction, p, "indptr"), indptr.astype(np.uint32))
            save(part_file(direction, p, "indices"), indices.astype(np.uint32))
            if graph.weighted:
                save(part_file(direction, p, "weights"), np.concatenate([tile.data for tile in tiles]))
    save("degrees.npy", np.asarray(A.sum(axis=1), dtype=float))
    if graph.directed:
        save("in_degrees.npy", np.asarray(A.sum(axis=0), dtype=float))
    if A.diagonal().any():
        save("diagonal.npy", A.diagonal())
    found = connected_components(sparse.csr_array((np.ones(A.nnz), A.indices, A.indptr), A.shape), directed=True)[
        1
    ]
    least = np.full(found.max() + 1, n)
    np.minimum.at(least, found, np.arange(n))
    order = np.lexsort((least, -np.bincount(found)))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    save("components.npy", place[found].astype(np.int32))
    names = "integers"
    if not isinstance(graph.names, range):
        names = NAMES
        pq.write_table(pa.table({"name": list(graph.names)}), folder / NAMES, row_group_size=1 << 16)
        files[NAMES] = FileFacts((folder / NAMES).stat().st_size, checksum(folder / NAMES))
    Manifest(
        n_vertices=n,
        n_edges=graph.n_edges,
        n_entries=int(A.nnz),
        directed=graph.directed,
        weighted=graph.weighted,
        lowest_weight=graph.lowest_weight,
        highest_weight=graph.highest_weight,
        cuts=grid.cuts,
        panels=grid.panels,
        names=names,
        files=dict(sorted(files.items())),
        source={},
    ).write(folder)
    return EdgeStore(folder)
