"""Fitted models in files: one file without pickle, verified by checksums."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar, overload

from lpgraph._articles import a_type
from lpgraph._checks import check_flag
from lpgraph._missing_file import existing
from lpgraph.errors import ArgumentError, ArgumentTypeError, StoreError
from lpgraph.saved.classes import SKLEARN_NAMES, model_fits, name_of

if TYPE_CHECKING:
    from lpgraph.saved.decode import Decoder
    from lpgraph.scale.store import EdgeStore
    from lpgraph.storage.read import StoredFile

__all__ = ["load", "save"]

#: Files of up to this many bytes are verified completely when loaded, which takes some milliseconds.
_SMALL = 1 << 25


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model to a file, from which `load` returns a model with bitwise equal results.

    Parameters
    ----------
    model : estimator or ModelFit
        A fitted embedding of a network or of points, `OutOfSample`, `VertexClassifier`, `VertexClustering`, or a
        scikit-learn ``Pipeline`` of these, which may contain the estimators of scikit-learn that are listed in
        Notes; or a random graph model fitted to a graph, such as the result of `fit_block_model`.
    path : str or path
        The file; ``.lpg`` is the usual suffix. It is replaced atomically: if the process is killed or the power
        fails, either the old or the new file is there, complete.

    Raises
    ------
    ArgumentError
        If the model is not fitted, or was changed so that its parts do not fit; `load` would refuse it.
    ArgumentTypeError
        If part of the model cannot be stored without pickle, such as a function or a vertex name of a class of
        your own; the message says which part.
    OSError
        If the file cannot be written.

    See Also
    --------
    load : loads the model.

    Notes
    -----
    The file holds parameters, arrays and names, and no code. Vertex names may be str, int, float, bool, bytes and
    tuples of these. The estimators of scikit-learn that consist of arrays and numbers can be stored:
    LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, LogisticRegression, RidgeClassifier, LinearSVC,
    GaussianNB, NearestCentroid, KNeighborsClassifier, RadiusNeighborsClassifier, DummyClassifier,
    GaussianMixture, PCA, StandardScaler, MinMaxScaler, RobustScaler, Normalizer and Pipeline.

    The graph is also saved, for ``to_networkx``, except an `lpgraph.scale.EdgeStore`: the file has its folder and
    the checksum of its manifest; see `load`. The same model gives the same bytes.

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
    from lpgraph.saved.invariants import check_model
    from lpgraph.storage.write import write_file

    if isinstance(model, type) or not (isinstance(model, BaseEstimator) or name_of(model) in model_fits()):
        raise ArgumentTypeError(f"model is {model!r:.80}; pass a fitted estimator, or a fit of a random graph.")
    if name_of(model) is not None and not _is_whole(model):
        raise ArgumentTypeError(f"model is {model!r:.80}, which is a part of models; pass a Pipeline that has it.")
    if not _is_fitted(model):
        raise ArgumentError(f"This {type(model).__name__} is not fitted yet; call fit(...) before saving it.")
    encoder = Encoder()
    tree = encoder.value(model, type(model).__name__)
    check_model(model, lambda what: ArgumentError(f"{what}; fit the model again before saving it."))
    write_file(
        path, {"lpgraph": version("lpgraph"), "sklearn": sklearn.__version__, "model": tree}, encoder.arrays
    )


M = TypeVar("M")


@overload
def load(
    path: str | os.PathLike[str],
    expected: None = None,
    *,
    verify: bool = False,
    store: EdgeStore | str | os.PathLike[str] | None = None,
) -> Any: ...


@overload
def load(
    path: str | os.PathLike[str],
    expected: type[M],
    *,
    verify: bool = False,
    store: EdgeStore | str | os.PathLike[str] | None = None,
) -> M: ...


def load(
    path: str | os.PathLike[str],
    expected: type[Any] | None = None,
    *,
    verify: bool = False,
    store: EdgeStore | str | os.PathLike[str] | None = None,
) -> Any:
    """Load a model that `save` wrote.

    Parameters
    ----------
    path : str or path
        The file.
    expected : type, optional
        The class that the model must have, such as `lpgraph.VertexClassifier`. Type checkers then know the
        class of the result.
    verify : bool, default False
        Whether to verify every byte when loading. Files of up to 32 MB are always verified completely; see Notes.
    store : EdgeStore or path, optional
        The edge store that the model was fitted to, if it is not where it was. It is opened now; without this
        parameter it is opened when the graph or a vertex name is first needed.

    Returns
    -------
    estimator or ModelFit
        The model, fitted.

    Raises
    ------
    ArgumentTypeError
        If the model is not an instance of `expected`.
    ModelFileError
        If the file is truncated, changed, not a model, or of an unknown version (the message says which lpgraph it
        needs), or if its parts do not fit. For a large file this error may be raised later, when a damaged part is
        first read.
    MissingFileError, OSError
        If the file does not exist, or cannot be opened.
    StoreError
        If `store` is not the edge store that the model was fitted to; or later, if that is not where it was.
    ArgumentError
        If `store` is passed, and the model was not fitted to an edge store.

    Warns
    -----
    LpgraphWarning
        If it contains estimators of scikit-learn that were fitted with another version of scikit-learn.

    Notes
    -----
    Every byte of a file is covered by a checksum, which is verified before the byte is used. Header and lengths
    are verified on loading, so that a truncated or extended file is always detected at once. Files of up to 32 MB
    are verified completely. In larger files the positions, the graph and the vertex names stay on disk. New
    vertices need only the rows of their neighbors, so that loading a model of a million vertices and embedding one
    vertex takes milliseconds and little memory. These parts are verified in blocks of 4 KB when they are first
    read, and a damaged block then raises `ModelFileError`; ``verify=True`` finds it on loading. The checksums
    detect accidental changes. A person who can write to the file can change the model, but cannot make it run code
    or read other memory: the parts of a model must fit, which is checked on loading or when a part is read.

    Of an `lpgraph.scale.EdgeStore` the file has its folder and the checksum of its manifest. Loading does not open
    it, and rows of edges are placed without it. Names, and the graph, need it: of the folder only the manifest is
    read, unless its checksum is the expected one, so that a file of another person cannot make this read any other
    file. Vertices that are called 0 ... n-1 need no store for their names.

    The file may be replaced (as by `save`) or deleted while the model is in use. If it is written to in place,
    `ModelFileError` is raised when the next part is read.

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
    from lpgraph.saved.invariants import check_model

    file, decoder = opened(path, verify=check_flag("verify", verify))
    with decoder.guarded():
        _warn_of_another_sklearn(file)
        model = decoder.value(file.tree["model"])
        if not _is_whole(model) or not _is_fitted(model):
            raise file.error("it holds no fitted model")
        check_model(model, lambda what: file.error(f"its contents are no valid model: {what}"))
    if store is not None:
        if not decoder.references:
            raise ArgumentError(f"store is passed, but the model of {os.fspath(path)} has no store; leave it out.")
        # A model that is aligned to an earlier one also refers to the store of that one.
        errors = []
        for reference in decoder.references.values():
            try:
                reference.use(store)
            except StoreError as error:
                errors.append(error)
        if len(errors) == len(decoder.references):
            raise errors[0]
    if expected is not None and not isinstance(model, expected):
        raise ArgumentTypeError(
            f"{os.fspath(path)} has {a_type(model)}; pass expected={name_of(model)}, or another file."
        )
    return model


def opened(path: str | os.PathLike[str], *, verify: bool = False) -> tuple[StoredFile, Decoder]:
    """Return a file and its decoder; the file is verified completely if it is small or `verify` is true."""
    from lpgraph.saved.decode import Decoder
    from lpgraph.storage.read import StoredFile

    with existing(path):
        file = StoredFile(path)
    small = file.size <= _SMALL
    if small:
        file.read_whole()
    elif verify:
        file.verify()
    return file, Decoder(file, lazy=not small)


def _is_whole(model: Any) -> bool:
    """Whether this is a model by itself: an estimator or a fit of this library, or a pipeline."""
    return name_of(model) == "Pipeline" or name_of(model) not in {None, *SKLEARN_NAMES}


def _is_fitted(model: Any) -> bool:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if name_of(model) in model_fits():
        return True
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
    inside = _class_names(file.tree["model"]) & set(SKLEARN_NAMES)
    if inside and then.split(".")[:2] != sklearn.__version__.split(".")[:2]:
        warnings.warn(
            f"{file.path} has {', '.join(sorted(inside))} of scikit-learn {then}, but this is scikit-learn "
            f"{sklearn.__version__}; fit and save again if exact predictions matter.",
            LpgraphWarning,
            stacklevel=3,
        )


def _class_names(tree: Any) -> set[str]:
    """Return the names of all classes in a tree."""
    found, left = set(), [tree]
    while left:
        part = left.pop()
        if isinstance(part, list):
            left += part
        elif isinstance(part, dict):
            left += part.values()
            content = part.get("object")
            if isinstance(content, list) and content and isinstance(content[0], str):
                found.add(content[0])
    return found
