"""Output: tables in the format of their suffix, JSON for programs; files are written as a whole."""

from __future__ import annotations

import csv
import io
import json
import os
import warnings
from collections.abc import Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lpgraph as lp
from lpgraph._files import is_replaced, replace_file
from lpgraph._missing_file import existing
from lpgraph.cli._errors import CommandError
from lpgraph.cli._progress import say
from lpgraph.cli._standard import Standard
from lpgraph.errors import LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "check_outputs",
    "columns",
    "finish",
    "joined",
    "plain",
    "print_facts",
    "write_bytes",
    "write_network",
    "write_table",
]

_TABLES = (".csv", ".tsv", ".parquet", ".json")

#: Columns by name: sequences or arrays of one length.
Table = Mapping[str, object]


def check_outputs(
    *,
    table: str | None = None,
    model: str | None = None,
    moved: str | None = None,
    other: Iterable[str | None] = (),
    inputs: Iterable[str | None] = (),
) -> None:
    """Refuse outputs that could not be written, and inputs that are missing or would be replaced.

    So nothing is computed before. A device or a pipe needs no suffix; a table is written to it as csv.
    """
    for option, path in (("--output", table), ("--moved", moved)):
        if path is None or (path == "-" and option == "--output"):
            continue
        if Path(path).suffix not in _TABLES and is_replaced(path):
            raise CommandError(
                f"{option}={path} has no suffix of a table; name a file that ends in {', '.join(_TABLES)}."
            )
        if path.endswith(".parquet"):
            _parquet()
    if model is not None and not model.endswith(".lpg"):
        raise CommandError(f"--save={model}; name a file that ends in .lpg, such as model.lpg.")
    for path in inputs:
        if path is not None and path != "-":
            with existing(path):
                os.stat(path)
    used = {os.path.realpath(path) for path in inputs if path is not None and path != "-"}
    written: set[str] = set()
    for path in (table, model, moved, *other):
        if path is None or path == "-":
            continue
        folder = Path(path).parent
        if not folder.is_dir():
            raise CommandError(f"{path}: there is no folder {folder}; make it first.")
        if path.endswith(os.sep) or Path(path).is_dir():
            raise CommandError(f"{path}: this is a folder; name a file.")
        if os.path.realpath(path) in used:
            raise CommandError(f"{path} is read by this command and would be replaced; name another file.")
        if os.path.realpath(path) in written:
            raise CommandError(f"{path} is named for two outputs; name another file for one of them.")
        if not Path(path).exists() or Path(path).is_file():  # a device takes several outputs
            written.add(os.path.realpath(path))


def finish(facts: Mapping[str, object], table: Table | None, output: str, as_json: bool) -> None:
    """Write the table, unless None; the facts are shown on a terminal, or are part of the JSON object."""
    if table is None or output != "-":
        if table is not None:
            write_table(table, output)
        if as_json:
            _print_json({**facts, "output": output})
        else:
            say("\n".join([*_lines(facts), f"written to {output}"]))
    elif as_json:
        _print_json({**facts, "rows": _records(table)})
    else:
        write_bytes("-", _text(table, ",").encode())
        say("\n".join(_lines(facts)))


def print_facts(facts: Mapping[str, object], as_json: bool) -> None:
    """Print results that are not a table."""
    if as_json:
        _print_json(facts)
    else:
        write_bytes("-", ("\n".join(_lines(facts)) + "\n").encode())


def write_table(table: Table, path: str) -> None:
    """Write a table in the format of its suffix."""
    suffix = Path(path).suffix
    if suffix == ".parquet":
        pyarrow, parquet = _parquet()
        buffer = io.BytesIO()
        parquet.write_table(pyarrow.table({key: plain(column) for key, column in table.items()}), buffer)
        write_bytes(path, buffer.getvalue())
    elif suffix == ".json":
        write_bytes(path, (json.dumps(_records(table), ensure_ascii=False) + "\n").encode())
    else:
        write_bytes(path, _text(table, "\t" if suffix == ".tsv" else ",").encode())


def write_bytes(path: str, content: bytes) -> None:
    """Write a file as a whole or, if something fails, not at all; - is standard output."""
    if path == "-":
        Standard().write(content)
        return
    replace_file(path, content)


def write_network(graph: object, path: str, form: str | None = None) -> None:
    """Write a graph in a format, by default that of the suffix; csv on standard output, to a device or a pipe."""
    if path == "-":
        lp.write_graph(graph, Standard(), format="csv" if form is None else form)
    else:
        plain = form is None and not Path(path).suffix and not is_replaced(path)
        lp.write_graph(graph, path, format="csv" if plain else form)


def columns(names: Iterable[object], values: NDArray[np.float64]) -> dict[str, object]:
    """Return the named columns of an array."""
    return {str(name): values[:, k] for k, name in enumerate(names)}


def joined(tables: Sequence[Table]) -> Table:
    """Return tables of names and results as one; a column that a table lacks has None there."""
    if len(tables) == 1:
        return tables[0]
    titles = dict.fromkeys(title for table in tables for title in table)
    return {title: [value for table in tables for value in _column(table, title)] for title in titles}


def _column(table: Table, title: str) -> Any:
    return plain(table[title]) if title in table else [None] * len(plain(table["name"]))


def plain(value: object) -> Any:
    """Return values of numpy as values of Python, for JSON and tables."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | range):
        return [plain(entry) for entry in value]
    return value


def _parquet() -> tuple[ModuleType, ModuleType]:
    from lpgraph._checks import import_extra

    return import_extra("pyarrow", "parquet"), import_extra("pyarrow.parquet", "parquet")


def _text(table: Table, delimiter: str) -> str:
    from lpgraph.graph.files.text import guarded

    rows = [(*table,), *zip(*map(plain, table.values()), strict=True)]
    cells = [tuple(map(guarded, row)) for row in rows]
    changed = sum(new is not old for new, old in zip(chain(*cells), chain(*rows), strict=True))
    if changed:
        warnings.warn(
            f"Cells that a spreadsheet would compute ({changed} of them) are written with an apostrophe; "
            "write .parquet or .json to keep them as they are.",
            LpgraphWarning,
            stacklevel=2,
        )
    text = io.StringIO(newline="")
    # A carriage return ends a row as well, but not every version of csv puts a cell that has one in quotes.
    returns = any(isinstance(cell, str) and "\r" in cell for cell in chain(*cells))
    writer = partial(csv.writer, quoting=csv.QUOTE_NONNUMERIC) if returns else csv.writer
    writer(text, delimiter=delimiter, lineterminator="\n").writerows(cells)
    return text.getvalue()


def _records(table: Table) -> list[dict[str, object]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*map(plain, table.values()), strict=True)]


def _print_json(facts: Mapping[str, object]) -> None:
    write_bytes("-", (json.dumps(plain(facts), ensure_ascii=False) + "\n").encode())


def _lines(facts: Mapping[str, object]) -> list[str]:
    width = max(map(len, facts), default=0)
    return [f"{key.replace('_', ' '):{width}}  {_shown(plain(value))}" for key, value in facts.items()]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_shown(entry)}" for key, entry in value.items())
    return str(value)
