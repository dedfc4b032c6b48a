"""`on_dask`: a network whose products with vectors are computed by the workers of a Dask cluster.

The rows of the adjacency matrix are cut into panels, which workers hold. For a product the block of vectors is
sent to all workers, each panel is multiplied, and the results are put together in the order of the panels. Every
row is summed by one worker in the order of its entries, so that the result does not depend on the number of
workers, and is that of the same product in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import import_extra, type_of
from lpgraph._utils.files import is_path
from lpgraph.errors import ArgumentError, ArgumentTypeError, ClusterError
from lpgraph.graph.adjacency import ProductNetwork
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.files.store import arrays_of, open_store
from lpgraph.linalg.matvec import WORTHWHILE, Product
from lpgraph.linalg.room import empty

if TYPE_CHECKING:
    from distributed import Client, Future
    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array

#: Some rows of a matrix on a worker.
Panel: TypeAlias = "Future[sparse.csr_array]"

#: Entries of a panel, about.
_ENTRIES = 1 << 21

#: How often a product is tried, if workers are lost, and seconds until one must be there.
_TRIES, WAIT = 5, 120


def on_dask(network: object, client: Client | None = None) -> ProductNetwork:
    """Return a network whose products with vectors are computed by the workers of a Dask cluster.

    `AdjacencySpectralEmbedding`, `LaplacianSpectralEmbedding`, `ModularityEmbedding` and `RandomWalkEmbedding` are
    fitted to it as to a graph in memory: the eigensolver stays in this process, and the embedding is the same with
    any number of workers, to the last bit on processors of one type. It takes blocks of four vectors, so that
    there are few rounds. If a worker is lost, Dask makes its part of the network again, and the fit continues.

    Parameters
    ----------
    network : path, Adjacency or scipy matrix
        - The folder of an edge store, which all workers see under the same path.
        - A graph in memory, whose rows are sent to the workers.
    client : distributed.Client, optional
        The cluster; the current client by default.

    Returns
    -------
    ProductNetwork
        Has the number of vertices and edges, names, degrees, and products.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When there is no client, or the network is of another type.
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
    client = _as_client(client)
    graph = open_store(network) if is_path(network) else as_adjacency(network)
    panels = [_Panels(client, graph.matrix, graph.store, "")]
    if graph.directed:
        back = sparse.csr_array(graph.matrix.T) if graph.transposed is None else graph.transposed
        panels.append(_Panels(client, back, graph.store, "in_"))
    return ProductNetwork(
        DaskMatrix(panels),
        graph.names,
        graph.directed,
        graph.degrees,
        graph.in_degrees,
        graph.diagonal,
        graph.lowest_weight,
        graph.highest_weight,
        graph.store,
    )


def _mapped(folder: Path, prefix: str, low: int, high: int) -> sparse.csr_array:
    """Return some rows of a store, from memory maps."""
    indptr, indices, weights = arrays_of(folder, prefix)
    first, last = int(indptr[low]), int(indptr[high])
    some = indptr[low : high + 1] - indptr[low]
    return sparse.csr_array((weights[first:last], indices[first:last], some), shape=(high - low, len(indptr) - 1))


def _multiplied(panel: sparse.csr_array, *, compiled: bool, block: list[Array]) -> Array:
    matrix = (Product.of(panel, least=1) if compiled else None) or panel
    return np.hstack([matrix @ pair for pair in block])


class _Panels:
    """The rows of a matrix on workers, in panels.

    Parameters
    ----------
    client : Client
        The cluster.
    matrix : csr_array
        The matrix.
    store : Path or None
        The edge store of the matrix.
    prefix : str
        How the files of the matrix in the store begin.
    """

    def __init__(self, client: Client, matrix: sparse.csr_array, store: Path | None, prefix: str) -> None:
        self.client, self.matrix, self.store, self.prefix = client, matrix, store, prefix
        targets = np.linspace(0, matrix.nnz, 2 + matrix.nnz // _ENTRIES)[1:-1].astype(matrix.indptr.dtype)
        self.bounds = np.unique([0, *np.searchsorted(matrix.indptr, targets), matrix.shape[0]]).tolist()
        self.place()

    def place(self) -> None:
        """Bring the panels to the workers: they map those of a store, and are sent others."""
        self.futures: list[Panel]
        if self.store is not None:
            place = partial(_mapped, self.store, self.prefix)
            self.futures = self.client.map(place, self.bounds[:-1], self.bounds[1:], pure=False)
        else:
            panels = [self.matrix[low:high] for low, high in pairwise(self.bounds)]
            self.futures = self.client.scatter(panels, hash=False)

    def times(self, block: list[Array], *, compiled: bool) -> list[Array]:
        """Return the products of the panels, in their order; again if workers are lost meanwhile."""
        from distributed import KilledWorker

        lost: Exception | None = None
        for _ in range(_TRIES):
            try:
                wait_for_worker(self.client)
                if any(future.status in ("lost", "cancelled", "error") for future in self.futures):
                    self.place()
                # To one worker, from which the others fetch it.
                sent = self.client.scatter([block], hash=False, timeout=WAIT)[0]
                parts = self.client.map(_multiplied, self.futures, compiled=compiled, block=sent, pure=False)
                found: list[Array] = self.client.gather(parts)
                return found
            except KilledWorker as error:
                raise ClusterError(f"Workers died of a panel ({error}); give them more memory.") from None
            except (CancelledError, OSError) as error:  # data that was sent, and is gone with its worker
                lost = error
        problem = f"Workers were lost {_TRIES} times in one product ({lost!r:.200})"
        raise ClusterError(f"{problem}; start workers that stay, and call again.")


class DaskMatrix:
    """The adjacency matrix of a network on workers, or its transpose: an `lpgraph.linalg.matvec.LinearMap`."""

    def __init__(self, panels: Sequence[_Panels]) -> None:
        self._panels, self.nnz, self.shape = panels, panels[0].matrix.nnz, panels[0].matrix.shape

    @property
    def T(self) -> DaskMatrix:  # noqa: N802 - as arrays call it
        """The transpose."""
        return DaskMatrix(self._panels[::-1])

    def __matmul__(self, block: NDArray[np.floating]) -> Array:
        # Pairs of columns as the compiled product reads them; else each panel would copy them.
        given = [np.ascontiguousarray(block[:, j : j + 2]) for j in range(0, block.shape[1], 2)]
        result = empty(block.shape)
        parts = self._panels[0].times(given, compiled=self.nnz >= WORTHWHILE)  # as in memory
        for (low, high), part in zip(pairwise(self._panels[0].bounds), parts, strict=True):
            result[low:high] = part
        return result


def _as_client(client: Foreign) -> Client:
    """Return a client, or the current one if None."""
    distributed = import_extra("distributed", "dask")
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ArgumentError("There is no Dask client; make one, such as distributed.Client().") from None
    if not isinstance(client, distributed.Client):
        raise ArgumentTypeError(f"client is {type_of(client)}; pass a distributed.Client.")
    if client.asynchronous or client.status != "running":
        problem = f"client is {client.status}, and asynchronous={client.asynchronous}"
        raise ArgumentError(f"{problem}; pass one that is connected, made without asynchronous=True.")
    found: Client = client
    return found


def wait_for_worker(client: Client) -> None:
    """Wait for a worker; raise if none comes."""
    try:
        client.wait_for_workers(1, timeout=WAIT)
    except TimeoutError:
        raise ClusterError(f"No worker was there for {WAIT} seconds; start workers, and call again.") from None
