"""Public names, listed once in the type stubs: one line for each name and the module that defines it."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

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
    return {
        home.rpartition(".")[2].replace("_", "-"): name
        for name, home in homes(package).items()
        if home.startswith(f"{folder}.") and name[0].isupper()
    }


def attach(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package whose names are imported on first use."""
    table = homes(package)

    def load(name: str) -> object:
        if name not in table:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        module = importlib.import_module(table[name])
        value = module if table[name] == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(table)
    return load, lambda: names, names
