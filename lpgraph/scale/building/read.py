"""Step 1: shards become chunks of edges whose end points are integers or hashes of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lpgraph._checks import import_extra
from lpgraph._progress import tell
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError, StoreError
from lpgraph.scale.building.blocks import Block, Ends, Texts
from lpgraph.scale.building.chunk_file import count_of, read_arrays, read_facts, write_arrays
from lpgraph.scale.building.columns import Columns
from lpgraph.scale.building.name_set import NameSet, new_seed
from lpgraph.scale.building.shards import Shard
from lpgraph.scale.building.text_shard import as_integers
from lpgraph.scale.building.work import Work
from lpgraph.scale.logs import log

__all__ = ["Listing", "NotIntegersError", "read_shards"]

#: Edges of a chunk, approximately.
CHUNK = 1 << 22
#: The part of the memory for the names seen so far.
_NAMES = 0.5


class NotIntegersError(Exception):
    """A text file has a name that is no integer, after others that were."""


@dataclass(frozen=True)
class Listing:
    """What the shards have.

    Attributes
    ----------
    chunks, edges : int
        Number of chunks, and of edges as they are listed.
    weighted : bool
        Whether they have weights.
    kind : str
        "integers" or "texts".
    low, high : int
        The least and the largest integer.
    """

    chunks: int
    edges: int
    weighted: bool
    kind: str
    low: int
    high: int


@dataclass
class _Chunk:
    """Edges that are not yet written."""

    shard: int
    after: dict[str, int]
    ends: list[tuple[NDArray[np.generic], NDArray[np.generic]]] = field(default_factory=list)
    weights: list[NDArray[np.float64]] = field(default_factory=list)
    count: int = 0


class _Reading:
    """The chunks that are written, and how they are continued."""

    def __init__(self, work: Work, shards: Sequence[Shard], columns: Columns, memory: int) -> None:
        self.work, self.shards, self.columns, self.memory = work, shards, columns, memory
        self.kind: str | None = None
        self.fixed = False
        self.weighted: bool | None = None
        self.names: NameSet | None = None
        self.chunks = 0
        self.chunk = _Chunk(0, {})
        mode = work.load("mode.json")
        if mode is not None:  # texts, after a first attempt with integers
            self.kind = "texts"
        self._continue()

    def _kept(self, states: Sequence[object]) -> list[dict[str, object]]:
        """Return the facts of the chunks that are kept; those of a shard that has changed are deleted."""
        numbers = self.work.numbers("ids")
        facts = [read_facts(self.work.chunk(k, "ids")) for k in numbers]
        last = count_of(facts[-1], "shard") if facts else -1
        changed = [s for s in range(last + 1) if states[s] != self.shards[s].state()]
        if changed and changed[0] < last:
            raise changed_error(self.shards[changed[0]].name, self.work)
        while (
            changed and facts and facts[-1]["shard"] == last
        ):  # it is read again, since it may have been corrected
            facts.pop()
            for suffix in ("ids", "names"):
                self.work.chunk(numbers[len(facts)], suffix).unlink(missing_ok=True)
        return facts

    def _continue(self) -> None:
        states: list[object] = (self.work.load("shards.json") or {}).get("states", [])  # type: ignore[assignment]
        facts = self._kept(states)
        self.states = states[: count_of(facts[-1], "shard") + 1] if facts else []
        self.chunks = len(facts)
        if facts:
            head = facts[-1]
            self.kind, self.weighted, self.fixed = str(head["kind"]), bool(head["weighted"]), bool(head["fixed"])
            self.chunk = _Chunk(count_of(head, "shard"), head["after"])  # type: ignore[arg-type]  # as written
            if self.kind == "texts":
                self._start_names(count_of(head, "seed"))
        for path in self.work.folder.glob("chunk-*.names"):
            if int(path.stem.removeprefix("chunk-")) >= self.chunks:
                path.unlink()

    def _start_names(self, seed: int) -> None:
        self.names = NameSet(seed, int(_NAMES * self.memory))
        for k in range(self.chunks):
            letters, lengths, _ = read_arrays(self.work.chunk(k, "names"))
            starts = np.cumsum(lengths, dtype=np.int64) - lengths
            self.names.add(Texts(letters, starts, lengths))  # type: ignore[arg-type]  # as written
        self.names.take()

    def run(self) -> None:
        """Read the shards that are left."""
        first = self.chunk.shard
        for s in range(first, len(self.shards)):
            shard = self.shards[s]
            tell(log, "Reading %s", shard.name, of=(s, len(self.shards)))
            state = shard.state()
            if s == len(self.states):
                self.states.append(state)
                self.work.save("shards.json", {"states": self.states})
            after = self.chunk.after if s == first else {}
            for block in shard.blocks(self.columns, after):
                self._add(block, shard.name)
                self.chunk.shard, self.chunk.after = s, block.after
                if self.chunk.count >= CHUNK:
                    self._write()
            if shard.state() != state:
                raise StoreError(
                    f"{shard.name} changed while it was read; call build_store again to read it again."
                )
        if self.chunk.count:
            self._write()

    def _add(self, block: Block, name: str) -> None:
        if not len(block.source):
            return
        if self.weighted is None:
            self.weighted = block.weight is not None
        elif self.weighted != (block.weight is not None):
            has, had = ("no weights", "have") if self.weighted else ("weights", "have none")
            raise GraphError(f"{name} has {has} and the shards before {had}; add them there, or pass weight=None.")
        pair = self._keys(block, name)
        self.chunk.ends.append(pair)
        self.chunk.count += len(pair[0])
        if block.weight is not None:
            self.chunk.weights.append(block.weight)

    def _keys(self, block: Block, name: str) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
        ends: list[Ends] = [block.source, block.target]
        for one in ends:
            if isinstance(one, Texts) and not one.lengths.all():
                raise block.error(int(np.argmin(one.lengths)), "an endpoint is empty; correct or drop that edge")
        if block.may_be_integers and self.kind != "texts":
            whole = [as_integers(one) if isinstance(one, Texts) else one for one in ends]
            if None not in [one if one is None else 0 for one in whole]:
                ends = whole  # type: ignore[assignment]  # none is None
            elif self.kind == "integers" and not self.fixed:
                raise NotIntegersError
        kinds = ["texts" if isinstance(one, Texts) else "integers" for one in ends]
        if self.kind is None:
            self.kind = kinds[0]
        for kind in kinds:
            if kind != self.kind:
                raise ArgumentTypeError(
                    f"{name} has names that are {kind} and others are {self.kind}; make all of them {self.kind}, "
                    "or all texts."
                )
        if self.kind == "integers":
            self.fixed = self.fixed or not block.may_be_integers
            return ends[0], ends[1]  # type: ignore[return-value]  # arrays
        if self.names is None:
            self._start_names(new_seed())
        names = self.names
        return names.add(ends[0]), names.add(ends[1])  # type: ignore[arg-type, union-attr]  # texts; not None

    def _write(self) -> None:
        chunk, names = self.chunk, self.names
        pair = [np.concatenate([ends[k] for ends in chunk.ends]) for k in (0, 1)]
        weights = [np.concatenate(chunk.weights)] if chunk.weights else []
        facts: dict[str, object] = {
            "shard": chunk.shard,
            "after": chunk.after,
            "kind": self.kind,
            "fixed": self.fixed,
            "weighted": self.weighted,
            "count": len(pair[0]),
        }
        if names is None:
            low, high = min(int(one.min()) for one in pair), max(int(one.max()) for one in pair)
            facts |= {"low": low, "high": high}
            if high - low < 1 << 32:
                pair = [(one - low).astype(np.uint32) for one in pair]
        else:
            facts |= {"seed": names.seed}
            letters, lengths, keys = names.take()
            _check_unicode(letters, lengths, self.shards[chunk.shard].name)
            write_arrays(self.work.chunk(self.chunks, "names"), {}, [letters, lengths, keys])
        write_arrays(self.work.chunk(self.chunks, "ids"), facts, [*pair, *weights])
        self.chunks += 1
        self.chunk = _Chunk(chunk.shard, chunk.after)


def _check_unicode(letters: NDArray[np.uint8], lengths: NDArray[np.int64], name: str) -> None:
    arrow = import_extra("pyarrow", "scale")
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    buffers = [None, arrow.py_buffer(offsets), arrow.py_buffer(letters)]
    try:
        arrow.Array.from_buffers(arrow.large_string(), len(lengths), buffers).validate(full=True)
    except arrow.ArrowInvalid:
        raise FileFormatError(f"{name}, or a shard before it, is not UTF-8 text; save it as UTF-8.") from None


def changed_error(name: str, work: Work) -> StoreError:
    """Return the error about a shard that has changed since it was read."""
    return StoreError(
        f"{name} has changed since it was read for this build; restore it, or delete {work.folder} to begin again."
    )


def read_shards(work: Work, shards: Sequence[Shard], columns: Columns, memory: int) -> Listing:
    """Read all shards, or those that are left; return what they have."""
    done = work.load("read.json")
    if done is not None:
        states = (work.load("shards.json") or {}).get("states", [])
        for shard, state in zip(shards, states, strict=True):  # type: ignore[call-overload]  # as written
            if shard.state() != state:
                raise changed_error(shard.name, work)
        return Listing(**done)  # type: ignore[arg-type]  # as written
    try:
        _Reading(work, shards, columns, memory).run()
    except NotIntegersError:
        for suffix in ("ids", "names"):
            for number in work.numbers(suffix):
                work.chunk(number, suffix).unlink()
        work.save("mode.json", {"kind": "texts"})
        _Reading(work, shards, columns, memory).run()
    heads = [read_facts(work.chunk(k, "ids")) for k in work.numbers("ids")]
    if not heads:
        raise ArgumentError("There are no edges; pass at least one.")
    kind = str(heads[0]["kind"])
    found = Listing(
        chunks=len(heads),
        edges=sum(count_of(head, "count") for head in heads),
        weighted=bool(heads[0]["weighted"]),
        kind=kind,
        low=min(count_of(head, "low") for head in heads) if kind == "integers" else 0,
        high=max(count_of(head, "high") for head in heads) if kind == "integers" else 0,
    )
    work.save("read.json", vars(found))
    return found
