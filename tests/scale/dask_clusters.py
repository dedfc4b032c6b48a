"""Local Dask clusters for tests."""

from contextlib import contextmanager, suppress

import pytest

distributed = pytest.importorskip("distributed")


class Cluster(distributed.LocalCluster):
    """A cluster that may be told of the end of a worker that it has forgotten, as after a kill."""

    def _update_worker_status(self, op, msg):
        with suppress(KeyError):
            super()._update_worker_status(op, msg)


@contextmanager
def cluster(workers, processes=False, default=True, **options):
    """Yield the client of a cluster on this machine, with one thread a worker."""
    with (
        Cluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=processes,
            host=None if not processes else "127.0.0.1",
            dashboard_address="127.0.0.1:0",
            **options,
        ) as found,
        distributed.Client(found, set_as_default=default) as client,
    ):
        yield client
