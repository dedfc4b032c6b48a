"""Local Dask clusters for tests."""

from contextlib import contextmanager

import pytest

distributed = pytest.importorskip("distributed")


@contextmanager
def cluster(workers, processes=False, default=True, **options):
    """Yield the client of a cluster on this machine, with one thread a worker."""
    with (
        distributed.LocalCluster(
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
