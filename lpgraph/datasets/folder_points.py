"""Image data sets that are read from the folder ``LPGRAPH_DATA`` and verified by checksum."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_choice
from lpgraph.datasets.dataset import Dataset
from lpgraph.datasets.fetch import Remote, sha256

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["faces", "teapots", "usps"]

_FACES = Remote(
    folder="isomap_faces",
    names=("face_1024.mat",),
    content="f375b7b3a46afea330157bee5811298efb58a24eece870de9a9b154367a9e96f",
    page="https://web.mit.edu/cocosci/isomap/datasets.html (every second pixel)",
    digest=sha256,
)
_TEAPOTS = Remote(
    folder="teapots",
    names=("teapots.mat",),
    content="29de34d2792df1e5b26834f8e10d1076c92c3c95b1a366f742fe1caa7ce910cb",
    page="the authors of Weinberger & Saul (2004)",
    digest=sha256,
)
_USPS = Remote(
    folder="usps",
    names=("usps.npz",),
    content="e73b30d1d37b52c45e11570538fa1b139e08d3783eeece501634e10cb6550f29",
    page="Hull (1994), as arrays x_train, y_train, x_test and y_test",
    digest=sha256,
)


def _matlab(file: Remote) -> Mapping[str, NDArray[np.generic]]:
    from scipy.io import loadmat

    return loadmat(io.BytesIO(file.read()))  # type: ignore[arg-type]  # stubs allow only paths


def faces() -> Dataset:
    """Return 698 rendered images of a face, which differ in pose (two angles) and light.

    The file is read from the folder ``LPGRAPH_DATA``; it is not downloaded.

    Returns
    -------
    Dataset
        Points with 1024 coordinates, the pixels of 32 x 32 images column by column. `parameters` are the light and
        two angles of the pose.

    Raises
    ------
    DatasetError
        If the file is not in the folder, or fails the checksum.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.faces()  # doctest: +SKIP
    Dataset('faces', 698 points of 1024 coordinates)
    """
    found = _matlab(_FACES)
    return Dataset(
        name="faces",
        description="698 rendered images of a face, 32 x 32 pixels, with known light and pose.",
        citation="Tenenbaum, J. B., de Silva, V. & Langford, J. C. (2000), A global geometric framework for "
        "nonlinear dimensionality reduction, Science 290, 2319-2323.",
        licence="none stated",
        source=_FACES.page,
        points=np.ascontiguousarray(found["dataY"].T, dtype=np.float64),
        parameters=np.ascontiguousarray(found["dataT"].T, dtype=np.float64),
    )


def teapots() -> Dataset:
    """Return 100 views of a rotating teapot, which form a closed curve.

    The file is read from the folder ``LPGRAPH_DATA``; it is not downloaded.

    Returns
    -------
    Dataset
        Points with 1900 coordinates, the pixels of 38 x 50 images column by column, in the order of rotation.

    Raises
    ------
    DatasetError
        If the file is not in the folder, or fails the checksum.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.teapots()  # doctest: +SKIP
    Dataset('teapots', 100 points of 1900 coordinates)
    """
    return Dataset(
        name="teapots",
        description="100 grey views, 38 x 50 pixels, of a teapot during one full rotation.",
        citation="Weinberger, K. Q. & Saul, L. K. (2004), Unsupervised learning of image manifolds by "
        "semidefinite programming, CVPR 2004.",
        licence="none stated",
        source=_TEAPOTS.page,
        points=np.ascontiguousarray(_matlab(_TEAPOTS)["teapotImages"], dtype=np.float64),
    )


def usps(part: str = "train") -> Dataset:
    """Return handwritten digits from envelopes, images of 16 x 16 pixels with values from 0 to 1.

    The file is read from the folder ``LPGRAPH_DATA``; it is not downloaded.

    Parameters
    ----------
    part : {"train", "test"}, default "train"
        The 7291 training images or the 2007 test images.

    Returns
    -------
    Dataset
        Points with 256 coordinates. The labels are the digits.

    Raises
    ------
    ArgumentError
        If `part` is neither "train" nor "test".
    DatasetError
        If the file is not in the folder, or fails the checksum.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.usps()  # doctest: +SKIP
    Dataset('usps_train', 7291 points of 256 coordinates, 10 classes)
    """
    check_choice("part", part, ("train", "test"))
    with np.load(io.BytesIO(_USPS.read()), allow_pickle=False) as found:
        points, labels = found[f"x_{part}"], found[f"y_{part}"]
    return Dataset(
        name=f"usps_{part}",
        description="Handwritten digits from envelopes of the US Postal Service, 16 x 16 pixels.",
        citation="Hull, J. J. (1994), A database for handwritten text recognition research, IEEE Transactions on "
        "Pattern Analysis and Machine Intelligence 16, 550-554.",
        licence="none stated",
        source=_USPS.page,
        points=points.astype(np.float64),
        labels=labels.astype(int),
    )
