"""Values that still lie in a file, and attributes that fetch them when they are first asked for."""

from __future__ import annotations

from typing import Any

__all__ = ["Stored", "Unread"]


class Unread:
    """A value in a file; `read` gives it. A pickle of it holds the value itself."""

    def read(self) -> Any:
        """Return the value, verified."""
        raise TypeError(f"{type(self).__name__} cannot be read.")

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (self.read(),)


def _itself(value: Any) -> Any:
    return value


class Stored:
    """An attribute whose value may be `Unread`: it is read, and verified, when it is first asked for."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        held = vars(instance)
        if self._name not in held:
            raise AttributeError(f"{type(instance).__name__!r} object has no attribute {self._name!r}")
        if isinstance(held[self._name], Unread):
            held[self._name] = held[self._name].read()
        return held[self._name]

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self._name] = value

    def __delete__(self, instance: Any) -> None:
        vars(instance).pop(self._name, None)
