"""Data sets that are downloaded once and verified against pinned checksums."""

from __future__ import annotations

import io

import numpy as np

from lpgraph._checks import check_choice
from lpgraph.datasets.dataset import Dataset
from lpgraph.datasets.fetch import Remote
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.files import read_graph

__all__ = ["abalone", "drosophila", "polblogs"]

_ABALONE = Remote(
    folder="abalone",
    names=("abalone.data", "abalone.csv"),
    content="de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
    page="https://archive.ics.uci.edu/dataset/1/abalone",
    url="https://archive.ics.uci.edu/ml/machine-learning-databases/abalone/abalone.data",
    sha256="de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
)
_POLBLOGS = Remote(
    folder="polblogs",
    names=("polblogs.gml",),
    content="8cf068b99dfc16e9d8b02e3605b1aaddcaa26a82691ddfa7fe456aa51e2df3c3",
    page="https://websites.umich.edu/~mejn/netdata/",
    url="https://websites.umich.edu/~mejn/netdata/polblogs.zip",
    sha256="e047df21736fef9037f0450f7d3756ecb16a8e347417723181c0f7e493021ddb",
    member="polblogs.gml",
)


_DROSOPHILA_PAGE = "https://github.com/graspologic-org/graspologic"


def _drosophila(file: str, digest: str) -> Remote:
    commit = "2adddb122a41fd9a19513d9e36ecb993d8e75f1e"
    raw = f"https://raw.githubusercontent.com/graspologic-org/graspologic/{commit}/graspologic/datasets/drosophila"
    # These files have normalised whitespace, so both digests are equal.
    return Remote("drosophila", (file,), digest, _DROSOPHILA_PAGE, f"{raw}/{file}", digest)


_DROSOPHILA = {
    "left": (
        _drosophila("left_adjacency.csv", "f23ba630f10dff95164ddbbdccf7d4fe1ac01a9a8ed77db26069af4a6248a1cf"),
        _drosophila("left_cell_labels.csv", "a733652a33d5dde5c7cbdc9d8c0e679680cd000dc11edf3ea762a4da43b764c9"),
    ),
    "right": (
        _drosophila("right_adjacency.csv", "b9684d323e3f91ac5bf8c3691ff3e0635ef40fa2dee8e048161633760c84791d"),
        _drosophila("right_cell_labels.csv", "80547ac9df6b3fc5abe5844c04bc5da56b48c7cac5eb13ab3cc2f8695cd6de1d"),
    ),
}


def abalone() -> Dataset:
    """Return the UCI abalone data: seven measurements of 4177 shells, and the number of rings.

    Returns
    -------
    Dataset
        Points with 7 coordinates: length, diameter, height, and four weights. The labels are the numbers of rings.
        The sex is omitted.

    Raises
    ------
    DatasetError
        If the file is not in the folder ``LPGRAPH_DATA`` and cannot be downloaded, or fails the checksum.
    MissingDependencyError
        If the file must be downloaded and pooch is not installed.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.abalone()  # doctest: +SKIP
    Dataset('abalone', 4177 points of 7 coordinates, 28 classes)
    """
    table = np.genfromtxt(io.BytesIO(_ABALONE.read()), delimiter=",", usecols=range(1, 9))
    return Dataset(
        name="abalone",
        description="4177 abalone: seven measurements of the shell, and its number of rings, which gives the age.",
        citation="Nash, W. J., Sellers, T. L., Talbot, S. R., Cawthorn, A. J. & Ford, W. B. (1994), The "
        "population biology of abalone in Tasmania I, Sea Fisheries Division Technical Report 48. UCI Machine "
        "Learning Repository.",
        licence="CC BY 4.0",
        source=_ABALONE.page,
        points=np.ascontiguousarray(table[:, :7]),
        labels=table[:, 7].astype(int),
    )


def polblogs() -> Dataset:
    """Return the links between US political blogs in 2004, and their political leaning.

    Returns
    -------
    Dataset
        Directed, with 1490 blogs. Duplicate arcs are merged and loops dropped. The labels are "liberal" and
        "conservative".

    Raises
    ------
    DatasetError
        If the file is not in the folder ``LPGRAPH_DATA`` and cannot be downloaded, or fails the checksum.
    MissingDependencyError
        If the file must be downloaded and pooch is not installed.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.polblogs()  # doctest: +SKIP
    Dataset('polblogs', Adjacency(1490 vertices, 19022 edges, directed), 2 classes)
    """
    content = io.BytesIO(_POLBLOGS.read())
    graph = read_graph(content, format="gml", directed=True, loops="drop", multi_edges="collapse")
    side = np.asarray(graph.vertex_attributes["value"]).astype(int)
    return Dataset(
        name="polblogs",
        description="Links between 1490 weblogs on US politics, and their leaning.",
        citation="Adamic, L. A. & Glance, N. (2005), The political blogosphere and the 2004 US election: divided "
        "they blog, Proceedings of the 3rd International Workshop on Link Discovery.",
        licence="none stated; the page says free for scientific use to the best of its author's knowledge",
        source=_POLBLOGS.page,
        graph=graph,
        labels=np.array(["liberal", "conservative"])[side],
    )


def drosophila(side: str = "left") -> Dataset:
    """Return the connectome of the mushroom body of a Drosophila larva, weighted by number of synapses.

    Parameters
    ----------
    side : {"left", "right"}, default "left"
        The hemisphere.

    Returns
    -------
    Dataset
        Directed and weighted, with 209 neurons on the left and 213 on the right. The labels are the types of
        neurons: K (Kenyon cells), P (projection neurons), O (output neurons), I (inputs).

    Raises
    ------
    ArgumentError
        If `side` is neither "left" nor "right".
    DatasetError
        If the files are not in the folder ``LPGRAPH_DATA`` and cannot be downloaded, or fail the checksum.
    MissingDependencyError
        If the files must be downloaded and pooch is not installed.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.drosophila()  # doctest: +SKIP
    Dataset('drosophila_left', Adjacency(209 vertices, 7425 edges, directed, weighted), 4 classes)
    """
    adjacency, kinds = _DROSOPHILA[check_choice("side", side, tuple(_DROSOPHILA))]
    synapses = np.loadtxt(io.BytesIO(adjacency.read()))
    return Dataset(
        name=f"drosophila_{side}",
        description=f"Synapses between the neurons of the {side} mushroom body of a Drosophila larva.",
        citation="Eichler, K. et al. (2017), The complete connectome of a learning and memory centre in an insect "
        "brain, Nature 548, 175-182. Priebe, C. E. et al. (2017), Semiparametric spectral modeling of the "
        "Drosophila connectome, arXiv:1705.03297.",
        licence="MIT, as part of graspologic",
        source=adjacency.page,
        graph=as_adjacency(synapses, directed=True),
        labels=np.array(kinds.read().decode().split()),
    )
