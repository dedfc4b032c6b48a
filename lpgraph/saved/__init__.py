"""Fitted models in files: a zip of arrays and JSON, without pickle."""

from __future__ import annotations

import json
import os
import re
import warnings
import zipfile
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from lpgraph._utils.files import check_path, existing, written
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, ModelFileError, StoreError

if TYPE_CHECKING:
    from .trees import Decoder

__all__ = ["load", "save"]

_VERSION, _MODEL = 4, "model.json"
#: How estimators of scikit-learn are named in the tree.
_SKLEARN = re.compile(r'"sklearn\.\w+:(\w+)"')
#: Times in zip files; equal models give equal bytes.
_DATE = (1980, 1, 1, 0, 0, 0)

M = TypeVar("M")


def save(model: object, path: str | os.PathLike[str]) -> None:
    """Save a fitted model to a file, from which `load` returns a model with bitwise equal results.

    Parameters
    ----------
    model : estimator or ModelFit
        A fitted embedding of a network, of several networks or of points, `OutOfSample`, `VertexClassifier`,
        `VertexClustering`, or a scikit-learn ``Pipeline`` of these, which may contain the estimators of
        scikit-learn that are listed in Notes; or a random graph model fitted to a graph, such as the result of
        `fit_block_model`.
    path : str or path
        The file; ``.lpg`` is the usual suffix. It is replaced atomically: if the process is killed or the power
        fails, either the old or the new file is there, complete.

    Raises
    ------
    ArgumentError
        If the model is not fitted.
    ArgumentTypeError
        If part of the model cannot be stored without pickle, such as a function; the message says which part.
    OSError
        If the file cannot be written.

    See Also
    --------
    load : loads the model.

    Notes
    -----
    The file is a zip of ``model.json`` and arrays in numpy's format, and has no code. The estimators
    of scikit-learn that consist of arrays and numbers can be stored: LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis, LogisticRegression, RidgeClassifier, LinearSVC, GaussianNB, NearestCentroid,
    KNeighborsClassifier, RadiusNeighborsClassifier, DummyClassifier, GaussianMixture, PCA, StandardScaler,
    MinMaxScaler, RobustScaler, Normalizer and Pipeline.

    The graph is also saved, for ``to_networkx``; of an edge store its folder, and the checksum of its manifest;
    see `load`. Covariates, the ``memory`` of a Pipeline, and random number generators as ``random_state`` are
    not saved: they are None in the loaded model. The same model gives the same bytes.

    Examples
    --------
    >>> import lpgraph as lp, networkx as nx, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "karate.lpg"
    >>> lp.save(lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph()), path)
    >>> lp.load(path).transform({"new": [0, 1, 2]}).shape
    (1, 2)
    """
    from .trees import Encoder

    _check_fitted(model)
    encoder = Encoder()
    tree = {
        "format": "lpgraph model",
        "version": _VERSION,
        "lpgraph": version("lpgraph"),
        "sklearn": version("scikit-learn"),
        "model": encoder.value(model, type(model).__name__),
    }
    with written(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_MODEL, _DATE), json.dumps(tree))
        for k, array in enumerate(encoder.arrays):
            with archive.open(zipfile.ZipInfo(f"a{k}.npy", _DATE), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


@overload
def load(
    path: str | os.PathLike[str], expected: None = None, *, store: str | os.PathLike[str] | None = None
) -> Any: ...


@overload
def load(path: str | os.PathLike[str], expected: type[M], *, store: str | os.PathLike[str] | None = None) -> M: ...


def load(
    path: str | os.PathLike[str],
    expected: type[object] | None = None,
    *,
    store: str | os.PathLike[str] | None = None,
) -> object:
    """Load a model that `save` wrote.

    Parameters
    ----------
    path : str or path
        The file.
    expected : type, optional
        The class that the model must have, such as `lpgraph.VertexClassifier`. Type checkers then know the
        class of the result.
    store : path, optional
        The folder of the edge store that the model was fitted to, if it is not where it was.

    Returns
    -------
    estimator or ModelFit
        The model, fitted.

    Raises
    ------
    ArgumentTypeError
        If the model is not an instance of `expected`.
    ModelFileError
        If the file is truncated, changed, not a model, or of an unknown version (the message says which lpgraph
        reads it), or if its parts do not fit.
    MissingFileError, OSError
        If the file does not exist, or cannot be opened.
    StoreError
        If the edge store that the model was fitted to is not where it was, nor at `store`, or is another one.

    Warns
    -----
    LpgraphWarning
        If it contains estimators of scikit-learn that were fitted with another version of scikit-learn.

    Notes
    -----
    Checksums of all bytes are compared. They detect accidental changes. A person who can write to the file can
    change the numbers of the model, but cannot make it run code: only classes of lpgraph and some of scikit-learn
    are made, and indices that compiled loops rely on are checked.

    Examples
    --------
    >>> import lpgraph as lp, numpy as np, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "points.lpg"
    >>> model = lp.manifold.Isomap(1, n_neighbors=2).fit(np.arange(10.0)[:, None])
    >>> lp.save(model, path)
    >>> loaded = lp.load(path, lp.manifold.Isomap)
    >>> bool(np.array_equal(loaded.transform([[2.5]]), model.transform([[2.5]])))
    True
    """
    from .trees import Decoder

    check_path("path", path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise ArgumentError(f"path={os.fspath(path)!r} is no regular file; pass the file of a model.")
    with existing(path), open(path, "rb") as file, np.errstate(all="ignore"):
        try:
            with zipfile.ZipFile(file) as archive:
                model = _decoded(Decoder(archive, store))
        except (StoreError, Warning):
            raise
        except Exception as error:  # a damaged or forged file can raise any
            raise ModelFileError(
                f"{os.fspath(path)} is not a complete, unchanged model file ({type(error).__name__}: "
                f"{str(error)[:200]}); save the model again, or restore the file from a copy."
            ) from error
    if expected is not None and not isinstance(model, expected):
        raise ArgumentTypeError(f"{os.fspath(path)} has a {type(model).__name__}; pass that as expected.")
    return model


def _decoded(decoder: Decoder) -> object:
    """Return the model of a file; warn if its parts of scikit-learn are of another version."""
    with decoder.member(_MODEL) as file:
        text = file.read().decode()
    tree = json.loads(text)
    if tree.get("version") != _VERSION:
        raise ValueError(
            f"version {tree.get('version')!r:.20}, and this lpgraph reads {_VERSION}; it was saved by "
            f"lpgraph {tree.get('lpgraph')!r:.20}, which reads it"
        )
    model = decoder.value(tree["model"])
    _check_fitted(model)
    then, now, kinds = str(tree.get("sklearn")), version("scikit-learn"), set(_SKLEARN.findall(text))
    if kinds and then.split(".")[:2] != now.split(".")[:2]:
        problem = f"The file has {', '.join(sorted(kinds))} of scikit-learn {then}, and this is {now}"
        warnings.warn(f"{problem}; fit and save again if exact predictions matter.", LpgraphWarning, stacklevel=3)
    return model


def _check_fitted(model: object) -> None:
    """Raise if a model is not fitted, or is no model."""
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not isinstance(model, BaseEstimator):
        from lpgraph.infer import ModelFit

        if not isinstance(model, ModelFit):
            raise ArgumentTypeError(
                f"model is {model!r:.80}; pass a fitted estimator, or a fit of a random graph."
            )
        return
    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError):
        raise ArgumentError(f"{model!r:.80} is not fitted yet; call fit(...) before saving it.") from None
