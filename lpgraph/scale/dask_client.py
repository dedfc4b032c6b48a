"""The Dask client that a user passes, or the current one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph._articles import a_type
from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["as_client", "passed_client"]


def passed_client(client: object) -> Client | None:
    """Return a client that was passed; None if it is None. Raise as `as_client`."""
    return None if client is None else as_client(client)


def as_client(client: object) -> Client:
    """Return a client, or the current one if None.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When it is no client, is asynchronous or closed, or there is none.
    MissingDependencyError
        When distributed is not installed.
    """
    import_extra("distributed", "dask")
    from distributed import Client, get_client

    if client is None:
        try:
            found = get_client()
        except ValueError:
            raise ArgumentError(
                "engine='dask' and there is no Dask client; make one, such as client = distributed.Client(), or "
                "pass that of your cluster."
            ) from None
    elif isinstance(client, Client):
        found = client
    else:
        raise ArgumentTypeError(f"client is {a_type(client)}; pass a distributed.Client.")
    if found.asynchronous:
        raise ArgumentError("client is asynchronous; pass one made without asynchronous=True.")
    if found.status != "running":
        raise ArgumentError(f"client is {found.status}; pass one that is connected.")
    return found
