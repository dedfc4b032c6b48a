"""Actions that an interruption does not cut short."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["surely"]

#: An action that fails this often fails for a reason of its own.
_TRIES = 100


def surely(action: Callable[[], object]) -> None:
    """Run an action to its end although signals interrupt it, and then raise the last interruption.

    The action is started again after each interruption, so it must be one that can be repeated.
    """
    late: BaseException | None = None
    for _ in range(_TRIES):
        try:
            action()
            break
        except BaseException as error:
            late = error
    if late is not None:
        try:
            raise late
        finally:
            del late  # it refers to this frame
