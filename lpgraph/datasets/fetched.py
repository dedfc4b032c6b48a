"""Classics that are fetched once, or read from a folder."""

from __future__ import annotations

import io

import numpy as np

from lpgraph.datasets.fetch import Remote
from lpgraph.datasets.value import Dataset
from lpgraph.graph.files import read_graph, read_labels

__all__ = ["abalone", "email_eu", "polblogs"]

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
_EMAIL_PAGE = "https://snap.stanford.edu/data/email-Eu-core.html"
_EMAIL = Remote(
    folder="email-Eu-core",
    names=("email-Eu-core.txt",),
    content="23e0ca0bce21a053025e78f7e9691ac9210ae806a0689bd5edff3c3bac572d4c",
    page=_EMAIL_PAGE,
)
_DEPARTMENTS = Remote(
    folder="email-Eu-core",
    names=("email-Eu-core-department-labels.txt",),
    content="91a089f21ee35eb224066456fa5322c8ad57c0f07b2da7a58a3220c72b5d54b5",
    page=_EMAIL_PAGE,
)


def abalone() -> Dataset:
    """Return the abalone of UCI: seven measurements of 4177 shells, and their rings.

    Returns
    -------
    Dataset
        Points of 7 coordinates: length, diameter, height, and four weights; as labels the number of rings. The sex
        of the animals is left out.

    Raises
    ------
    DatasetError
        If the file is not in the folder ``LPGRAPH_DATA`` and cannot be fetched.
    MissingDependencyError
        If it is to be fetched and pooch is not installed.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.abalone()  # doctest: +SKIP
    Dataset('abalone', 4177 points of 7 coordinates, 28 classes)
    """
    table = np.genfromtxt(io.BytesIO(_ABALONE.read()), delimiter=",", usecols=range(1, 9))
    return Dataset(
        name="abalone",
        description="4177 abalone: seven measurements of the shell, and its rings, which tell the age.",
        citation="Nash, W. J., Sellers, T. L., Talbot, S. R., Cawthorn, A. J. & Ford, W. B. (1994), The "
        "population biology of abalone in Tasmania I, Sea Fisheries Division Technical Report 48. UCI Machine "
        "Learning Repository.",
        licence="CC BY 4.0",
        source=_ABALONE.page,
        points=np.ascontiguousarray(table[:, :7]),
        labels=table[:, 7].astype(int),
    )


def polblogs() -> Dataset:
    """Return the political blogs of 2004: who links to whom, and which side each is on.

    Returns
    -------
    Dataset
        Directed: 1490 blogs, arcs given twice kept once, loops dropped; the labels are "liberal" and
        "conservative".

    Raises
    ------
    DatasetError
        If the file is not in the folder ``LPGRAPH_DATA`` and cannot be fetched.
    MissingDependencyError
        If it is to be fetched and pooch is not installed.

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


def email_eu() -> Dataset:
    """Return the e-mail between members of a European research institution, and their departments.

    The files are read from the folder ``LPGRAPH_DATA`` and not fetched: no checksum of what the source serves is
    known to this library.

    Returns
    -------
    Dataset
        Directed: 1005 people, loops dropped; the labels are the numbers of 42 departments.

    Raises
    ------
    DatasetError
        If the files are not in the folder, or are not what they should be.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.email_eu()  # doctest: +SKIP
    Dataset('email_eu', Adjacency(1005 vertices, 24929 edges, directed), 42 classes)
    """
    mail = io.BytesIO(_EMAIL.read())
    departments = read_labels(io.BytesIO(_DEPARTMENTS.read()), format="txt")
    graph = read_graph(mail, format="txt", directed=True, loops="drop", vertices=list(departments))
    return Dataset(
        name="email_eu",
        description="E-mail between 1005 members of a research institution, and their 42 departments.",
        citation="Yin, H., Benson, A. R., Leskovec, J. & Gleich, D. F. (2017), Local higher-order graph "
        "clustering, KDD. Leskovec, J., Kleinberg, J. & Faloutsos, C. (2007), Graph evolution: densification and "
        "shrinking diameters, ACM TKDD 1.",
        licence="none stated",
        source=_EMAIL_PAGE,
        graph=graph,
        labels=np.array([departments[person] for person in graph.names]),
    )
