"""Public names, listed once in the type stubs: one line for each name and the module that defines it."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["attach", "homes", "methods", "nearest"]

_LINE = re.compile(r"^from ([\w.]+) import (\w+) as \2$", re.MULTILINE)


@cache
def homes(package: str) -> dict[str, str]:
    """Return the module of each public name of a package, read from its ``__init__.pyi``."""
    # Not open(): the package may be in an archive.
    stub = pkgutil.get_data(package, "__init__.pyi") or b""
    found = _LINE.findall(stub.decode())
    return {name: f"{home}.{name}" if home == package else home for home, name in found}


def methods(package: str, folder: str) -> dict[str, str]:
    """Return the embeddings of a folder by the names of their modules: ``{"kernel-pca": "KernelPCA", ...}``."""
    importlib.import_module(package)
    return {
        home.rpartition(".")[2].replace("_", "-"): name
        for name, home in homes(package).items()
        if home.startswith(f"{folder}.") and name[0].isupper()
    }


def nearest(name: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the name that is most similar to a misspelled one, if any is similar; case does not matter.

    `cutoff` is the least ratio of `difflib.SequenceMatcher`.
    """
    from difflib import get_close_matches

    by_text = {known.casefold(): known for known in names}
    near = get_close_matches(name.casefold(), by_text, n=1, cutoff=cutoff)
    return by_text[near[0]] if near else None


def _deeper(package: str, table: dict[str, str], name: str) -> str | None:
    """Return the full name of the class or function that a package of this one has by that name, if one has."""
    for child, home in table.items():
        if home == f"{package}.{child}":
            try:  # without importing the child
                stub = pkgutil.get_data(package, f"{child}/__init__.pyi") or b""
            except OSError:  # it has no list of names
                continue
            if any(listed == name and place != home for place, listed in _LINE.findall(stub.decode())):
                return f"{home}.{name}"
    return None


def attach(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package whose names are imported on first use."""
    table = homes(package)

    def load(name: str) -> object:
        if name not in table:
            near = _deeper(package, table, name) or nearest(name, table)
            hint = "" if near is None else f"; did you mean {near!r}?"
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}", name=name)
        module = importlib.import_module(table[name])
        value = module if table[name] == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(table)
    return load, lambda: names, names
