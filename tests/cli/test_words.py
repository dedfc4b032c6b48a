"""Messages of the library in the terms of the command line."""

import inspect
from pathlib import Path

import pytest

import lpgraph as lp
from lpgraph.cli._words import Sets, Words, translated
from lpgraph.errors import ConvergenceError, UnknownVertexError

WORDS = Words(
    {
        "n_components": "--dimension",
        "n_neighbors": "--neighbors",
        "components": "--components",
        "kernel": "--kernel",
    },
    {"weight=None": "--unweighted", "directed=False": "--undirected", "directed=True": "--directed"},
    frozenset({"kernel"}),
    frozenset({"least_squares"}),
    ("my_graph.csv", "kernel.csv"),
)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "n_components=9 but only 3 points; pass n_components <= 2.",
            "--dimension=9 but only 3 points; pass --dimension <= 2.",
        ),
        (
            "Row 1 has no weight; fill it, or pass weight=None.",
            "Row 1 has no weight; fill it, or pass --unweighted.",
        ),
        # Objects of Python are not shown, however deeply nested.
        ("kernel=Block(B=array([[1., 0.]])) is bad; pass directed=True.", "--kernel is bad; pass --directed."),
        # Alternatives that only Python has are left out, with their verb kept.
        ("A is 1; pass (A + A.T) / 2, or directed=True.", "A is 1; pass --directed."),
        ("A is 1; raise n_neighbors or radius.", "A is 1; raise --neighbors."),
        ("A is 1; pass sigma=2, n_neighbors=None or radius=3.", "A is 1; see --help of the command."),
        ("A is 1; call fit(graph) first.", "A is 1; see --help of the command."),
        ("tol was not reached. The pairs found are in error.result.", "tol was not reached."),
        ("A is 1; pass as_adjacency(graph, directed=False).", "A is 1; pass --undirected."),
        # Names in quotes and what the user passed stay, whatever they are.
        ("The vertex 'n_components' has no 'weight=None'.", "The vertex 'n_components' has no 'weight=None'."),
        (
            "my_graph.csv: the file kernel.csv is empty; correct my_graph.csv.",
            "my_graph.csv: the file kernel.csv is empty; correct my_graph.csv.",
        ),
        ("It is the graph's kernel; pass the vertex's one.", "It is the graph's --kernel; pass the vertex's one."),
        ("rule=guess; use least_squares.", "rule=guess; use least_squares."),
        ("path='my_graph.csv' is a folder; pass a file name.", "my_graph.csv is a folder; pass a file name."),
        # A message twice translated is the same.
        ("--dimension=9; pass --dimension <= 2.", "--dimension=9; pass --dimension <= 2."),
        ("", "."),
    ],
)
def test_a_message_is_translated(message, said):
    assert WORDS.translate(message) == said
    assert WORDS.translate(said) == said


def test_the_error_stays_what_it_was():
    for error in (UnknownVertexError(["x"], "pass weight=None."), ConvergenceError("n_components=1.", "result")):
        with pytest.raises(type(error)) as caught, translated(WORDS):
            raise error
        assert caught.value is error
    assert str(error) == "--dimension=1."
    assert error.result == "result"


def parameters():
    """Names of the parameters of everything public."""
    found = set()
    for package in (lp, lp.manifold, lp.metrics, lp.plot, lp.infer.dimension, lp.kernels):
        for name in dir(package):
            thing = getattr(package, name)
            if inspect.isfunction(thing) or inspect.isclass(thing):
                found |= inspect.signature(thing).parameters.keys()
                found |= inspect.signature(getattr(thing, "fit", thing)).parameters.keys()
    return found


def test_options_say_which_parameters_they_set():
    declared = set()
    for path in Path(lp.__file__).parent.glob("cli/*.py"):
        module = __import__(f"lpgraph.cli.{path.stem}", fromlist=["_"])
        for value in vars(module).values():
            declared |= {
                name for one in getattr(value, "__metadata__", ()) if isinstance(one, Sets) for name in one.names
            }
    assert {"n_components", "n_clusters", "n_neighbors", "random_state", "B"} <= declared
    assert {name for name in declared if name.isidentifier()} <= parameters()
