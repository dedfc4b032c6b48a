"""Attributes that are computed on first access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["cached_property"]

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801
    """A property that is computed once for each instance.

    Not that of functools: before Python 3.12 it holds a lock while it computes, one for all instances. A child
    forked at that moment would wait for it forever. Here two threads may compute the value at the same time.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> Self | T:
        if instance is None:
            return self
        value = self._compute(instance)
        vars(instance)[self._name] = value
        return value
