"""Networks that are read from the folder ``LPGRAPH_DATA`` and verified by checksum.

They are not downloaded, since no checksums of the downloads are known.
"""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np

from lpgraph.datasets.dataset import Dataset
from lpgraph.datasets.fetch import Remote
from lpgraph.graph.files import read_graph, read_labels
from lpgraph.graph.names import as_names

__all__ = ["celegans", "cora", "dblp", "email_eu", "football"]

_WIRING = "the wiring tables at https://www.wormatlas.org/neuronalwiring.html"
_SYNAPSES = Remote(
    folder="celegans",
    names=("celegans279_chem_edges.tsv",),
    content="540c2e310fe370bcd29c49b5bc5dc7233442344d377ebce23aa50c9c351cada5",
    page=_WIRING,
)
_NEURONS = Remote(
    folder="celegans",
    names=("celegans279_nodes.tsv",),
    content="8270cace22e5baa722378ae71a2c9e44a8ef011c3a519b39a138ae92e8986b45",
    page=_WIRING,
)
_LINQS = "the Cora citations at https://linqs.org/datasets/"
_CITATIONS = Remote(
    folder="cora",
    names=("cora.edges.tsv.gz", "cora.edges.tsv"),
    content="75e53a6dd7ff2ead7b2fcc3e31e6319debdb33f5537eeb24054e16535cfa277e",
    page=_LINQS,
)
_TOPICS = Remote(
    folder="cora",
    names=("cora.labels.tsv.gz", "cora.labels.tsv"),
    content="f6abf39402ba4af3b629d7da7504788d4dec289ef15aac2cb393d499e0e907f5",
    page=_LINQS,
)
_FOOTBALL = Remote(
    folder="football",
    names=("football.gml",),
    content="837a0837d1921d2f3857c7a32f90b4a049d27aad477f99b99df0655d755de99a",
    page="https://websites.umich.edu/~mejn/netdata/",
)
_DBLP = Remote(
    folder="dblp-2010",
    names=("dblp-2010.edges.tsv.gz", "dblp-2010.edges.tsv"),
    content="7774f242816fed06d25ae580d8a760f85b84ed896ebe9df86f19e8d7ac9781dd",
    page="https://law.di.unimi.it/webdata/dblp-2010/",
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


def celegans() -> Dataset:
    """Return the chemical synapses of Caenorhabditis elegans, and the types of its neurons.

    The files are read from the folder ``LPGRAPH_DATA``; they are not downloaded.

    Returns
    -------
    Dataset
        Directed and weighted by number of synapses, with 279 named neurons. The labels are "sensory", "inter" and
        "motor".

    Raises
    ------
    DatasetError
        If the files are not in the folder, or fail the checksum.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.celegans()  # doctest: +SKIP
    Dataset('celegans', Adjacency(279 vertices, 2194 edges, directed, weighted), 3 classes)
    """
    lines = _NEURONS.read().decode().splitlines()[1:]
    _, names, kinds, _ = zip(*(line.split("\t") for line in lines), strict=True)
    synapses = io.BytesIO(_SYNAPSES.read())
    graph = read_graph(synapses, format="tsv", directed=True, weight="synapses", vertices=len(names))
    return Dataset(
        name="celegans",
        description="Chemical synapses between 279 neurons of Caenorhabditis elegans, and the neurons' types.",
        citation="Chen, B. L., Hall, D. H. & Chklovskii, D. B. (2006), Wiring optimization can relate neuronal "
        "structure and function, PNAS 103, 4723-4728. Varshney, L. R. et al. (2011), Structural properties of the "
        "Caenorhabditis elegans neuronal network, PLoS Computational Biology 7, e1001066.",
        licence="none stated",
        source=_WIRING,
        graph=replace(graph, names=as_names(names)),
        labels=np.array(kinds),
    )


def cora() -> Dataset:
    """Return the Cora citation network of machine learning papers, and their topics.

    The files are read from the folder ``LPGRAPH_DATA``; they are not downloaded.

    Returns
    -------
    Dataset
        Undirected, with 2708 papers. The labels are the numbers of 7 topics.

    Raises
    ------
    DatasetError
        If the files are not in the folder, or fail the checksum.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.cora()  # doctest: +SKIP
    Dataset('cora', Adjacency(2708 vertices, 5278 edges, undirected), 7 classes)
    """
    topics = read_labels(io.BytesIO(_TOPICS.read()), format="tsv")
    graph = read_graph(io.BytesIO(_CITATIONS.read()), format="tsv", vertices=list(topics))
    return Dataset(
        name="cora",
        description="Citations among 2708 papers on machine learning, and their 7 topics.",
        citation="Sen, P., Namata, G., Bilgic, M., Getoor, L., Galligher, B. & Eliassi-Rad, T. (2008), Collective "
        "classification in network data, AI Magazine 29 (3), 93-106.",
        licence="none stated",
        source=_CITATIONS.page,
        graph=graph,
        labels=np.array([topics[paper] for paper in graph.names]),
    )


def football() -> Dataset:
    """Return the games between US college football teams in autumn 2000, and the teams' conferences.

    The file is read from the folder ``LPGRAPH_DATA``; it is not downloaded.

    Returns
    -------
    Dataset
        Undirected, with 115 teams. The labels are the numbers of 12 conferences.

    Raises
    ------
    DatasetError
        If the file is not in the folder, or fails the checksum.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.football()  # doctest: +SKIP
    Dataset('football', Adjacency(115 vertices, 613 edges, undirected), 12 classes)
    """
    graph = read_graph(io.BytesIO(_FOOTBALL.read()), format="gml")
    return Dataset(
        name="football",
        description="Games between 115 American college football teams in 2000, and their 12 conferences.",
        citation="Girvan, M. & Newman, M. E. J. (2002), Community structure in social and biological networks, "
        "PNAS 99, 7821-7826.",
        licence="none stated; the page says free for scientific use to the best of its author's knowledge",
        source=_FOOTBALL.page,
        graph=graph,
        labels=np.asarray(graph.vertex_attributes["value"]).astype(int),
    )


def dblp() -> Dataset:
    """Return the DBLP co-authorship network of 2010, a large network.

    The file is read from the folder ``LPGRAPH_DATA``; it is not downloaded.

    Returns
    -------
    Dataset
        Undirected, with 326 186 authors, of whom 25 539 have no co-author. There are no labels.

    Raises
    ------
    DatasetError
        If the file is not in the folder, or fails the checksum.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.dblp()  # doctest: +SKIP
    Dataset('dblp', Adjacency(326186 vertices, 807700 edges, undirected))
    """
    edges = io.BytesIO(_DBLP.read())
    return Dataset(
        name="dblp",
        description="Collaborations among 326 186 authors of computer science in DBLP, 2010.",
        citation="Boldi, P. & Vigna, S. (2004), The WebGraph framework I: compression techniques, WWW 2004, "
        "595-601. Laboratory for Web Algorithmics, dblp-2010.",
        licence="none stated",
        source=_DBLP.page,
        graph=read_graph(edges, format="tsv", vertices=326_186, multi_edges="collapse"),
    )


def email_eu() -> Dataset:
    """Return the e-mail network of a European research institution, and the members' departments.

    The files are read from the folder ``LPGRAPH_DATA``; they are not downloaded.

    Returns
    -------
    Dataset
        Directed, with 1005 people; loops are dropped. The labels are the numbers of 42 departments.

    Raises
    ------
    DatasetError
        If the files are not in the folder, or fail the checksum.

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
