"""New vertices with almost the name of a known one."""

from __future__ import annotations

import itertools
import random
import warnings

import pytest

import lpgraph as lp
from lpgraph.errors import LpgraphWarning
from lpgraph.graph.misspelled import misspelled
from lpgraph.graph.new_vertices import as_new_edges

KNOWN = ["fjord-daily.org/0055", "amber-post.net/0001", "stone wire.info/0002"]
NEW = "tulip-desk.org/9999"


@pytest.mark.parametrize(
    "name", ["fjord-dialy.org/0055", "Fjord-daily.org/0055", "fjord-dail.org/0055", "fjord-daily.org/ 0055"]
)
def test_a_misspelled_neighbor_is_named(name):
    edges = [(NEW, KNOWN[1]), (NEW, name)]
    with pytest.warns(LpgraphWarning) as caught:
        as_new_edges(edges, KNOWN)
    assert [str(found.message) for found in caught] == [
        f"{name!r} (is the known {KNOWN[0]!r} meant?) is new and has no known neighbor. Correct the name if so."
    ]


@pytest.mark.parametrize("name", ["fjord-daily.org/0056", "fjord-daily.org/00551", "fjord-dialy.gor/0055", "x"])
def test_other_names_are_new(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_new_edges([(NEW, KNOWN[1]), (NEW, name)], KNOWN)


def test_a_name_with_a_known_neighbor_is_not_questioned():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_new_edges([("Fjord-daily.org/0055", KNOWN[1])], KNOWN)


def test_a_warning_names_three():
    names = ["".join(letters) for letters in itertools.product("abcde", repeat=2)]
    known = [f"station {name}" for name in names]
    edges = [("new", known[-1]), *[("new", name.upper()) for name in known[:5]]]
    graph = lp.from_edges(*zip(*edges, strict=True))
    with pytest.warns(
        LpgraphWarning, match=r"'STATION AA' \(is the known 'station aa' meant\?\).* and 2 more are"
    ):
        as_new_edges(graph, known)


def test_every_edit_is_found_and_nothing_else():
    # Against all pairs: texts of five to eight letters of a small alphabet, many of which are one edit apart.
    generator = random.Random(0)
    words = {"".join(generator.choices("abc1", k=generator.choice([5, 6, 7, 8]))) for _ in range(600)}
    names = sorted(words)[::4]
    known = sorted(words - set(names))

    def apart(a, b):
        edits = {b[:i] + b[i + 1 :] for i in range(len(b)) if b[i] != "1"}
        edits |= {b[:i] + c + b[i:] for i in range(len(b) + 1) for c in "abc"}
        edits |= {b[:i] + c + b[i + 1 :] for i in range(len(b)) if b[i] != "1" for c in "abc"}
        edits |= {b[:i] + b[i + 1] + b[i] + b[i + 2 :] for i in range(len(b) - 1) if "1" not in b[i : i + 2]}
        return a in edits

    expected = {a for a in names if any(apart(a, b) for b in known)}
    found = misspelled(names, known)
    assert 10 < len(expected) < len(names)
    assert set(found) == expected
    assert all(apart(a, b) for a, b in found.items())
