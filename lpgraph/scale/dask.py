"""`on_dask`: a network whose products with vectors are computed by the workers of a Dask cluster.

The rows of the adjacency matrix are cut into panels, which workers hold. For a product the block of vectors is
sent to all workers, each panel is multiplied, and the results are put together in the order of the panels. Every
row is summed by one worker in the order of its entries, so that the result does not depend on the number of
workers, and is that of the same product in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_flag, import_extra
from lpgraph._utils.files import is_path
from lpgraph.errors import ArgumentError, ArgumentTypeError, ClusterError, GraphError
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.files.store import arrays_of, open_store
from lpgraph.graph.network import ProductNetwork
from lpgraph.linalg.matvec import WORTHWHILE, Product
from lpgraph.linalg.room import empty

if TYPE_CHECKING:
    import pandas
    from distributed import Client, Future
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.names import Names
    from lpgraph.scale.shards import ForeignTable

    Array = NDArray[np.float64]

R = TypeVar("R")

#: Some rows of a matrix on a worker.
Panel: TypeAlias = "Future[sparse.csr_array]"

#: Entries of a panel, about.
_ENTRIES = 1 << 21

#: How often a product is tried, if workers are lost, and seconds until one must be there.
_TRIES, WAIT = 5, 120


def on_dask(
    network: object,
    client: Client | None = None,
    *,
    directed: bool | None = None,
    source: str = "source",
    target: str = "target",
    weight: str | None = "weight",
) -> ProductNetwork:
    """Return a network whose products with vectors are computed by the workers of a Dask cluster.

    `AdjacencySpectralEmbedding`, `LaplacianSpectralEmbedding`, `ModularityEmbedding` and `RandomWalkEmbedding` are
    fitted to it as to a graph in memory: the eigensolver stays in this process, and the embedding is the same with
    any number of workers, to the last bit on processors of one type. It takes blocks of four vectors, so that
    there are few rounds. If a worker is lost, Dask makes its part of the network again, and the fit continues.

    Parameters
    ----------
    network : path, Adjacency, scipy matrix, or dask.dataframe.DataFrame
        - The folder of an edge store, which all workers see under the same path.
        - A graph in memory, whose rows are sent to the workers.
        - A Dask DataFrame of edges, one a row, between vertices 0 ... n - 1. Dask shuffles it, so that no file
          system need be shared. Weights of edges that are listed several times are added; (u, v) and (v, u) are
          one edge of an undirected network.
    client : distributed.Client, optional
        The cluster; the current client by default.
    directed : bool, optional
        Of a data frame: whether edges are arcs; not by default. Others have their own direction.
    source, target, weight : str
        Of a data frame: titles of the columns of end points and of weights, of which there may be none.

    Returns
    -------
    ProductNetwork
        Has the number of vertices and edges, names, degrees, and products.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When there is no client, the network is of another type, or `directed` contradicts it.
    GraphError
        When a data frame has ends that are not integers from 0 on, or weights that are not finite.
    StoreError
        When the folder is no edge store.
    ClusterError
        When no worker is there for two minutes, or workers die of a panel.
    MissingDependencyError
        When distributed is not installed.

    Examples
    --------
    >>> import distributed, tempfile, lpgraph as lp
    >>> graph = lp.stochastic_block_model([400, 400], [[0.1, 0.02], [0.02, 0.1]], random_state=0)
    >>> options = {"processes": False, "dashboard_address": "127.0.0.1:0", "local_directory": tempfile.mkdtemp()}
    >>> with distributed.LocalCluster(n_workers=2, **options) as cluster, distributed.Client(cluster) as client:
    ...     network = lp.scale.on_dask(graph, client)
    ...     model = lp.AdjacencySpectralEmbedding(2).fit(network)
    >>> network
    ProductNetwork(800 vertices, 19139 edges, undirected)
    >>> model.embedding_.shape
    (800, 2)
    """
    client = as_client(client)
    if hasattr(network, "to_delayed") and hasattr(network, "columns"):
        return _of_frame(network, client, bool(directed), source, target, weight)
    graph = open_store(network) if is_path(network) else as_adjacency(network)
    if directed is not None and check_flag("directed", directed) is not bool(graph.directed):
        raise ArgumentError(f"directed={directed} but {graph!r} is not; convert it by as_adjacency first.")
    sides = [(graph.matrix, "")]
    if graph.directed:
        back = sparse.csr_array(graph.matrix.T) if graph.transposed is None else graph.transposed
        sides.append((back, "in_"))
    made = []
    for matrix, prefix in sides:
        targets = np.linspace(0, matrix.nnz, 2 + matrix.nnz // _ENTRIES)[1:-1].astype(matrix.indptr.dtype)
        bounds = np.unique([0, *np.searchsorted(matrix.indptr, targets), matrix.shape[0]]).tolist()
        made.append(_Panels(client, bounds, _placing(graph, matrix, prefix, bounds, client)))
    return _network(made, graph.names, graph.store)


def _placing(
    graph: Adjacency, matrix: sparse.csr_array, prefix: str, bounds: list[int], client: Client
) -> Callable[[], list[Panel]]:
    """Return what brings panels to the workers: they map those of a store, and are sent others."""
    if graph.store is not None:
        cuts = [(os.fspath(graph.store), prefix, *cut) for cut in pairwise(bounds)]
        return lambda: client.map(_mapped, cuts, pure=False)
    return lambda: client.scatter([matrix[low:high] for low, high in pairwise(bounds)], hash=False)


def _mapped(cut: tuple[str, str, int, int]) -> sparse.csr_array:
    """Return some rows of a store, from memory maps."""
    folder, prefix, low, high = cut
    indptr, indices, weights = arrays_of(Path(folder), prefix)
    first, last = int(indptr[low]), int(indptr[high])
    some = indptr[low : high + 1] - indptr[low]
    return sparse.csr_array((weights[first:last], indices[first:last], some), shape=(high - low, len(indptr) - 1))


class _Facts(NamedTuple):
    """Sums of the rows of a panel, its part of the diagonal, and its weights."""

    degrees: Array
    diagonal: Array
    least: float
    most: float
    entries: int


def _facts(panel: sparse.csr_array, low: int) -> _Facts:
    sums = np.asarray(panel.sum(axis=1), dtype=np.float64)
    diagonal = panel[:, low : low + panel.shape[0]].diagonal()
    if not panel.nnz:
        return _Facts(sums, diagonal, np.inf, -np.inf, 0)
    return _Facts(sums, diagonal, float(panel.data.min()), float(panel.data.max()), panel.nnz)


def _multiplied(panel: sparse.csr_array, compiled: bool, block: list[Array]) -> Array:
    product = Product.of(panel, least=1) if compiled else None
    return np.hstack([(panel if product is None else product) @ pair for pair in block])


class _Panels:
    """The rows of a matrix on workers, in panels.

    Parameters
    ----------
    client : Client
        The cluster.
    bounds : list of int
        First rows of the panels, and the number of rows.
    place : callable
        Brings the panels to the workers.
    """

    def __init__(self, client: Client, bounds: list[int], place: Callable[[], list[Panel]]) -> None:
        self.client, self.bounds, self.place = client, bounds, place
        self.futures = place()
        self.facts = self.each(_facts, bounds[:-1])

    def each(self, work: Callable[..., R], *columns: Sequence[int], block: list[Array] | None = None) -> list[R]:
        """Return what a function makes of each panel, in their order; again if workers are lost meanwhile."""
        from distributed import KilledWorker

        for attempt in range(_TRIES):
            try:
                wait_for_worker(self.client)
                if any(future.status in ("lost", "cancelled", "error") for future in self.futures):
                    self.futures = self.place()
                more: dict[str, Any] = {} if block is None else {"block": self._sent(block)}
                found: list[R] = self.client.gather(
                    self.client.map(work, self.futures, *columns, pure=False, **more)
                )
                return found
            except KilledWorker as error:
                raise ClusterError(f"Workers died of a panel ({error}); give them more memory.") from None
            except (CancelledError, OSError) as error:  # data that was sent, and is gone with its worker
                if attempt == _TRIES - 1:
                    problem = f"Workers were lost {_TRIES} times in one product ({error!r:.200})"
                    raise ClusterError(f"{problem}; start workers that stay, and call again.") from None
        raise AssertionError

    def _sent(self, block: list[Array]) -> Future[list[Array]]:
        """Send a block to a worker, from which the others fetch it."""
        sent: list[Future[list[Array]]] = self.client.scatter([block], hash=False, timeout=WAIT)
        return sent[0]


class DaskMatrix:
    """The adjacency matrix of a network on workers, or its transpose: an `lpgraph.linalg.matvec.LinearMap`."""

    def __init__(self, panels: Sequence[_Panels]) -> None:
        self._panels = panels
        self.shape = (panels[0].bounds[-1], panels[0].bounds[-1])
        self.nnz = sum(facts.entries for facts in panels[0].facts)

    @property
    def T(self) -> DaskMatrix:  # noqa: N802 - as arrays call it
        """The transpose."""
        return DaskMatrix(self._panels[::-1])

    def __matmul__(self, block: NDArray[np.floating]) -> Array:
        # Pairs of columns as the compiled product reads them; else each panel would copy them.
        given = [np.ascontiguousarray(block[:, j : j + 2]) for j in range(0, block.shape[1], 2)]
        result = empty(block.shape)
        compiled = [self.nnz >= WORTHWHILE] * len(self._panels[0].futures)  # as in memory
        parts = self._panels[0].each(_multiplied, compiled, block=given)
        for (low, high), part in zip(pairwise(self._panels[0].bounds), parts, strict=True):
            result[low:high] = part
        return result


def _network(panels: Sequence[_Panels], names: Names, store: Path | None = None) -> ProductNetwork:
    """Return the network of the rows of a matrix, and of a directed one those of its transpose."""
    degrees, in_degrees = (np.concatenate([facts.degrees for facts in panels[side].facts]) for side in (0, -1))
    facts = [facts for facts in panels[0].facts if facts.entries]
    return ProductNetwork(
        DaskMatrix(panels),
        names,
        len(panels) == 2,
        degrees,
        in_degrees,
        np.concatenate([facts.diagonal for facts in panels[0].facts]),
        min((some.least for some in facts), default=0.0),
        max((some.most for some in facts), default=0.0),
        store,
    )


def _of_frame(
    frame: ForeignTable, client: Client, directed: bool, source: str, target: str, weight: str | None
) -> ProductNetwork:
    """Return the network of a data frame of edges, whose rows Dask sends to the workers of their panels."""
    titles = [source, target] + ([weight] if weight is not None and weight in frame.columns else [])
    missing = [title for title in titles if title not in frame.columns]
    if missing:
        raise ArgumentError(f"The data frame has no column {missing[0]!r}; pass source= and target=.")
    if any(frame[title].dtype.kind not in "iu" for title in titles[:2]):
        raise GraphError("The ends of edges are no integers; number the vertices 0 ... n - 1, or build a store.")
    ends = frame[titles[:2]]
    lowest, highest = client.gather(client.compute([ends.min().min(), ends.max().max()]))
    count = int(client.compute(frame.map_partitions(len, meta=("n", int)).sum()).result())
    if not count or lowest < 0:
        raise GraphError(f"The data frame has {count} edges from vertex {lowest} on; pass edges of 0 ... n - 1.")
    n = int(highest) + 1
    step = max(1, -(-n // (1 + 2 * count // _ENTRIES)))
    lows = list(range(0, max(1, n - 1), step))
    bounds = [*lows, n]
    made = []
    for side in ("out", "in") if directed else ("both",):
        rows = frame.map_partitions(_entries, titles, side, meta={"row": "i8", "column": "i8", "weight": "f8"})
        # The last division is within its panel.
        parts = rows.set_index("row", divisions=[*lows, max(n - 1, 1)]).to_delayed()
        made.append(_Panels(client, bounds, _shuffling(client, parts, bounds)))
    network = _network(made, range(n))
    if not np.isfinite([network.lowest_weight, network.highest_weight, network.degrees.sum()]).all():
        raise GraphError("The data frame has weights that are not finite; replace or drop them.")
    return network


def _shuffling(client: Client, parts: list[object], bounds: list[int]) -> Callable[[], list[Panel]]:
    from dask.delayed import delayed

    panels = [delayed(_panel)(part, *cut, bounds[-1]) for part, cut in zip(parts, pairwise(bounds), strict=True)]
    return lambda: client.compute(panels)


def _entries(edges: pandas.DataFrame, titles: list[str], side: str) -> pandas.DataFrame:
    """Return the entries for some edges: of the transpose with "in", of both triangles with "both"."""
    import pandas

    ends = [edges[title].to_numpy(np.int64) for title in titles[:2]]
    weights = edges[titles[2]].to_numpy(np.float64) if titles[2:] else np.ones(len(edges))
    rows, columns = ends[::-1] if side == "in" else ends
    if side == "both":
        apart = rows != columns
        rows, columns = np.r_[rows, columns[apart]], np.r_[columns, rows[apart]]
        weights = np.r_[weights, weights[apart]]
    return pandas.DataFrame({"row": rows, "column": columns, "weight": weights})


def _panel(entries: pandas.DataFrame, low: int, high: int, n: int) -> sparse.csr_array:
    """Return the rows of a panel; repeated entries are added in the order of their weights."""
    rows, columns, weights = entries.index.to_numpy(), entries["column"].to_numpy(), entries["weight"].to_numpy()
    order = np.lexsort((weights, columns, rows))
    places = rows[order] - low, columns[order]
    panel = sparse.csr_array((weights[order], places), shape=(high - low, n))
    panel.eliminate_zeros()
    return panel


def as_client(client: object) -> Client:
    """Return a client, or the current one if None.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When it is no client, is asynchronous or closed, or there is none.
    MissingDependencyError
        When distributed is not installed.
    """
    distributed = import_extra("distributed", "dask")
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ArgumentError("There is no Dask client; make one, such as distributed.Client().") from None
    if not isinstance(client, distributed.Client):
        raise ArgumentTypeError(f"client is of type {type(client).__name__}; pass a distributed.Client.")
    if client.asynchronous or client.status != "running":
        state = "asynchronous" if client.asynchronous else client.status
        raise ArgumentError(f"client is {state}; pass one that is connected, made without asynchronous=True.")
    found: Client = client
    return found


def wait_for_worker(client: Client) -> None:
    """Wait for a worker; raise if none comes."""
    try:
        client.wait_for_workers(1, timeout=WAIT)
    except TimeoutError:
        raise ClusterError(f"No worker was there for {WAIT} seconds; start workers, and call again.") from None
