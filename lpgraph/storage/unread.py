"""Values in a file, and attributes that read them on first access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Stored", "Unread"]


class Unread:
    """A value in a file, returned by `read`. Pickling stores the value itself."""

    def read(self) -> object:
        """Return the value after verification."""
        raise TypeError(f"{type(self).__name__} cannot be read.")

    def require(self, check: Callable[[Any], None]) -> None:
        """Add a check of the value, which raises; it is made when the value is read."""
        raise TypeError(f"{type(self).__name__} cannot be checked.")

    def __reduce__(self) -> tuple[object, ...]:
        return _itself, (self.read(),)


def _itself(value: object) -> object:
    return value


V = TypeVar("V")


class Stored(Generic[V]):
    """An attribute of type V whose value may be `Unread`; then it is read and verified on first access."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> V: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | V:
        if instance is None:
            return self
        held = vars(instance)
        if self._name not in held:
            raise AttributeError(f"{type(instance).__name__!r} object has no attribute {self._name!r}")
        if isinstance(held[self._name], Unread):
            held[self._name] = held[self._name].read()
        value: V = held[self._name]
        return value

    def __set__(self, instance: object, value: object) -> None:
        vars(instance)[self._name] = value

    def __delete__(self, instance: object) -> None:
        vars(instance).pop(self._name, None)
