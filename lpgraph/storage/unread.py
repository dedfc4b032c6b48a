"""Values in a file, and attributes that read them on first access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["ReadLater", "Stored", "Unread", "held_fields"]


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


class ReadLater:
    """Base of dataclasses some fields of which may be `Unread`; these are read and verified on first access."""

    #: Fields that new items do not need, or need in full only for some parameters.
    later: ClassVar[tuple[str, ...]] = ()

    if not TYPE_CHECKING:  # a type checker would accept every name

        def __getattr__(self, name: str) -> object:
            unread = vars(self).get("_unread", {})
            if name not in unread:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            found = unread[name]
            value = vars(self)[name] = found.read() if isinstance(found, Unread) else found
            return value

    def leave(self, unread: dict[str, Unread]) -> None:
        """Replace the values of some fields by what reads them."""
        for name in unread:
            del vars(self)[name]
        vars(self)["_unread"] = unread


def held_fields(value: object, names: Iterable[str]) -> dict[str, object]:
    """Return the fields of a dataclass as they are held: those that were not read stay unread."""
    unread = vars(value).get("_unread", {})
    return {
        name: unread[name] if name not in vars(value) and name in unread else getattr(value, name)
        for name in names
    }


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
