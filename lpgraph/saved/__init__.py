"""Fitted models in files: one file, no pickle, every byte verified before it is used."""

from __future__ import annotations

import contextlib
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from lpgraph._checks import check_flag
from lpgraph.errors import ArgumentError, ArgumentTypeError, ModelFileError
from lpgraph.saved.classes import SKLEARN_NAMES, name_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from lpgraph.saved.decode import Decoder
    from lpgraph.storage.read import StoredFile

__all__ = ["load", "save"]

#: A file of up to this many bytes is verified in full when it is loaded: that takes some milliseconds.
_SMALL = 1 << 25


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model to a file, from which `load` gives back one that does the same, bit for bit.

    Parameters
    ----------
    model : estimator
        A fitted embedding of a network or of points, `OutOfSample`, `VertexClassifier`, `VertexClustering`, or a
        scikit-learn ``Pipeline`` of these; classifiers and scalers of scikit-learn inside them as listed in Notes.
    path : str or path
        The file; ``.lpg`` is the usual suffix. It is replaced as a whole or, if anything fails, not at all: at any
        moment, even if the process is killed or the power fails, the old file or the new one is there, complete.

    Raises
    ------
    ArgumentError
        If the model is not fitted.
    ArgumentTypeError
        If something in it cannot be stored without pickle, such as a function or a name of a class of one's own;
        the message says what and where.
    OSError
        If the file cannot be written.

    See Also
    --------
    load : the way back.

    Notes
    -----
    The file holds parameters, arrays and names, and no code. Vertex names may be str, int, float, bool, bytes and
    tuples of these. Of scikit-learn's estimators those are stored that are made of arrays and numbers:
    LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, LogisticRegression, RidgeClassifier, LinearSVC,
    GaussianNB, NearestCentroid, KNeighborsClassifier, RadiusNeighborsClassifier, DummyClassifier,
    GaussianMixture, PCA, StandardScaler, MinMaxScaler, RobustScaler, Normalizer and Pipeline.

    The graph itself is saved too, for ``to_networkx``. The same model gives the same bytes.

    Examples
    --------
    >>> import lpgraph as lp, networkx as nx, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "karate.lpg"
    >>> lp.save(lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph()), path)
    >>> lp.load(path).transform({"new": [0, 1, 2]}).shape
    (1, 2)
    """
    import sklearn
    from sklearn.base import BaseEstimator

    from lpgraph.saved.encode import Encoder
    from lpgraph.storage.write import write_file

    if isinstance(model, type) or not isinstance(model, BaseEstimator):
        raise ArgumentTypeError(f"model is {model!r:.80}; pass a fitted estimator.")
    if not _is_fitted(model):
        raise ArgumentError(f"This {type(model).__name__} is not fitted yet; call fit(...) before saving it.")
    encoder = Encoder()
    tree = encoder.value(model, type(model).__name__)
    write_file(
        path, {"lpgraph": version("lpgraph"), "sklearn": sklearn.__version__, "model": tree}, encoder.arrays
    )


def load(path: str | os.PathLike[str], *, verify: bool = False) -> Any:
    """Load a model that `save` wrote.

    Parameters
    ----------
    path : str or path
        The file.
    verify : bool, default False
        Whether to verify every byte now. Files of up to 32 MB are verified in full anyway; see Notes for larger.

    Returns
    -------
    estimator
        The model, fitted.

    Raises
    ------
    ModelFileError
        If the file is truncated, altered, of an unknown version (the message says which lpgraph it needs), or no
        model. From a large file also later, when a damaged part of it is about to be used.
    OSError
        If the file cannot be opened.

    Warns
    -----
    LpgraphWarning
        If estimators of scikit-learn in it were fitted with another version of scikit-learn.

    Notes
    -----
    *What is guaranteed.* Every byte of a file is covered by a checksum, and none is used before its checksum
    was found right. Header and lengths are verified on loading: a truncated or extended file is always refused
    at once. In a file of up to 32 MB so is everything else. In a larger one the positions, the graph and the
    vertices' names stay on the disk: new vertices need the rows of their neighbours only, so that loading a
    model of a million vertices and embedding one takes milliseconds and little memory. Such parts are verified
    in blocks of 4 KB when they are first touched, and a damaged one raises `ModelFileError` then;
    ``verify=True`` finds it on loading. The checksums are against accidents: who can write to the file can make
    it say anything, though nothing that would run code or read outside of it.

    The file is mapped into memory. It may be replaced or deleted while the model is in use, as `save` replaces it,
    but should not be written to in place.

    Examples
    --------
    >>> import lpgraph as lp, numpy as np, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "points.lpg"
    >>> model = lp.manifold.Isomap(1, n_neighbors=2).fit(np.arange(10.0)[:, None])
    >>> lp.save(model, path)
    >>> bool(np.array_equal(lp.load(path).transform([[2.5]]), model.transform([[2.5]])))
    True
    """
    file, decoder = opened(path, verify=check_flag("verify", verify))
    with guarded(file):
        tree = file.tree["model"]
        _warn_of_another_sklearn(file)
        model = decoder.value(tree)
        if name_of(model) is None or not _is_fitted(model):
            raise file.error("it holds no fitted model")
        return model


def opened(path: str | os.PathLike[str], *, verify: bool = False) -> tuple[StoredFile, Decoder]:
    """Return a file, verified in full if it is small or that is asked for, and what makes values of it."""
    from lpgraph.saved.decode import Decoder
    from lpgraph.storage.read import StoredFile

    file = StoredFile(path)
    small = file.size <= _SMALL
    if verify or small:
        file.verify()
    return file, Decoder(file, lazy=not small)


@contextlib.contextmanager
def guarded(file: StoredFile) -> Iterator[None]:
    """Turn what goes wrong in making a model of a sound file's contents into the one error there is for it."""
    try:
        yield
    except ModelFileError:
        raise
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        MemoryError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise file.error(f"its contents make no model ({type(error).__name__}: {str(error)[:200]})") from error


def _is_fitted(model: Any) -> bool:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError):
        return False
    return True


def _warn_of_another_sklearn(file: StoredFile) -> None:
    import warnings

    import sklearn

    from lpgraph.errors import LpgraphWarning

    then = str(file.tree.get("sklearn"))[:20]
    inside = json_names(file.tree["model"]) & set(SKLEARN_NAMES)
    if inside and then.split(".")[:2] != sklearn.__version__.split(".")[:2]:
        warnings.warn(
            f"{file.path} has {', '.join(sorted(inside))} of scikit-learn {then}, but this is scikit-learn "
            f"{sklearn.__version__}; fit and save again if predictions matter to the last digit.",
            LpgraphWarning,
            stacklevel=3,
        )


def json_names(tree: Any) -> set[str]:
    """Return the names of all classes in a tree."""
    if isinstance(tree, list):
        return set().union(*map(json_names, tree))
    if not isinstance(tree, dict):
        return set()
    found = set().union(*map(json_names, tree.values()))
    content = tree.get("object")
    return found | {content[0]} if isinstance(content, list) and content and isinstance(content[0], str) else found
