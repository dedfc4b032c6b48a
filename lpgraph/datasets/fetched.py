"""Data sets that are downloaded once and verified against pinned checksums."""

from __future__ import annotations

import io

import numpy as np

from lpgraph.datasets.dataset import Dataset
from lpgraph.datasets.fetch import Remote
from lpgraph.graph.files import read_graph

__all__ = ["abalone", "polblogs"]

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
