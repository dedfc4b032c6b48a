"""Data sets that are read from the folder ``LPGRAPH_DATA``, for the experiments and benchmarks.

They are not part of `lpgraph.datasets`, since they can neither be included nor downloaded: their sources state no
licence, or have no checksum.
"""

import gzip
import io
import os
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.io import loadmat

import lpgraph as lp
from lpgraph.datasets import Dataset
from lpgraph.graph.names import as_names


def load(name):
    """Return the data set of a name, from this file or from `lpgraph.datasets`."""
    return globals()[name]() if name in globals() else getattr(lp.datasets, name)()


def _path(*parts):
    return Path(os.environ["LPGRAPH_DATA"], *parts)


def celegans():
    """Return 279 neurons of Caenorhabditis elegans, their chemical synapses, and their types."""
    lines = _path("celegans", "celegans279_nodes.tsv").read_text().splitlines()[1:]
    _, names, kinds, _ = zip(*(line.split("\t") for line in lines), strict=True)
    synapses = _path("celegans", "celegans279_chem_edges.tsv")
    graph = lp.read_graph(synapses, directed=True, weight="synapses", vertices=len(names))
    return Dataset(
        "celegans",
        "Chemical synapses between 279 neurons of Caenorhabditis elegans, and the neurons' types.",
        "Varshney, L. R. et al. (2011), Structural properties of the Caenorhabditis elegans neuronal network, "
        "PLoS Computational Biology 7, e1001066.",
        "none stated",
        "https://www.wormatlas.org/neuronalwiring.html",
        replace(graph, names=as_names(names)),
        labels=np.array(kinds),
    )


def cora():
    """Return 2708 papers on machine learning, their citations, and the numbers of 7 topics."""
    topics = lp.read_labels(_path("cora", "cora.labels.tsv.gz"))
    graph = lp.read_graph(_path("cora", "cora.edges.tsv.gz"), vertices=list(topics))
    return Dataset(
        "cora",
        "Citations among 2708 papers on machine learning, and their 7 topics.",
        "Sen, P. et al. (2008), Collective classification in network data, AI Magazine 29 (3), 93-106.",
        "none stated",
        "https://linqs.org/datasets/",
        graph,
        labels=np.array([topics[paper] for paper in graph.names]),
    )


def football():
    """Return 115 American college football teams, their games in 2000, and the numbers of 12 conferences."""
    graph = lp.read_graph(_path("football", "football.gml"))
    return Dataset(
        "football",
        "Games between 115 American college football teams in 2000, and their 12 conferences.",
        "Girvan, M. & Newman, M. E. J. (2002), Community structure in social and biological networks, PNAS 99, "
        "7821-7826.",
        "none stated; the page says free for scientific use to the best of its author's knowledge",
        "https://websites.umich.edu/~mejn/netdata/",
        graph,
        labels=np.asarray(graph.vertex_attributes["value"]).astype(int),
    )


def netscience():
    """Return 1589 scientists of networks and what they wrote together, from ``netscience.gt.gz``.

    The file is in Debian's package python3-graph-tool (``apt-get download``, ``dpkg-deb -x``), which can be
    unpacked without being installed: ``usr/lib/python3/dist-packages/graph_tool/collection``.
    """
    rest = io.BytesIO(gzip.decompress(_path("netscience.gt.gz").read_bytes()))

    def number(size):
        return int.from_bytes(rest.read(size), "little")

    def text():
        return rest.read(number(8)).decode()

    rest.read(8)  # magic bytes, version and order of bytes
    text()
    directed, n = number(1), number(8)
    width = 1 if n < 2**8 else 2 if n < 2**16 else 4
    edges = [(source, number(width)) for source in range(n) for _ in range(number(8))]
    values = {}
    for _ in range(number(8)):
        count = {0: 1, 1: n, 2: len(edges)}[number(1)]
        title, kind = text(), number(1)
        read = {4: lambda: struct.unpack("<d", rest.read(8))[0], 6: text, 11: lambda: rest.read(8 * number(8))}
        values[title] = [read[kind]() for _ in range(count)]
    source, target = np.array(edges).T
    names = values["label"]
    graph = lp.from_edges(source, target, values["value"], vertices=n, directed=bool(directed))
    return Dataset(
        "netscience",
        "Coauthorships of 1589 scientists who wrote on networks.",
        "Newman, M. E. J. (2006), Finding community structure in networks using the eigenvectors of matrices, "
        "Physical Review E 74, 036104.",
        "none stated",
        "https://websites.umich.edu/~mejn/netdata/",
        replace(graph, names=as_names(names)),
    )


def dblp():
    """Return 326 186 authors of computer science in DBLP, 2010, of whom 25 539 have no co-author."""
    edges = _path("dblp-2010", "dblp-2010.edges.tsv.gz")
    return Dataset(
        "dblp",
        "Collaborations among 326 186 authors of computer science in DBLP, 2010.",
        "Boldi, P. & Vigna, S. (2004), The WebGraph framework I: compression techniques, WWW 2004, 595-601.",
        "none stated",
        "https://law.di.unimi.it/webdata/dblp-2010/",
        lp.read_graph(edges, vertices=326_186, multi_edges="collapse"),
    )


def email_eu():
    """Return 1005 members of a research institution, their e-mail without loops, and their 42 departments."""
    departments = lp.read_labels(_path("email-Eu-core", "email-Eu-core-department-labels.txt"))
    mail = _path("email-Eu-core", "email-Eu-core.txt")
    graph = lp.read_graph(mail, directed=True, loops="drop", vertices=list(departments))
    return Dataset(
        "email_eu",
        "E-mail between 1005 members of a research institution, and their 42 departments.",
        "Yin, H., Benson, A. R., Leskovec, J. & Gleich, D. F. (2017), Local higher-order graph clustering, KDD.",
        "none stated",
        "https://snap.stanford.edu/data/email-Eu-core.html",
        graph,
        labels=np.array([departments[person] for person in graph.names]),
    )


def faces():
    """Return 698 rendered images of a face, 32 x 32 pixels column by column; parameters: light and two angles."""
    found = loadmat(_path("isomap_faces", "face_1024.mat"))
    return Dataset(
        "faces",
        "698 rendered images of a face, 32 x 32 pixels, with known light and pose.",
        "Tenenbaum, J. B., de Silva, V. & Langford, J. C. (2000), A global geometric framework for nonlinear "
        "dimensionality reduction, Science 290, 2319-2323.",
        "none stated",
        "https://web.mit.edu/cocosci/isomap/datasets.html (every second pixel)",
        points=np.ascontiguousarray(found["dataY"].T, dtype=np.float64),
        parameters=np.ascontiguousarray(found["dataT"].T, dtype=np.float64),
    )


def teapots():
    """Return 100 views of a rotating teapot in order, a closed curve: 38 x 50 pixels column by column."""
    return Dataset(
        "teapots",
        "100 grey views, 38 x 50 pixels, of a teapot during one full rotation.",
        "Weinberger, K. Q. & Saul, L. K. (2004), Unsupervised learning of image manifolds by semidefinite "
        "programming, CVPR 2004.",
        "none stated",
        "the authors",
        points=np.ascontiguousarray(loadmat(_path("teapots", "teapots.mat"))["teapotImages"], dtype=np.float64),
    )


def usps(part="train"):
    """Return handwritten digits, 16 x 16 pixels from 0 to 1: 7291 for training, or 2007 with part="test"."""
    with np.load(_path("usps", "usps.npz"), allow_pickle=False) as found:
        points, labels = found[f"x_{part}"].astype(np.float64), found[f"y_{part}"].astype(int)
    return Dataset(
        f"usps_{part}",
        "Handwritten digits from envelopes of the US Postal Service, 16 x 16 pixels.",
        "Hull, J. J. (1994), A database for handwritten text recognition research, IEEE Transactions on Pattern "
        "Analysis and Machine Intelligence 16, 550-554.",
        "none stated",
        "the author",
        points=points,
        labels=labels,
    )
