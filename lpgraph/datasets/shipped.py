"""Data sets included in networkx and scikit-learn."""

from __future__ import annotations

import numpy as np

from lpgraph.datasets.dataset import Dataset
from lpgraph.graph.construct import as_adjacency

__all__ = ["digits", "florentine", "iris", "karate", "les_miserables", "southern_women"]


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
    import networkx as nx

    network = nx.karate_club_graph()
    return Dataset(
        name="karate",
        description="34 members of a karate club, joined if they met outside it, and their factions.",
        citation="Zachary, W. W. (1977), An information flow model for conflict and fission in small groups, "
        "Journal of Anthropological Research 33, 452-473.",
        licence="none stated; the table is printed in the article",
        source="networkx.karate_club_graph",
        graph=as_adjacency(network, weight=None),
        labels=np.array([network.nodes[member]["club"] for member in network]),
    )


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
    import networkx as nx

    return Dataset(
        name="les_miserables",
        description="77 characters of the novel, joined by the number of chapters in which both appear.",
        citation="Knuth, D. E. (1993), The Stanford GraphBase: A Platform for Combinatorial Computing, ACM Press.",
        licence="the Stanford GraphBase may be copied freely, unmodified",
        source="networkx.les_miserables_graph",
        graph=as_adjacency(nx.les_miserables_graph()),
    )


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
    import networkx as nx

    return Dataset(
        name="florentine",
        description="15 families of Florence, joined by marriage.",
        citation="Breiger, R. L. & Pattison, P. E. (1986), Cumulated social roles: the duality of persons and "
        "their algebras, Social Networks 8, 215-256.",
        licence="none stated; the table is printed in the article",
        source="networkx.florentine_families_graph",
        graph=as_adjacency(nx.florentine_families_graph()),
    )


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
    import networkx as nx

    network = nx.davis_southern_women_graph()
    women = set(network.graph["top"])
    return Dataset(
        name="southern_women",
        description="18 women and the 14 events they attended.",
        citation="Davis, A., Gardner, B. B. & Gardner, M. R. (1941), Deep South, University of Chicago Press.",
        licence="none stated; the table is printed in the book",
        source="networkx.davis_southern_women_graph",
        graph=as_adjacency(network),
        labels=np.array(["woman" if name in women else "event" for name in network]),
    )


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
    return Dataset(
        name="digits",
        description="1797 handwritten digits, 8 x 8 pixels: the test part of the UCI set.",
        citation="Alpaydin, E. & Kaynak, C. (1998), Optical Recognition of Handwritten Digits, UCI Machine "
        "Learning Repository.",
        licence="CC BY 4.0",
        source="sklearn.datasets.load_digits",
        points=points,
        labels=labels,
    )


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
    return Dataset(
        name="iris",
        description="150 irises: length and width of sepal and petal.",
        citation="Fisher, R. A. (1936), The use of multiple measurements in taxonomic problems, Annals of "
        "Eugenics 7, 179-188.",
        licence="CC BY 4.0",
        source="sklearn.datasets.load_iris",
        points=np.asarray(found.data, dtype=np.float64),
        labels=np.asarray(found.target_names)[found.target],
    )
