"""Mutated models with correct checksums: they are refused, or can be used; and damaged files, which are refused.

``PYTHONPATH=tests python -m fuzz.models --count 20000`` runs many.
"""

from __future__ import annotations

import copy
import struct
import tempfile
import traceback
import warnings
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fuzz.harness import main
from fuzz.zoo import Fitted, models
from sklearn.base import clone

import lpgraph as lp
import lpgraph.saved
from lpgraph.errors import LpgraphError, ModelFileError
from lpgraph.saved.placer import load_placer
from lpgraph.storage.layout import pack
from lpgraph.storage.read import StoredFile
from lpgraph.storage.write import write_file

#: Consecutive seeds of one model, which is fitted once in a process.
TURN = 50
#: A fit with larger integers as parameters takes as long as they say, and is not tried.
_MOST = 1000

Tree = Any
Rng = np.random.Generator


class Stored(NamedTuple):
    """A model, the tree and the arrays of its file, and the file's bytes."""

    fitted: Fitted
    tree: Tree
    arrays: list[Any]
    content: bytes


@cache
def stored(number: int) -> Stored:
    """Return a model of the zoo and its file."""
    makers = list(models().values())
    fitted = makers[number % len(makers)]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.lpg"
        lp.save(fitted.model, path)
        file = StoredFile(path)
        arrays = [np.array(file.array(k).read()) for k in range(len(file.tree["arrays"]))]
        tree = {key: value for key, value in file.tree.items() if key != "arrays"}
        return Stored(fitted, tree, arrays, path.read_bytes())


def trial(seed: int) -> int:
    """Mutate a model by a seed, load and use it; return the size of its file."""
    # Of joblib, in the processes of the harness.
    warnings.filterwarnings("ignore", "Loky-backed parallel loops cannot be called")
    rng = np.random.default_rng(seed)
    given = stored(seed // TURN)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.lpg"
        lpgraph.saved._SMALL = 0 if rng.random() < 0.4 else 1 << 25
        if rng.random() < 0.1:
            path.write_bytes(damaged(given.content, rng))
            refuse(path, given.fitted)
        elif write(path, given, rng):
            use(path, given.fitted)
        return path.stat().st_size if path.exists() else 0


def corpus() -> list[Path]:
    """Return the files that once did harm."""
    return sorted(Path(__file__).with_name("corpus").joinpath("models").glob("*.lpg"))


def harmless(number: int) -> int:
    """Load a file of the corpus as a small and as a large one; it is refused."""
    path = corpus()[number]
    for small in (1 << 25, 0):
        lpgraph.saved._SMALL = small
        try:
            model = lp.load(path)
            # What stays in a large file is met in use.
            model.transform(np.ones((1, model.n_features_in_)))
            model.to_networkx()
        except ModelFileError as error:
            if "format" in str(error):
                raise AssertionError("the file is of another format; make it again") from None
            continue
        raise AssertionError(f"{path.name} was loaded")
    return path.stat().st_size


def refuse(path: Path, fitted: Fitted) -> None:
    """Load a damaged file, which has to be refused, and use what is given before the damage is met."""
    try:
        lp.load(path, verify=True)
    except ModelFileError:
        use(path, fitted)
    else:
        raise AssertionError("a damaged file was loaded")


def use(path: Path, fitted: Fitted) -> None:
    """Load a model and use it in every way; errors of lpgraph are expected."""
    try:
        model = lp.load(path)
    except ModelFileError:
        model = None
    if model is not None:
        again = path.with_name("again.lpg")
        for action in (
            lambda: repr(model),
            lambda: model.get_params(),
            lambda: model.transform(fitted.new),
            lambda: model.predict(fitted.new),
            lambda: model.predict_proba(fitted.new),
            lambda: model.inverse_transform(model.embedding_[:2]),
            lambda: model.to_networkx(),
            lambda: model.get_feature_names_out(),
            lambda: model.graph_,
            lambda: model.bic,
            lambda: model.probabilities(),
            lambda: model.sample(random_state=0),
            lambda: lp.save(model, again),
            lambda: lp.load(again).transform(fitted.new),
            lambda: refit(model, fitted),
        ):
            attempt(model, action)
    try:
        placer = load_placer(path)
        if placer is not None:
            placer(fitted.new)
    except LpgraphError:
        pass


def attempt(model: Any, action: Callable[[], object]) -> None:
    """Use a model; some have not every method."""
    try:
        action()
    except LpgraphError:
        pass
    except AttributeError as error:
        # scikit-learn's pipelines have the methods that their steps have.
        absent = f"'{type(model).__name__}' object has no", f"This '{type(model).__name__}' has no", "Estimator "
        if not str(error).startswith(absent):
            raise
    except ValueError as error:
        # The radius of the classifier says which vertices it can classify.
        if not (of_sklearn(error) and str(error).startswith("No neighbors found")):
            raise
    except FileNotFoundError as error:
        if not str(error.filename).endswith("again.lpg"):
            raise


def of_sklearn(error: Exception) -> bool:
    """Whether scikit-learn raised an error."""
    innermost = traceback.extract_tb(error.__traceback__)[-1].filename
    return "sklearn" in Path(innermost).parts


def refit(model: Any, fitted: Fitted) -> None:
    """Fit a clone of a loaded model, unless a parameter says that this takes long."""
    values = list(model.get_params(deep=True).values())
    if any(abs(value) > _MOST for value in values if isinstance(value, int)):
        return
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="sklearn")
            clone(model).fit(*fitted.training)
    except FileNotFoundError as error:
        if error.filename not in values:  # a string of `align_to` is a path
            raise
    except (TypeError, ValueError) as error:
        # With other parameters, a classifier of scikit-learn may refuse or warn of the data by itself.
        if not of_sklearn(error):
            raise


def damaged(content: bytes, rng: Rng) -> bytes:
    """Return bytes of a file with a change somewhere."""
    kind, place = rng.integers(5), int(rng.integers(len(content)))
    changed = bytearray(content)
    if kind == 0:
        return bytes(changed[:place])
    if kind == 1:
        return bytes(changed) + rng.bytes(int(rng.integers(1, 5000)))
    if kind == 2:
        end = place + int(rng.integers(1, 5000))
        return bytes(changed[:place] + changed[end:])
    if kind == 3:
        return bytes(changed[:place]) + rng.bytes(8) + bytes(changed[place:])
    changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def write(path: Path, given: Stored, rng: Rng) -> bool:
    """Write a mutated model with correct checksums; False if the mutation cannot be written."""
    tree, arrays = copy.deepcopy(given.tree), list(given.arrays)
    for _ in range(1 if rng.random() < 0.7 else int(rng.integers(2, 4))):
        mutate(tree, arrays, rng)
    try:
        write_file(path, tree, arrays)
    except (ValueError, TypeError, LpgraphError, OverflowError, RecursionError):
        return False
    if rng.random() < 0.05:
        move_arrays(path, rng)
    return True


def mutate(tree: Tree, arrays: list[Any], rng: Rng) -> None:
    """Change the tree or the arrays at random, in place."""
    nodes = list(places(tree))
    way = rng.random()
    if way < 0.35 and arrays:
        k = int(rng.integers(len(arrays)))
        arrays[k] = changed_array(arrays[k], rng)
        return
    if way < 0.7:
        leaves = [(holder, key) for holder, key in nodes if not isinstance(holder[key], list | dict)]
        holder, key = leaves[int(rng.integers(len(leaves)))]
        holder[key] = changed_leaf(holder[key], [part[k] for part, k in leaves], rng)
        return
    holder, key = nodes[int(rng.integers(len(nodes)))]
    other, other_key = nodes[int(rng.integers(len(nodes)))]
    kind = int(rng.integers(7))
    if kind < 3:
        holder[key] = piece(len(arrays), rng)
    elif kind == 3:
        holder[key], other[other_key] = copy.deepcopy(other[other_key]), copy.deepcopy(holder[key])
    elif kind == 4:
        holder[key] = copy.deepcopy(other[other_key])
    elif kind == 5 and isinstance(holder, dict):
        value = holder.pop(key)
        if rng.random() < 0.5:
            holder[str(rng.choice(_WORDS))] = value
    elif kind == 6:
        named = [part["object"] for node, k in nodes if isinstance(part := node[k], dict) and part.get("object")]
        if named and isinstance(chosen := named[int(rng.integers(len(named)))], list):
            chosen[0] = str(rng.choice(_CLASSES))


def changed_leaf(leaf: Tree, others: list[Tree], rng: Rng) -> Tree:
    """Return another value of the same type as a leaf of a tree, or a value of another leaf."""
    if rng.random() < 0.2:
        return others[int(rng.integers(len(others)))]
    if isinstance(leaf, bool):
        return not leaf
    if isinstance(leaf, int):
        return [leaf + 1, leaf - 1, 2 * leaf, -leaf, 0, _NUMBERS[int(rng.integers(len(_NUMBERS)))]][
            rng.integers(6)
        ]
    if isinstance(leaf, float):
        return [1.001 * leaf, -leaf, 1 / (leaf or 1), *_FLOATS][int(rng.integers(3 + len(_FLOATS)))]
    same = [other for other in others if isinstance(other, str)]
    return same[int(rng.integers(len(same)))] if isinstance(leaf, str) else _NUMBERS[int(rng.integers(6))]


def places(tree: Tree, depth: int = 0) -> Any:
    """Yield every place of a tree, as its container and key."""
    keys: Any = ()
    if isinstance(tree, dict):
        keys = list(tree)
    elif isinstance(tree, list):
        keys = range(len(tree))
    for key in keys:
        yield tree, key
        if depth < 50:
            yield from places(tree[key], depth + 1)


_CLASSES = [
    "Adjacency",
    "AdjacencyRows",
    "AdjacencySpectralEmbedding",
    "AtMost",
    "BlockPartition",
    "CentredKernel",
    "Centring",
    "ClassicalMDS",
    "CovariateAssistedEmbedding",
    "CovariateRows",
    "DegreeRows",
    "DiffusionMap",
    "DummyClassifier",
    "Extension",
    "FrozenEstimator",
    "GaussianMixture",
    "GaussianNB",
    "HalfSquares",
    "Isomap",
    "KNeighborsClassifier",
    "KernelPCA",
    "LabelReach",
    "LaplacianSpectralEmbedding",
    "LinearDiscriminantAnalysis",
    "LogisticRegression",
    "ModularityRows",
    "NeighborLabels",
    "Neighborhood",
    "Neighbors",
    "NormalisedSimilarity",
    "OutOfSample",
    "PCA",
    "Pipeline",
    "Placement",
    "PointSimilarity",
    "RigidPairs",
    "ScalarProducts",
    "SpectralClustering",
    "StandardScaler",
    "VertexClassifier",
    "VertexClustering",
    "lpgraph.manifold.isomap:Geodesics",
    "lpgraph.manifold.lle:Reconstruction",
    "os.system",
]
_WORDS = [
    "embedding_",
    "graph_",
    "basis",
    "zero",
    "n_components",
    "memory",
    "steps",
    "classes_",
    "transform",
    "_validate_params",
    "__class__",
    "names",
    "directed_",
    "embedding_in_",
    "metric",
    "precomputed",
    "x",
]
_NUMBERS = [0, 1, -1, 2, 3, 255, 1 << 31, -(1 << 31), 1 << 47, 1 << 62, (1 << 63) - 1, 1 << 64, 1 << 127, 10**400]
_FLOATS = [0.0, -0.0, 0.5, -1.5, 1e308, -1e308, 1e-308, 5e-324, 1e16, float("inf"), float("-inf"), float("nan")]


def piece(count: int, rng: Rng) -> Tree:
    """Return a random tree."""
    number = lambda: _NUMBERS[int(rng.integers(len(_NUMBERS)))]  # noqa: E731
    deep: Tree = 0
    for _ in range(int(rng.integers(1, 120))):
        deep = [deep, deep] if rng.random() < 0.02 else [deep]
    array = {"array": int(rng.integers(max(count, 1)))}
    return [
        None,
        True,
        False,
        number(),
        _FLOATS[int(rng.integers(len(_FLOATS)))],
        str(rng.choice(_WORDS)),
        "",
        "\ud800",
        [],
        [number(), "x"],
        deep,
        array,
        [array] * 20,
        {"tuple": [number(), number()]},
        {"tuple": []},
        {"dict": []},
        {"dict": [["a", 1], [{"tuple": [1]}, []]]},
        {"range": [0, number(), 1]},
        {"range": [number(), number(), number()]},
        {"names": {"range": number()}},
        {"names": {"integers": 0, "starts": 1, "order": 2}},
        {"long": ["list", int(rng.integers(max(count, 1)))]},
        {"objects": [[deep], 1]},
        {"bytes": "00ff"},
        {"scalar": ["<f8", struct.pack("<d", _FLOATS[int(rng.integers(len(_FLOATS)))]).hex()]},
        {"scalar": ["|b1", "02"]},
        {"scalar": ["<U1", "ffffffff"]},
        {"sparse": ["csr", True, [number(), 3], [array, array, array]]},
        {"object": ["AdjacencyRows", {}]},
        {"object": ["AtMost", {"count": number()}]},
        {},
    ][int(rng.integers(31))]


def changed_array(array: Any, rng: Rng) -> Any:
    """Return an array of another type, shape or content."""
    kind = int(rng.integers(8))
    if kind == 0:
        dtype = str(rng.choice(["<f8", "<f4", "<f2", "<i8", "<i4", "|u1", "|b1", "<U3", "|S5"]))
        try:
            with np.errstate(all="ignore"):
                return array.astype(dtype)
        except ValueError:
            return np.zeros(array.shape, dtype)
    if kind == 1:
        return array[: int(rng.integers(len(array) + 1))] if array.ndim else array.reshape(1)
    if kind == 2:
        return array.T.copy() if array.ndim > 1 else array[None]
    if kind == 3:
        return np.concatenate([array, array[:1]]) if array.ndim and len(array) else np.zeros(3, array.dtype)
    if kind == 4 and array.size:
        return rng.permutation(array.ravel()).reshape(array.shape)
    result = np.array(array)
    flat = result.reshape(-1)
    for _ in range(int(rng.integers(1, 4))):
        if not flat.size:
            break
        place = slice(None) if rng.random() < 0.2 else int(rng.integers(flat.size))
        if array.dtype.kind in "iu":
            least, most = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
            values = [0, -1, 1, len(flat), len(flat) + 1, most, least, most // 2, 2, 50]
            flat[place] = np.clip(values[int(rng.integers(len(values)))], least, most)
        elif array.dtype.kind == "f":
            with np.errstate(over="ignore"):  # float32
                flat[place] = _FLOATS[int(rng.integers(len(_FLOATS)))]
        elif array.dtype.kind in "bU":
            raw = flat.view(np.uint8)
            raw[int(rng.integers(len(raw)))] = rng.integers(256)
    return result


def move_arrays(path: Path, rng: Rng) -> None:
    """Change the table of arrays of a file, with a correct digest."""
    file = StoredFile(path)
    data = path.read_bytes()[-file._layout.data :] if file._layout.data else b""
    table = file.tree["arrays"]
    if not table:
        return
    entry = table[int(rng.integers(len(table)))]
    entry[int(rng.integers(len(entry)))] = [
        "<f8",
        "|b1",
        "<U0",
        "|O",
        [5],
        [1 << 40, 0],
        [0, 1 << 47],
        [-1],
        "F",
        0,
        64,
        1 << 40,
        -64,
    ][int(rng.integers(13))]
    sums = [zlib.crc32(data[low : low + 4096]) for low in range(0, len(data), 4096)]
    path.write_bytes(pack(file.tree, np.array(sums, dtype="<u4").tobytes(), len(data)) + data)


if __name__ == "__main__":
    main(trial, __doc__.splitlines()[0])
