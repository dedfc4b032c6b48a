"""Output: tables in the format of their suffix, JSON for programs, and progress; files are written as a whole."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import lpgraph as lp
from lpgraph._utils.files import existing, is_replaced, missing_file, replace_file
from lpgraph.cli import options
from lpgraph.cli.streams import Standard, visible
from lpgraph.errors import ArgumentError, LpgraphWarning

if TYPE_CHECKING:
    from lpgraph._utils.checks import Foreign

_TABLES = (".csv", ".tsv", ".parquet", ".json")
_PICTURES = (".png", ".svg", ".pdf")

#: Columns by name: sequences or arrays of one length.
Table = Mapping[str, object]


def check_files(
    *,
    reads: Iterable[str | None] = (),
    writes: Iterable[str | None] = (),
    tables: Iterable[str | None] = (),
    model: str | None = None,
) -> None:
    """Refuse missing inputs, and outputs that could not be written or would replace an input or each other.

    So nothing is computed before. A device or a pipe needs no suffix; a table is written to it as csv.
    """
    used = set()
    for path in _files(reads):
        with existing(path):
            os.stat(path)
        used.add(os.path.realpath(path))
    for path in _files(tables):
        if Path(path).suffix not in _TABLES and is_replaced(path):
            raise ArgumentError(f"{path} has no suffix of a table; name a file that ends in {', '.join(_TABLES)}.")
        if path.endswith(".parquet"):
            _parquet()
    if model is not None and not model.endswith(".lpg"):
        raise ArgumentError(f"save={model}; name a file that ends in .lpg, such as model.lpg.")
    for path in _files([*writes, *tables, model]):
        if not Path(path).parent.is_dir():
            raise missing_file(path, "output")
        if path.endswith(os.sep) or Path(path).is_dir():
            raise ArgumentError(f"{path}: this is a folder; name a file.")
        if os.path.realpath(path) in used:
            raise ArgumentError(f"{path} is read by this command, or written twice; name another file.")
        if is_replaced(path):  # a device takes several outputs
            used.add(os.path.realpath(path))


def _files(paths: Iterable[str | None]) -> list[str]:
    return [path for path in paths if path not in (None, "-")]


def check_picture(path: str) -> None:
    """Refuse a picture that could not be saved."""
    if path != "-" and Path(path).suffix not in _PICTURES:
        raise ArgumentError(f"{path} is no picture; name a file that ends in {', '.join(_PICTURES)}.")
    check_files(writes=[path])


def check_page(argument: str, path: str | None) -> None:
    """Refuse a page that has not the suffix of one."""
    if path not in (None, "-") and Path(path).suffix not in (".html", ".htm"):
        raise ArgumentError(f"{argument}={path} is no page; name a file that ends in .html.")


def progress() -> AbstractContextManager[None]:
    """Return a block in which a terminal shows how far computations are."""
    return lp.progress() if sys.stderr.isatty() else nullcontext()


def say(text: str) -> None:
    """Print a line to standard error if that is a terminal."""
    if sys.stderr.isatty():
        print(visible(text), file=sys.stderr)


@dataclass(frozen=True)
class Result:
    """Where a table goes, with facts about it.

    Attributes
    ----------
    output : FILE
        The table: .csv, .tsv, .parquet or .json; - is standard output.
    """

    output: options.Output = "-"
    as_json: options.AsJson = False

    def finish(self, facts: Mapping[str, object], table: Table | None) -> None:
        """Write the table, unless None; the facts are shown on a terminal, or are part of the JSON object."""
        if self.as_json and self.output == "-" and table is not None:
            _print_json({**facts, "rows": _records(table)})
            return
        if table is not None:
            write_table(table, self.output)
        if self.as_json:
            _print_json({**facts, "output": self.output})
        else:
            say("\n".join([*_lines(facts), *([] if self.output == "-" else [f"written to {self.output}"])]))


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
        parquet.write_table(pyarrow.table({key: _plain(column) for key, column in table.items()}), buffer)
        write_bytes(path, buffer.getvalue())
    elif suffix == ".json":
        write_bytes(path, (json.dumps(_records(table), ensure_ascii=False) + "\n").encode())
    else:
        write_bytes(path, _text(table, "\t" if suffix == ".tsv" else ",").encode())


def write_bytes(path: str, content: bytes) -> None:
    """Write a file as a whole or, if something fails, not at all; - is standard output."""
    if path == "-":
        Standard().write(content)
    else:
        replace_file(path, content)


def write_network(graph: object, path: str, form: str | None = None) -> None:
    """Write a graph in a format, by default that of the suffix; csv on standard output, to a device or a pipe."""
    if path == "-" or (not Path(path).suffix and not is_replaced(path)):
        form = "csv" if form is None else form
    lp.write_graph(graph, Standard() if path == "-" else path, format=form)


def rounded(columns: Table, output: str, digits: int = 10) -> Table:
    """Return columns of numbers with so many significant digits, or as they are for a Parquet table.

    Ten are more than positions have by their estimation from one network, and enough to rotate and compare them.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.cli.outputs import rounded
    >>> rounded({"x": np.array([1 / 3, 1234567890123.0])}, "table.csv")
    {'x': [0.3333333333, 1234567890000.0]}
    """
    if output.endswith(".parquet"):
        return columns
    return {title: [float(f"{value:.{digits}g}") for value in _plain(values)] for title, values in columns.items()}


def joined(tables: Sequence[Table]) -> Table:
    """Return tables with the same columns as one."""
    return {title: [value for table in tables for value in _plain(table[title])] for title in tables[0]}


def _plain(value: object) -> Foreign:
    """Return values of numpy as values of Python, for JSON and tables."""
    if hasattr(value, "tolist"):
        return value.tolist()
    match value:
        case Mapping():
            return {key: _plain(entry) for key, entry in value.items()}
        case list() | tuple() | range():
            return [_plain(entry) for entry in value]
    return value


def _parquet() -> tuple[ModuleType, ModuleType]:
    from lpgraph._utils.checks import import_extra

    return import_extra("pyarrow", "parquet"), import_extra("pyarrow.parquet", "parquet")


def _text(table: Table, delimiter: str) -> str:
    """Return a table as text, in which texts that a spreadsheet would compute have an apostrophe before them."""
    from lpgraph.graph.files.tables import guarded
    from lpgraph.graph.names import texts_of

    rows = [(*table,), *zip(*map(_plain, table.values()), strict=True)]
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
    returns = any("\r" in cell for cell in texts_of(chain(*cells)))
    writer = partial(csv.writer, quoting=csv.QUOTE_NONNUMERIC) if returns else csv.writer
    writer(text, delimiter=delimiter, lineterminator="\n").writerows(cells)
    return text.getvalue()


def _records(table: Table) -> list[dict[str, object]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*map(_plain, table.values()), strict=True)]


def _print_json(facts: Mapping[str, object]) -> None:
    write_bytes("-", (json.dumps(_plain(facts), ensure_ascii=False) + "\n").encode())


def _lines(facts: Mapping[str, object]) -> list[str]:
    width = max(map(len, facts), default=0)
    return [f"{key.replace('_', ' '):{width}}  {_shown(_plain(value))}" for key, value in facts.items()]


def _shown(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case list():
            return ", ".join(map(_shown, value))
        case dict():
            return ", ".join(f"{key}: {_shown(entry)}" for key, entry in value.items())
    return str(value)
