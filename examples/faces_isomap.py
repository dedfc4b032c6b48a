"""Isomap on the 698 synthetic faces (Tenenbaum, de Silva & Langford 2000): recovery of light and pose.

Needs the faces: set LPGRAPH_DATA to a folder with isomap_faces/face_1024.mat. Each of the three true parameters is
regressed on the three coordinates, linearly and quadratically.
"""

import os
from pathlib import Path

from _report import report
from scipy.io import loadmat
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import lpgraph as lp


def load():
    """Return the 698 images (698, 1024) and their light and two poses (698, 3)."""
    data = loadmat(Path(os.environ["LPGRAPH_DATA"]) / "isomap_faces" / "face_1024.mat")
    return data["dataY"].T.astype(float), data["dataT"].T.astype(float)


def main():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    images, truth = load()
    isomap = lp.manifold.Isomap(3, n_neighbors=6).fit(images)
    rows = []
    for name, values in zip(("light", "pose, horizontal", "pose, vertical"), truth.T, strict=True):
        fits = [make_pipeline(PolynomialFeatures(degree), LinearRegression()) for degree in (1, 2)]
        linear, quadratic = (fit.fit(isomap.embedding_, values).score(isomap.embedding_, values) for fit in fits)
        rows.append({"parameter": name, "R2, linear": linear, "R2, quadratic": quadratic})

    figure, axes = plt.subplots(figsize=(8, 7), layout="constrained")
    axes.scatter(*isomap.embedding_[:, :2].T, s=4, color="0.7")
    for i in range(0, len(images), 14):
        place = isomap.embedding_[i, :2]
        picture = axes.inset_axes([*(place - 1.2), 2.4, 2.4], transform=axes.transData)
        picture.imshow(images[i].reshape(32, 32).T, cmap="gray")
        picture.axis("off")
    axes.set(xlabel="dimension 1", ylabel="dimension 2", title="Isomap, 6 neighbors")
    report("faces_isomap", "Isomap on the faces: light and pose", rows, "698 images of 32 x 32 pixels.", figure)
    return rows


if __name__ == "__main__":
    main()
