"""Errors and warnings of lpgraph.

Each message gives the argument, its value and a remedy. Every class also derives from the corresponding built-in
exception (``ValueError``, ``TypeError``, ``FileNotFoundError``, ``ImportError``, ``RuntimeError``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


class LpgraphError(Exception):
    """Base class of the errors of this library.

    Examples
    --------
    >>> import lpgraph as lp
    >>> try:
    ...     lp.erdos_renyi(0, 0.5)
    ... except lp.errors.LpgraphError as error:
    ...     print(error)
    n=0; pass n >= 1.
    """


class ArgumentError(LpgraphError, ValueError):
    """A parameter has an invalid value.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> lp.manifold.ClassicalMDS(5).fit(np.eye(3))
    Traceback (most recent call last):
        ...
    lpgraph.errors.ArgumentError: n_components=5 but ...
    """


class ArgumentTypeError(LpgraphError, TypeError):
    """A parameter has an invalid type.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.kernels.as_kernel("gaussian")
    Traceback (most recent call last):
        ...
    lpgraph.errors.ArgumentTypeError: kernel='gaussian' is of type str; pass ...
    """


class GraphError(LpgraphError, ValueError):
    """A graph or matrix is invalid: not square, not finite, empty, not symmetric or too large.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> lp.as_adjacency(np.ones((2, 3)))
    Traceback (most recent call last):
        ...
    lpgraph.errors.GraphError: ...
    """


class DisconnectedError(GraphError):
    """A neighbor graph has several components; the message says what connects it.

    Examples
    --------
    >>> import lpgraph as lp
    >>> try:
    ...     lp.manifold.Isomap(1, n_neighbors=1, components="error").fit([[0.0], [1.0], [5.0], [6.0]])
    ... except lp.errors.DisconnectedError as error:
    ...     print(str(error).partition(";")[0])
    The neighbor graph has 2 components, of 2, 2 points
    """


class ProbabilityError(ArgumentError):
    """An edge probability is outside [0, 1]; the message names the pair of positions.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.random_dot_product_graph([[2.0], [0.75]])
    Traceback (most recent call last):
        ...
    lpgraph.errors.ProbabilityError: ...
    """


class StoreError(LpgraphError, OSError):
    """An edge store is incomplete or damaged, or its build cannot go on; the message names the file and a remedy.

    Examples
    --------
    >>> import tempfile, lpgraph as lp
    >>> try:
    ...     lp.scale.open_store(tempfile.mkdtemp())
    ... except lp.errors.StoreError as error:
    ...     print(str(error).partition(": ")[2])
    it has no manifest.json; make one by build_store.
    """


class UnknownVertexError(LpgraphError, ValueError):
    """A vertex name is not in the graph.

    Parameters
    ----------
    names : iterable of hashable
        The unknown names; the message shows the first five.
    where : str
        Where they were looked up, and a remedy.

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> ase = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
    >>> ase.transform({"new": [0, "Zachary"]})
    Traceback (most recent call last):
        ...
    lpgraph.errors.UnknownVertexError: 1 vertex name is unknown: 'Zachary'. ...
    """

    def __init__(self, names: Iterable[Hashable], where: str) -> None:
        self.names, self.where = list(names), where
        shown = ", ".join(map(repr, self.names[:5])) + ", ..." * (len(self.names) > 5)
        plural = "name is" if len(self.names) == 1 else "names are"
        super().__init__(f"{len(self.names)} vertex {plural} unknown: {shown}. {where}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.names, self.where)


class FileFormatError(LpgraphError, ValueError):
    """A file is truncated, malformed, or not in the format of its file name.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "graph.gml"
    >>> _ = path.write_text("graph [ node [ id 1 ")
    >>> lp.read_graph(path)
    Traceback (most recent call last):
        ...
    lpgraph.errors.FileFormatError: ...
    """


class ModelFileError(FileFormatError):
    """A file is not a saved model, or is truncated, modified, or of another version.

    Examples
    --------
    >>> import pathlib, tempfile, lpgraph as lp
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.lpg"
    >>> _ = path.write_text("not a model")
    >>> lp.load(path)
    Traceback (most recent call last):
        ...
    lpgraph.errors.ModelFileError: ...
    """


class DatasetError(LpgraphError, OSError):
    """A data set is not available, or fails its checksum; the message says where to find it.

    Examples
    --------
    >>> import lpgraph as lp
    >>> try:
    ...     network = lp.datasets.polblogs()
    ... except lp.errors.DatasetError:
    ...     network = lp.datasets.karate()  # included in networkx, always available
    """


class MissingDependencyError(LpgraphError, ImportError):
    """An optional package is not installed; the message has the command to install it.

    Examples
    --------
    >>> import lpgraph as lp
    >>> try:
    ...     axes = lp.plot.ellipses([[0.0, 0.0]], [[[1.0, 0.0], [0.0, 1.0]]])
    ... except lp.errors.MissingDependencyError as error:
    ...     print(error)  # pip install 'lpgraph[plot]'
    """


class MissingFileError(LpgraphError, FileNotFoundError):
    """A file does not exist; the message names the argument, the path, and a file of a similar name if there is.

    Examples
    --------
    >>> import lpgraph as lp
    >>> try:
    ...     lp.read_graph("nowhere.csv")
    ... except FileNotFoundError as error:
    ...     print(error)
    path='nowhere.csv': there is no such file; check its path.
    """

    def __str__(self) -> str:
        return str(self.args[0])


class NotFittedError(LpgraphError, ValueError, AttributeError):
    """An estimator was used before ``fit``.

    Examples
    --------
    >>> import lpgraph as lp
    >>> try:
    ...     lp.AdjacencySpectralEmbedding(2).transform([[0, 1, 1]])
    ... except lp.errors.NotFittedError as error:
    ...     print(error)
    This AdjacencySpectralEmbedding is not fitted yet; call fit(...) first.
    """


class ClusterError(LpgraphError, RuntimeError):
    """The workers of a Dask cluster are gone, or die of a task; the message says what to do.

    Examples
    --------
    >>> import lpgraph as lp
    >>> try:
    ...     raise lp.errors.ClusterError("The cluster has had no worker for 120 seconds; start workers.")
    ... except RuntimeError as error:
    ...     print(error)
    The cluster has had no worker for 120 seconds; start workers.
    """


class ConvergenceError(LpgraphError, RuntimeError):
    """An iterative solver did not reach its tolerance.

    Parameters
    ----------
    message : str
        The tolerance, the accuracy reached, and a remedy.
    result : object
        The best result so far, with its residuals.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.spectral.eigen import eigenpairs
    >>> from lpgraph.spectral.lanczos import Lanczos
    >>> graph = lp.erdos_renyi(900, 0.02, random_state=0)
    >>> try:
    ...     pairs = eigenpairs(graph.adjacency, 40, solver=Lanczos(max_restarts=1))
    ... except lp.errors.ConvergenceError as error:
    ...     pairs = error.result  # the best result so far
    >>> bool(pairs.residuals.max() > 1e-6)
    True
    """

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.result)


class LpgraphWarning(UserWarning):
    """Base class of the warnings of this library.

    Examples
    --------
    >>> import warnings, lpgraph as lp
    >>> warnings.simplefilter("error", lp.errors.LpgraphWarning)  # raise warnings as errors
    """


class DisconnectedGraphWarning(LpgraphWarning):
    """Several components affect an embedding: some take dimensions, are at the origin, or are joined by bridges.

    Examples
    --------
    >>> import warnings, networkx as nx, lpgraph as lp
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = lp.AdjacencySpectralEmbedding(2).fit(nx.disjoint_union(nx.path_graph(3), nx.path_graph(3)))
    >>> caught[0].category.__name__
    'DisconnectedGraphWarning'
    """


class IsolatedVertexWarning(LpgraphWarning):
    """Vertices have no edge from which a label or a cluster could be predicted; the message counts them.

    Examples
    --------
    >>> import warnings, networkx as nx, lpgraph as lp
    >>> club = nx.karate_club_graph()
    >>> model = lp.VertexClassifier().fit(club, nx.get_node_attributes(club, "club"))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model.predict({"new": []}).tolist()
    ['Mr. Hi']
    >>> caught[0].category.__name__
    'IsolatedVertexWarning'
    """


__all__ = [name for name, value in vars().items() if isinstance(value, type)]
