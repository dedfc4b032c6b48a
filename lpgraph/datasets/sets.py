"""The data sets: descriptions, citations and licences in one table, and a function for each."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import zipfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from lpgraph._utils.checks import check_choice, import_extra
from lpgraph.errors import DatasetError
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.files import read_graph

from .dataset import Dataset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph.graph.adjacency import Adjacency

__all__ = [
    "Dataset",
    "abalone",
    "digits",
    "drosophila",
    "flights",
    "florentine",
    "iris",
    "karate",
    "les_miserables",
    "polblogs",
    "southern_women",
]

#: Environment variable with the path of a folder that has one subfolder per data set.
FOLDER = "LPGRAPH_DATA"
_SECONDS = 60

#: Description, citation, licence and source of each data set.
_ABOUT = {
    "karate": (
        "34 members of a karate club, joined if they met outside it, and their factions.",
        "Zachary, W. W. (1977), An information flow model for conflict and fission in small groups, Journal of "
        "Anthropological Research 33, 452-473.",
        "none stated; the table is printed in the article",
        "networkx.karate_club_graph",
    ),
    "les_miserables": (
        "77 characters of the novel, joined by the number of chapters in which both appear.",
        "Knuth, D. E. (1993), The Stanford GraphBase: A Platform for Combinatorial Computing, ACM Press.",
        "the Stanford GraphBase may be copied freely, unmodified",
        "networkx.les_miserables_graph",
    ),
    "florentine": (
        "15 families of Florence, joined by marriage.",
        "Breiger, R. L. & Pattison, P. E. (1986), Cumulated social roles: the duality of persons and their "
        "algebras, Social Networks 8, 215-256.",
        "none stated; the table is printed in the article",
        "networkx.florentine_families_graph",
    ),
    "southern_women": (
        "18 women and the 14 events they attended.",
        "Davis, A., Gardner, B. B. & Gardner, M. R. (1941), Deep South, University of Chicago Press.",
        "none stated; the table is printed in the book",
        "networkx.davis_southern_women_graph",
    ),
    "digits": (
        "1797 handwritten digits, 8 x 8 pixels: the test part of the UCI set.",
        "Alpaydin, E. & Kaynak, C. (1998), Optical Recognition of Handwritten Digits, UCI Machine Learning "
        "Repository.",
        "CC BY 4.0",
        "sklearn.datasets.load_digits",
    ),
    "iris": (
        "150 irises: length and width of sepal and petal.",
        "Fisher, R. A. (1936), The use of multiple measurements in taxonomic problems, Annals of Eugenics 7, "
        "179-188.",
        "CC BY 4.0",
        "sklearn.datasets.load_iris",
    ),
    "drosophila": (
        "Synapses between the neurons of one mushroom body, left or right, of a Drosophila larva.",
        "Eichler, K. et al. (2017), The complete connectome of a learning and memory centre in an insect brain, "
        "Nature 548, 175-182. Priebe, C. E. et al. (2017), Semiparametric spectral modeling of the Drosophila "
        "connectome, arXiv:1705.03297.",
        "MIT, as part of graspologic",
        "https://github.com/graspologic-org/graspologic",
    ),
    "flights": (
        "Flights within the United States in 2008, by route, and the regions of the airports.",
        "U.S. Department of Transportation, Bureau of Transportation Statistics, On-Time Performance.",
        "public domain (works of the U.S. government)",
        "https://github.com/vega/vega-datasets",
    ),
    "abalone": (
        "4177 abalone: seven measurements of the shell, and its number of rings, which gives the age.",
        "Nash, W. J., Sellers, T. L., Talbot, S. R., Cawthorn, A. J. & Ford, W. B. (1994), The population "
        "biology of abalone in Tasmania I, Sea Fisheries Division Technical Report 48. UCI Machine Learning "
        "Repository.",
        "CC BY 4.0",
        "https://archive.ics.uci.edu/dataset/1/abalone",
    ),
    "polblogs": (
        "Links between 1490 weblogs on US politics, and their leaning.",
        "Adamic, L. A. & Glance, N. (2005), The political blogosphere and the 2004 US election: divided they "
        "blog, Proceedings of the 3rd International Workshop on Link Discovery.",
        "none stated; the page says free for scientific use to the best of its author's knowledge",
        "https://websites.umich.edu/~mejn/netdata/",
    ),
}


def karate() -> Dataset:
    """Return Zachary's karate club: the friendships of 34 members, and their factions after the split.

    Returns
    -------
    Dataset
        Unweighted. The labels are "Mr. Hi" and "Officer".

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.karate().graph.n_edges
    78
    """
    network = nx.karate_club_graph()
    labels = np.array([network.nodes[member]["club"] for member in network])
    return Dataset("karate", *_ABOUT["karate"], as_adjacency(network, weight=None), labels=labels)


def les_miserables() -> Dataset:
    """Return the characters of Les Misérables, joined by the number of chapters in which both appear.

    Returns
    -------
    Dataset
        Weighted, without labels. The vertices are the characters' names.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.les_miserables().graph
    Adjacency(77 vertices, 254 edges, undirected, weighted)
    """
    graph = as_adjacency(nx.les_miserables_graph())
    return Dataset("les_miserables", *_ABOUT["les_miserables"], graph)


def florentine() -> Dataset:
    """Return the families of Renaissance Florence, joined by marriage.

    Returns
    -------
    Dataset
        Without labels.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.florentine().graph
    Adjacency(15 vertices, 20 edges, undirected)
    """
    graph = as_adjacency(nx.florentine_families_graph())
    return Dataset("florentine", *_ABOUT["florentine"], graph)


def southern_women() -> Dataset:
    """Return 18 women and the 14 social events they attended, a bipartite network.

    The spectrum is symmetric: the positions of women and events differ in the signs of half of the columns.

    Returns
    -------
    Dataset
        The labels are "woman" and "event".

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.southern_women()
    Dataset('southern_women', Adjacency(32 vertices, 89 edges, undirected), 2 classes)
    """
    network = nx.davis_southern_women_graph()
    women = set(network.graph["top"])
    labels = np.array(["woman" if name in women else "event" for name in network])
    return Dataset("southern_women", *_ABOUT["southern_women"], as_adjacency(network), labels=labels)


def digits() -> Dataset:
    """Return 1797 handwritten digits, images of 8 x 8 pixels with values from 0 to 16.

    Returns
    -------
    Dataset
        Points with 64 coordinates. The labels are the digits.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.digits()
    Dataset('digits', 1797 points of 64 coordinates, 10 classes)
    """
    from sklearn.datasets import load_digits

    points, labels = load_digits(return_X_y=True)
    return Dataset("digits", *_ABOUT["digits"], points=points, labels=labels)


def iris() -> Dataset:
    """Return Anderson's irises: four measurements of 150 flowers of three species.

    Returns
    -------
    Dataset
        Points with 4 coordinates in centimetres. The labels are the names of the species.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.iris()
    Dataset('iris', 150 points of 4 coordinates, 3 classes)
    """
    from sklearn.datasets import load_iris

    found = load_iris()
    points, species = np.asarray(found.data, dtype=np.float64), np.asarray(found.target_names)
    return Dataset("iris", *_ABOUT["iris"], points=points, labels=species[found.target])


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

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.drosophila()
    Dataset('drosophila_left', Adjacency(209 vertices, 7425 edges, directed, weighted), 4 classes)
    """
    check_choice("side", side, ("left", "right"))
    neurons = _rows(f"drosophila_{side}_neurons.csv")
    names = [int(neuron["neuron"]) for neuron in neurons]
    graph = _included(f"drosophila_{side}_synapses.csv", "synapses", names)
    labels = np.array([neuron["cell_type"] for neuron in neurons])
    return Dataset(f"drosophila_{side}", *_ABOUT["drosophila"], graph, labels=labels)


def flights() -> Dataset:
    """Return the flights between 305 airports of the United States in 2008.

    Returns
    -------
    Dataset
        Directed and weighted by the number of flights. A few hubs have routes to half of all airports, and many
        airports to a single one. The labels are the regions of the Census Bureau: Midwest, Northeast, South,
        West, and Territories.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.flights()
    Dataset('flights', Adjacency(305 vertices, 5366 edges, directed, weighted), 5 classes)
    """
    airports = _rows("airports.csv")
    graph = _included("flights.csv", "flights", [airport["code"] for airport in airports])
    labels = np.array([airport["region"] for airport in airports])
    return Dataset("flights", *_ABOUT["flights"], graph, labels=labels)


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
    file = Remote(
        folder="abalone",
        names=("abalone.data", "abalone.csv"),
        content="de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
        page=_ABOUT["abalone"][3],
        url="https://archive.ics.uci.edu/ml/machine-learning-databases/abalone/abalone.data",
        sha256="de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
    )
    table = np.loadtxt(io.BytesIO(file.read()), delimiter=",", usecols=range(1, 9))
    points, rings = np.ascontiguousarray(table[:, :7]), table[:, 7].astype(int)
    return Dataset("abalone", *_ABOUT["abalone"], points=points, labels=rings)


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
    file = Remote(
        folder="polblogs",
        names=("polblogs.gml",),
        content="8cf068b99dfc16e9d8b02e3605b1aaddcaa26a82691ddfa7fe456aa51e2df3c3",
        page=_ABOUT["polblogs"][3],
        url="https://websites.umich.edu/~mejn/netdata/polblogs.zip",
        sha256="e047df21736fef9037f0450f7d3756ecb16a8e347417723181c0f7e493021ddb",
    )
    graph = read_graph(io.BytesIO(file.read()), format="gml", directed=True, loops="drop", multi_edges="collapse")
    side = np.asarray(graph.vertex_attributes["value"]).astype(int)
    labels = np.array(["liberal", "conservative"])[side]
    return Dataset("polblogs", *_ABOUT["polblogs"], graph, labels=labels)


def _table(name: str) -> bytes:
    return (files("lpgraph.datasets") / "tables" / name).read_bytes()


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(_table(name).decode())))


def _included(name: str, weight: str, vertices: Sequence[str | int]) -> Adjacency:
    """Return a directed network from a table of this package."""
    return read_graph(io.BytesIO(_table(name)), format="csv", directed=True, weight=weight, vertices=vertices)


def content_digest(content: bytes) -> str:
    """Return the SHA-256 of a text with normalised whitespace.

    Fields are separated by one space, lines end in one newline, and empty lines are dropped, so that copies with
    other line ends or separators have the same digest.
    """
    lines = (b" ".join(line.split()) for line in content.splitlines())
    return hashlib.sha256(b"".join(line + b"\n" for line in lines if line)).hexdigest()


@dataclass(frozen=True)
class Remote:
    """A verified file: from the user's folder if it is there, else downloaded once by pooch.

    Attributes
    ----------
    folder : str
        Folder of the data set inside `FOLDER`.
    names : sequence of str
        Possible names of the file; the first is its name in a zip archive at `url`.
    content : str
        `content_digest` of the file.
    page : str
        Web page of the source.
    url, sha256 : str
        Address and SHA-256 of the download.
    """

    folder: str
    names: Sequence[str]
    content: str
    page: str
    url: str
    sha256: str

    def read(self) -> bytes:
        """Return the file's content; DatasetError if it cannot be downloaded or fails the checksum."""
        root = os.environ.get(FOLDER)
        for name in self.names if root else ():
            path = Path(str(root)) / self.folder / name
            if path.is_file():
                content = path.read_bytes()
                if content_digest(content) != self.content:
                    raise DatasetError(f"{path} has another checksum; get the file from {self.page}.")
                return content
        path = self._download()
        if path.suffix != ".zip":
            return path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            return archive.read(self.names[0])

    def _download(self) -> Path:
        """Return the path of the download in the user's cache, verified."""
        pooch = import_extra("pooch", "data")
        pooch.get_logger().setLevel("WARNING")
        name, cache = f"{self.folder}-{self.url.rpartition('/')[2]}", pooch.os_cache("lpgraph")
        downloader = pooch.HTTPDownloader(timeout=_SECONDS)
        try:
            found = pooch.retrieve(self.url, f"sha256:{self.sha256}", name, cache, downloader=downloader)
        except (OSError, ValueError) as error:  # OSError: also the network; ValueError: the checksum
            raise DatasetError(
                f"{self.url} could not be downloaded to {cache} ({error!r:.200}); copy {self.names[0]} from "
                f"{self.page} to {self.folder}/ in the folder named by {FOLDER}."
            ) from error
        return Path(found)
