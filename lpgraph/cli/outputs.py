"""Output: tables in the format of their suffix, JSON for programs, and progress; files are written as a whole."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from typer import echo

import lpgraph as lp
from lpgraph._utils.files import existing, missing_file, replace_file
from lpgraph.errors import ArgumentError

from . import options

if TYPE_CHECKING:
    import pandas as pd

    from lpgraph._utils.checks import Foreign

    Table: TypeAlias = Mapping[str, object] | pd.DataFrame

_TABLES = (".csv", ".tsv", ".parquet", ".json")


def check_files(
    *,
    reads: Iterable[str | None] = (),
    writes: Iterable[str | None] = (),
    tables: Iterable[str | None] = (),
    model: str | None = None,
) -> None:
    """Refuse missing inputs, and outputs that could not be written or would replace an input or each other.

    So nothing is computed before.
    """
    inputs = [path for path in reads if path not in (None, "-")]
    outputs = [path for path in (*writes, *tables, model) if path not in (None, "-")]
    for path in inputs:
        with existing(path):
            os.stat(path)
    for table in tables:
        check_suffix("output", table, _TABLES)
    check_suffix("save", model, (".lpg",))
    places = [os.path.realpath(path) for path in [*set(inputs), *outputs]]
    for path in outputs:
        if not Path(path).parent.is_dir():
            raise missing_file(path, "output")
        if os.path.isdir(path):
            raise ArgumentError(f"{path}: this is a folder; name a file.")
        if places.count(os.path.realpath(path)) > 1:
            raise ArgumentError(f"{path} is read by this command, or written twice; name another file.")


def check_suffix(argument: str, path: str | None, suffixes: tuple[str, ...]) -> None:
    """Refuse an output whose name has none of these suffixes."""
    if path not in (None, "-") and Path(path).suffix not in suffixes:
        raise ArgumentError(f"{argument}={path}; name a file that ends in {', '.join(suffixes)}.")


def check_picture(path: str, *reads: str | None) -> None:
    """Refuse missing inputs, and a picture that could not be saved."""
    check_suffix("output", path, (".png", ".svg", ".pdf"))
    check_files(reads=reads, writes=[path])


def progress() -> AbstractContextManager[None]:
    """Return a block in which a terminal shows how far computations are."""
    return lp.progress() if sys.stderr.isatty() else nullcontext()


def say(text: str) -> None:
    """Print a line to standard error if that is a terminal."""
    if sys.stderr.isatty():
        echo(text, err=True)


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
        within = self.as_json and self.output == "-"
        if table is not None and not within:
            write_table(table, self.output)
        if self.as_json:
            print_facts({**facts, "rows": _records(table)} if within else facts, as_json=True)
        else:
            say(_text(facts))


def print_facts(facts: Mapping[str, object], as_json: bool) -> None:
    """Print results that are not a table, or one JSON object."""
    write_bytes("-", f"{_json(facts) if as_json else _text(facts)}\n".encode())


def write_table(table: Table, path: str) -> None:
    """Write a table in the format of its suffix.

    Texts have ten digits, more than positions have by their estimation from one network.
    """
    import pandas as pd

    frame, suffix = pd.DataFrame(table), Path(path).suffix
    if suffix == ".parquet":
        content = frame.to_parquet(index=False)
    elif suffix == ".json":
        content = f"{_json(_records(frame))}\n".encode()
    else:
        content = frame.to_csv(
            sep="\t" if suffix == ".tsv" else ",", index=False, float_format="%.10g", lineterminator="\n"
        ).encode()
    write_bytes(path, content)


def write_bytes(path: str, content: bytes) -> None:
    """Write a file as a whole or, if something fails, not at all; - is standard output."""
    if path == "-":
        echo(content, nl=False)
    else:
        replace_file(path, content)


def write_network(graph: object, path: str, form: str | None = None) -> None:
    """Write a graph in a format, by default that of the suffix, and csv on standard output."""
    if path != "-":
        lp.write_graph(graph, path, format=form)
        return
    content = io.BytesIO()
    lp.write_graph(graph, content, format=form or "csv")
    write_bytes("-", content.getvalue())


def _records(table: Table | None) -> object:
    import pandas as pd

    return pd.DataFrame(table).to_dict("records")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Foreign) -> object:
    """Return arrays and numbers of numpy, ranges and mappings as values that JSON has."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return dict(value) if isinstance(value, Mapping) else list(value)


def _text(facts: Mapping[str, object]) -> str:
    """Return facts as lines."""
    plain: dict[str, object] = json.loads(_json(facts))
    width = max(map(len, plain))
    return "\n".join(f"{key.replace('_', ' '):{width}}  {_shown(value)}" for key, value in plain.items())


def _shown(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case list():
            return ", ".join(map(_shown, value)) or "none"
        case dict():
            return ", ".join(f"{key}: {_shown(entry)}" for key, entry in value.items())
    return str(value)
