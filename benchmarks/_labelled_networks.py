"""Networks with classes of vertices, from the data folder, networkx and random models."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import _folder_data
import numpy as np
import pandas as pd
from scipy import io, sparse

import lpgraph as lp
from lpgraph.graph.files import read_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from lpgraph.datasets import Dataset
    from lpgraph.graph.adjacency import Adjacency


@dataclass(frozen=True)
class Network:
    """A network, and the numbers of the classes of its vertices, -1 if unknown."""

    graph: Adjacency
    classes: NDArray[np.intp]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.classes.max()) + 1

    def undirected(self) -> Network:
        """Return the network without directions."""
        if not self.graph.directed:
            return self
        matrix = self.graph.matrix
        return Network(lp.as_adjacency(both_directions(matrix, matrix.T)), self.classes)


def both_directions(out: sparse.csr_array, inward: sparse.csr_array) -> sparse.csr_array:
    """Return edges without directions: weights of both directions add up, unless all arcs have weight 1."""
    total = sparse.csr_array(out + inward)
    if (out.data == 1).all() and (inward.data == 1).all():
        total.data[:] = 1.0
    return total


def data_folder() -> Path:
    """Return the folder of the data that cannot be published here."""
    return Path(os.environ["LPGRAPH_DATA"])


def of_dataset(dataset: Dataset) -> Network:
    """Return the network of a data set."""
    assert dataset.graph is not None
    return Network(dataset.graph, np.unique(dataset.labels, return_inverse=True)[1])


def citeseer() -> Network:
    """Return the Citeseer citations; 15 of the 3327 papers have no topic."""
    folder = data_folder() / "citeseer"
    graph = lp.read_graph(folder / "citeseer.edges.tsv.gz", vertices=3327)
    topics = read_labels(folder / "citeseer.labels.tsv.gz")
    return Network(graph, np.array([topics.get(paper, -1) for paper in graph.names]))


def lastfm() -> Network:
    """Return the mutual followers of a music service in Asia, and their countries."""
    folder = data_folder() / "lastfm"
    country = read_labels(folder / "labels.csv")
    graph = lp.read_graph(folder / "edges.csv", vertices=list(country))
    return Network(graph, np.array([country[user] for user in graph.names]))


def flights36() -> Network:
    """Return the flights between airports in January 2019, and the continents of the airports."""
    folder = data_folder() / "flights36"
    matrix = sparse.csr_array(sparse.load_npz(folder / "As_0.npz"))
    served = np.flatnonzero(np.diff(matrix.indptr))
    continents = np.array((folder / "continents.txt").read_text().split())[served]
    graph = lp.as_adjacency(matrix[served][:, served])
    return Network(graph, np.unique(continents, return_inverse=True)[1])


def pages() -> Network:
    """Return the mutual likes of pages of a social network, and their kinds."""
    kinds = pd.read_csv(data_folder() / "pages" / "labels.csv.gz")["target"]
    edges = pd.read_csv(data_folder() / "pages" / "edges.csv.gz")
    return listed(edges, range(len(kinds)), kinds.to_numpy())


def amherst(column: int) -> Network:
    """Return friendships in a college, and a column of the table of its members, where 0 is unknown."""
    content = io.loadmat(data_folder() / "amherst41" / "Amherst41.mat")
    found = content["local_info"][:, column]
    classes = np.unique(found[found > 0], return_inverse=True)[1]
    codes = np.full(len(found), -1)
    codes[found > 0] = classes
    return Network(lp.as_adjacency(content["A"]), codes)


def larval(side: str) -> Network:
    """Return the synapses in a half of the brain of a larva, and the types of its neurons; 14 % have none."""
    folder = data_folder() / "larval"
    neurons = pd.read_csv(folder / f"{side}_nodes.csv.gz", index_col=0)["celltype_discrete"]
    edges = pd.read_csv(folder / f"{side}_edgelist.csv.gz", header=None, names=["source", "target", "weight"])
    codes = pd.factorize(neurons.where(neurons != "Other"))[0]
    return listed(edges, neurons.index, codes, directed=True)


def pubmed() -> Network:
    """Return the citations between papers on diabetes, and their topics."""
    papers = pd.read_csv(data_folder() / "pubmed-time" / "nodes.csv.gz")
    edges = pd.read_csv(data_folder() / "pubmed-time" / "edges.csv.gz")
    return listed(edges, papers["id"], papers["label"].to_numpy() - 1)


def listed(
    edges: pd.DataFrame, names: Iterable[int], classes: NDArray[np.intp], directed: bool = False
) -> Network:
    """Return the network of an edge list; repeated edges of an undirected one count once."""
    ends = pd.Index(names)
    source, target = (ends.get_indexer(edges.iloc[:, end]) for end in range(2))
    weight = edges["weight"].to_numpy(float) if directed else np.ones(len(edges))
    matrix = sparse.coo_array((weight, (source, target)), shape=(len(ends), len(ends))).tocsr()
    if not directed:
        matrix = sparse.csr_array(matrix + matrix.T)
        matrix.data[:] = 1.0
    return Network(lp.as_adjacency(matrix, directed=directed), np.asarray(classes))


def polblogs_largest() -> Network:
    """Return the largest component of the political blogs without directions."""
    blogs = of_dataset(lp.datasets.polblogs()).undirected()
    largest = lp.largest_component(blogs.graph)
    return Network(largest, blogs.classes[np.asarray(largest.names)])


def blocks(sizes: list[int], within: float, between: float, seed: int) -> Network:
    """Return a block model with one probability within blocks and one between them."""
    p = between + (within - between) * np.eye(len(sizes))
    drawn = lp.stochastic_block_model(sizes, p, random_state=seed)
    return Network(lp.as_adjacency(drawn), np.asarray(drawn.labels))


def heavy_tailed_blocks(n: int, seed: int) -> Network:
    """Return five blocks of mean degree 10 with Pareto degrees, eight times denser within blocks than between."""
    # The limit keeps probabilities below 1.
    weights = np.minimum(1 + np.random.default_rng(seed).pareto(2.5, n), 0.25 * np.sqrt(n))
    sums = weights.reshape(5, -1).sum(axis=1)
    rates = 1.0 + 7.0 * np.eye(5)
    rates *= 10 * n / (sums @ rates @ sums)
    drawn = lp.degree_corrected_block_model([n // 5] * 5, rates, weights, random_state=seed)
    return Network(lp.as_adjacency(drawn), np.asarray(drawn.labels))


#: The networks of classification and clustering; of the last three, none was used when the defaults were chosen.
REAL: dict[str, Callable[[], Network]] = {
    "email-Eu-core": lambda: of_dataset(_folder_data.email_eu()),
    "Cora": lambda: of_dataset(_folder_data.cora()),
    "citeseer": citeseer,
    "lastfm": lastfm,
    "polblogs": lambda: of_dataset(lp.datasets.polblogs()),
    "Drosophila, left": lambda: of_dataset(lp.datasets.drosophila("left")),
    "football": lambda: of_dataset(_folder_data.football()),
    "Drosophila, right": lambda: of_dataset(lp.datasets.drosophila("right")),
    "C. elegans": lambda: of_dataset(_folder_data.celegans()),
    "karate": lambda: of_dataset(lp.datasets.karate()),
}

#: Networks that were used for no choice of defaults.
UNUSED: dict[str, Callable[[], Network]] = {
    **{name: REAL[name] for name in ("Drosophila, right", "C. elegans", "karate")},
    "flights, by region": lambda: of_dataset(lp.datasets.flights()),
    "Amherst, by status": lambda: amherst(0),
    "Amherst, by gender": lambda: amherst(1),
    "Amherst, by dormitory": lambda: amherst(4),
    "Amherst, by year": lambda: amherst(5),
    "larval brain, left": lambda: larval("left"),
    "larval brain, right": lambda: larval("right"),
    "PubMed": pubmed,
    "pages": pages,
}
