"""Maps of networks: neighbors kept in the plane, beside layouts of igraph and umap-learn; times; pictures.

``python benchmarks/maps.py`` writes ``docs/results/maps.md`` and ``maps.png``.
"""

from __future__ import annotations

import io
import random
import subprocess
import tempfile
import time
from pathlib import Path

import _folder_data
import igraph
import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
from _labelled_networks import citeseer, data_folder
from _peer import CACHE, python_with, versions
from _timing import report, table
from PIL import Image
from scipy import sparse
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree
from sklearn.manifold import trustworthiness

import lpgraph as lp
from lpgraph.infer.cluster_choice import clustering_embedding
from lpgraph.infer.vertices import embedded, unit_rows
from lpgraph.plot.layout import network_layout

#: Neighbors in the measures, and rounds of the timed layouts.
K = 15
#: Networks that umap-learn lays out.
PEER = ("football", "Cora")
NOTES = """\
The measures are of the largest component of each network, without directions, and of 15 neighbors (11 for
karate). *Paths* is the trustworthiness (Venna & Kaski 2001) of neighbors in the plane when vertices are
compared by the lengths of the shortest paths between them, with equal lengths in random order. *Directions* is
the same when vertices are compared by the directions of the 16 dimensions of the default embedding. *Same
class* is the share of the 15 nearest vertices in the plane that have the class of the vertex. *map* is
`lpgraph.plot.map`; the layouts of igraph have its defaults; *umap-learn* ({peer}) lays out the directions of
two networks, and its time contains the start of Python and the compilation.

- From 300 vertices on, the map keeps the directions of the embedding better than the layouts of igraph do,
  except in the lattice. In Cora, umap-learn, which starts from
  the same directions, keeps as many.
- Paths are kept best by the map in polblogs, email, flights and Citeseer, and by igraph's UMAP of the network
  itself in karate, football, Cora, the larval brain and the negative blocks; in the lattice both keep the same.
  From a thousand vertices on, igraph's UMAP takes 6 to 70 times longer than the map.
- The share of the same class in the map is the largest, or smaller by at most 0.016, in all networks but
  karate, which has fewer than 50 vertices, so that its map is by the lengths of paths.
- *Negative* has four blocks with more edges between them than within. Neighbors of a vertex are in other
  blocks: layouts that draw edges short mix the blocks. The map keeps few paths there, and separates the blocks.
- The directions of the lattice, which is bipartite, contain dimensions with negative eigenvalues; the map
  leaves these out.

## Times

{times}

Seconds of `lpgraph.plot.map`, with the embedding, and of saving it as a png file; one run each. Blocks: a block
model of 20 blocks and mean degree 15. DBLP has 326 186 authors, 226 413 of them in the largest component; 100
000 of these are laid out, and the others are placed between them. igraph's UMAP of the graph of the 15 nearest
of 10 000 directions takes {umap:.0f} s with 200 epochs, without the embedding.

## Pictures

![Twelve maps](maps.png)

From the left: karate, football, polblogs; email, Cora, flights; Citeseer, larval brain, lattice; negative, 500
triangles, coauthors in network science (netscience, Newman 2006; the function in `benchmarks/_folder_data.py` says
where its file is).
"""


def brain():
    """Return the left half of the brain of a larva, and the types of its neurons."""
    folder = data_folder() / "larval"
    neurons = pd.read_csv(folder / "left_nodes.csv.gz", index_col=0)
    edges = pd.read_csv(folder / "left_edgelist.csv.gz", header=None, names=["source", "target", "weight"])
    kinds = neurons["celltype_discrete"].str.replace(r"\$\^\{\\mathrm\{(.*)\}\}\$", r" \1", regex=True)
    return lp.as_adjacency(edges, source="source", target="target", weight="weight", directed=True), kinds[
        kinds != "Other"
    ].to_dict()


def numbered(network):
    """Return a graph and the numbers of its classes, None if unknown."""
    return network.graph, [None if k < 0 else str(k) for k in network.classes]


def labelled(dataset):
    """Return the graph and labels of a data set."""
    return dataset.graph, [str(label) for label in dataset.labels]


def negative():
    """Return four blocks with more edges between them than within, and the blocks."""
    graph = lp.stochastic_block_model([100] * 4, np.where(np.eye(4), 0.02, 0.15), random_state=0)
    return lp.as_adjacency(graph), [f"block {k}" for k in graph.labels]


def lattice():
    """Return a lattice of 30 x 30 vertices, and fifths of its rows."""
    grid = nx.grid_2d_graph(30, 30)
    return lp.as_adjacency(grid), [f"rows {row // 6 * 6} to {row // 6 * 6 + 5}" for row, _ in grid]


def polblogs():
    """Return the political blogs and their sides."""
    graph, sides = labelled(lp.datasets.polblogs())
    return graph, [{"0": "liberal", "1": "conservative"}.get(side, side) for side in sides]


NETWORKS = {
    "karate": lambda: labelled(lp.datasets.karate()),
    "football": lambda: labelled(_folder_data.football()),
    "polblogs": polblogs,
    "email": lambda: labelled(_folder_data.email_eu()),
    "Cora": lambda: labelled(_folder_data.cora()),
    "flights": lambda: labelled(lp.datasets.flights()),
    "Citeseer": lambda: numbered(citeseer()),
    "larval brain": brain,
    "lattice": lattice,
    "negative": negative,
    "500 triangles": lambda: (lp.as_adjacency(nx.disjoint_union_all([nx.complete_graph(3)] * 500)), None),
    "netscience": lambda: (_folder_data.netscience().graph, [None] * 1589),
}


def as_igraph(graph):
    """Return a graph of igraph."""
    upper = sparse.triu(graph.matrix, 1).tocoo()
    return igraph.Graph(n=graph.n_vertices, edges=np.column_stack([upper.row, upper.col]))


def by_umap_learn(python, rows):
    """Return the layout of rows by umap-learn, in its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder) / "points.npz", Path(folder) / "result.npz"
        np.savez(given, train=rows, new=rows[:1])
        worker = str(Path(__file__).parent / "_umap_worker.py")
        subprocess.run([python, worker, str(given), str(result), str(K)], check=True, capture_output=True)
        return np.load(result)["train"].astype(float)


def measured(name, graph, labels, python):
    """Return the rows of the table of a network."""
    kinds = dict(zip(graph.names, labels, strict=True)) if isinstance(labels, list) else labels
    whole = lp.as_adjacency(graph, directed=False)
    part = lp.largest_component(whole)
    classes = np.array([str(kinds.get(vertex)) for vertex in part.names])
    known = classes != "None"
    lengths = shortest_path(abs(part.matrix), unweighted=True)
    lengths += np.random.default_rng(0).uniform(0, 0.5, lengths.shape) * (lengths > 0)
    rows = unit_rows(embedded(*clustering_embedding(part), quiet=True)[0])
    k, drawn = min(K, len(rows) // 3), as_igraph(part)
    layouts = {
        "map": lambda: network_layout(part).xy,
        "Fruchterman-Reingold": lambda: np.array(drawn.layout_fruchterman_reingold().coords),
        "DrL": lambda: np.array(drawn.layout_drl().coords),
        "UMAP of the graph": lambda: np.array(drawn.layout_umap().coords),
        **({"umap-learn": lambda: by_umap_learn(python, rows)} if name in PEER else {}),
    }
    for layout, make in layouts.items():
        igraph.set_random_number_generator(random.Random(0))
        began = time.perf_counter()
        xy = make()
        seconds = time.perf_counter() - began
        near = cKDTree(xy).query(xy, k + 1)[1][:, 1:]
        yield {
            "network": name,
            "layout": layout,
            "paths": f"{trustworthiness(lengths, xy, n_neighbors=k, metric='precomputed'):.3f}",
            "directions": f"{trustworthiness(rows, xy, n_neighbors=k):.3f}",
            "same class": f"{(classes[near] == classes[:, None])[known].mean():.3f}" if known.any() else "",
            "seconds": f"{seconds:.2f}",
        }


def timed(name, graph, labels, picture):
    """Return the row of times of a network."""
    began = time.perf_counter()
    axes = lp.plot.map(graph, labels)
    drawn = time.perf_counter()
    axes.figure.savefig(picture, dpi=150)
    saved = time.perf_counter() - drawn
    mpl.pyplot.close(axes.figure)
    row = {"network": name, "vertices": f"{graph.n_vertices:,}", "edges": f"{graph.n_edges:,}"}
    return row | {"map": f"{drawn - began:.1f}", "saved": f"{saved:.1f}"}


def times():
    """Return the table of times, and the seconds of igraph's layout of as many vertices as the smallest has."""
    rows, picture = [], Path(tempfile.mkdtemp()) / "map.png"
    timed("warm-up", lp.as_adjacency(nx.path_graph(99)), None, picture)
    for n in (10_000, 100_000):
        p = (200 * np.eye(20) + 5) / n
        graph = lp.stochastic_block_model([n // 20] * 20, p, random_state=0)
        rows.append(timed("blocks", lp.as_adjacency(graph), graph.labels, picture))
        if n == 10_000:
            directions = unit_rows(embedded(*clustering_embedding(lp.as_adjacency(graph)), quiet=True)[0])
            distance, near = cKDTree(directions).query(directions, K + 1)
            ends = np.column_stack([np.repeat(np.arange(n), K), near[:, 1:].ravel()])
            began = time.perf_counter()
            igraph.Graph(n=n, edges=ends, directed=True).layout_umap(
                dist=distance[:, 1:].ravel().tolist(), epochs=200
            )
            umap = time.perf_counter() - began
    rows.append(timed("DBLP", _folder_data.dblp().graph, None, picture))
    return "\n".join(table(rows)), umap


def save_small(figure):
    """Save the pictures with a palette, which makes the file four times smaller."""
    target, whole = Path(__file__).resolve().parent.parent / "docs" / "results" / "maps.png", io.BytesIO()
    figure.savefig(whole, dpi=70)
    chosen = {"method": Image.Quantize.MAXCOVERAGE, "kmeans": 2, "dither": Image.Dither.NONE}
    Image.open(whole).convert("RGB").quantize(256, **chosen).save(target, optimize=True)


def main():
    """Measure, draw and write the page."""
    mpl.use("Agg")
    python, rows = python_with("umap-learn", CACHE), []
    figure, panels = mpl.pyplot.subplots(4, 3, figsize=(18, 18), layout="constrained")
    for axes, (name, read) in zip(panels.ravel(), NETWORKS.items(), strict=True):
        graph, labels = read()
        lp.plot.map(graph, labels, ax=axes)
        if labels is not None:
            for row in measured(name, graph, labels, python):
                print(row, flush=True)
                rows.append(row)
    found, umap = times()
    notes = NOTES.format(peer=versions(python, "umap-learn"), times=found, umap=umap)
    report(Path(__file__).stem, "Maps of networks", rows, notes, folder="benchmarks", peers=("igraph",))
    save_small(figure)


if __name__ == "__main__":
    main()
