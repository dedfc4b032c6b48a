"""Files of an edge store, and its manifest."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from lpgraph._files import replace_file
from lpgraph.errors import StoreError

__all__ = ["MANIFEST", "NAMES", "Direction", "FileFacts", "Manifest", "part_file"]

Direction = Literal["out", "in"]

MANIFEST = "manifest.json"
NAMES = "names.parquet"

_FORMAT = "lpgraph edge store"
_VERSION = 1


def part_file(direction: Direction, part: int, kind: Literal["indptr", "indices", "weights"]) -> str:
    """Return the name of a file of a partition.

    Examples
    --------
    >>> from lpgraph.scale.layout import part_file
    >>> part_file("out", 3, "indices")
    'out-00003.indices.npy'
    """
    return f"{direction}-{part:05d}.{kind}.npy"


@dataclass(frozen=True)
class FileFacts:
    """Size and checksum of a file."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What `manifest.json` says.

    Attributes
    ----------
    n_vertices, n_edges, n_entries : int
        Numbers of vertices, of edges or arcs, and of entries that are stored in one direction.
    directed, weighted : bool
        Kind of network.
    lowest_weight, highest_weight : float
        The lowest and the highest weight; 0 without edges.
    cuts, panels : tuple of int
        Bounds of the partitions of rows and of the panels of columns.
    names : str
        "integers" if vertices are called 0 ... n-1, else the file with the names.
    files : dict of str to FileFacts
        All other files.
    source : dict
        Of what the store was built.
    """

    n_vertices: int
    n_edges: int
    n_entries: int
    directed: bool
    weighted: bool
    lowest_weight: float
    highest_weight: float
    cuts: tuple[int, ...]
    panels: tuple[int, ...]
    names: str
    files: Mapping[str, FileFacts]
    source: Mapping[str, object]

    @property
    def directions(self) -> tuple[Direction, ...]:
        """The directions of the tiles: the rows of the matrix, and of its transpose if it is directed."""
        return ("out", "in") if self.directed else ("out",)

    @property
    def n_parts(self) -> int:
        """Number of partitions."""
        return len(self.cuts) - 1

    def write(self, folder: Path) -> None:
        """Write the file, whole or not at all."""
        content = {"format": _FORMAT, "version": _VERSION, **asdict(self)}
        replace_file(folder / MANIFEST, (json.dumps(content, indent=1) + "\n").encode())

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the file; raise if there is none, or if it is damaged."""
        path = folder / MANIFEST
        try:
            content = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise StoreError(f"{folder} is no edge store: it has no {MANIFEST}; {_remedy(folder)}.") from None
        except (ValueError, RecursionError):
            raise _damaged(path, "it is no JSON") from None
        if not isinstance(content, dict) or content.pop("format", None) != _FORMAT:
            raise _damaged(path, "it is not that of an edge store")
        version = content.pop("version", None)
        if version != _VERSION:
            raise StoreError(
                f"{path} is of version {version!r} and this lpgraph reads version {_VERSION}; build the store "
                "again, or update lpgraph."
            )
        for name, is_sound in _FIELDS.items():
            if name not in content or not is_sound(content[name]):
                raise _damaged(path, f"its {name} is {content.get(name)!r:.60}")
        fields = {name: content[name] for name in _FIELDS}
        fields["files"] = {name: FileFacts(**facts) for name, facts in fields["files"].items()}
        found = cls(**{**fields, "cuts": tuple(fields["cuts"]), "panels": tuple(fields["panels"])})
        if (
            (found.cuts[-1], found.panels[-1]) != (found.n_vertices,) * 2
            or not {*found.panels} <= {*found.cuts}
            or found.names not in ("integers", NAMES)
        ):
            raise _damaged(path, "its cuts, panels and names contradict each other")
        return found


def _remedy(folder: Path) -> str:
    if (folder / "building").is_dir():
        return "its build was stopped, and goes on if build_store is called again as before"
    return "pass the folder that build_store made"


def _damaged(path: Path, why: str) -> StoreError:
    return StoreError(f"{path} is damaged: {why}; build the store again, or restore it from a copy.")


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def _are_bounds(value: object) -> bool:
    return (
        isinstance(value, Sequence)
        and len(value) > 1
        and all(map(_is_count, value))
        and value[0] == 0
        and all(low < high for low, high in pairwise(value))
    )


def _are_files(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(facts, dict)
        and facts.keys() == {"bytes", "sha256"}
        and _is_count(facts["bytes"])
        and isinstance(facts["sha256"], str)
        and "/" not in name
        and "\\" not in name
        for name, facts in value.items()
    )


_FIELDS: dict[str, Callable[[object], bool]] = {
    **dict.fromkeys(("n_vertices", "n_edges", "n_entries"), _is_count),
    **dict.fromkeys(("directed", "weighted"), lambda value: isinstance(value, bool)),
    **dict.fromkeys(("lowest_weight", "highest_weight"), _is_number),
    **dict.fromkeys(("cuts", "panels"), _are_bounds),
    "names": lambda value: isinstance(value, str),
    "files": _are_files,
    "source": lambda value: isinstance(value, dict),
}
