"""Default parameters of the manifold methods: quality of embeddings and clusters, also of new points.

``python benchmarks/manifold_defaults.py`` writes ``docs/results/manifold_defaults.md``. It needs LPGRAPH_DATA.
"""

import warnings
from functools import partial

import _folder_data
import numpy as np
from _image_points import DATA, Points, rings, split
from _timing import page, table
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score

import lpgraph as lp

#: Neighbors of the measures.
K = 10


def standardised(read):
    """Return measurements in units of their standard deviations."""
    points = read().data
    return split((points - points.mean(axis=0)) / points.std(axis=0))


def some_digits():
    """Return a part of USPS."""
    points = DATA["USPS"]()
    return Points(points.train[:3000], points.new[:1000])


def roll(n=2000):
    """Return points of a rolled sheet with noise."""
    return split(datasets.make_swiss_roll(n, noise=0.3, random_state=0)[0])


def waves(n=2000):
    """Return points of a curved sheet of three dimensions in 20."""
    rng = np.random.default_rng(0)
    return split(np.sin(rng.uniform(-1, 1, size=(n, 3)) @ rng.normal(size=(3, 20)) + rng.uniform(0, 3, size=20)))


#: The values were chosen by the first three; the others are reported.
CASES = {
    "digits": DATA["digits"],
    "rings": rings,
    "faces": DATA["faces"],
    "USPS": some_digits,
    "other rings": partial(rings, seed=1),
    "breast cancer": partial(standardised, datasets.load_breast_cancer),
    "wine": partial(standardised, datasets.load_wine),
    "roll": roll,
    "waves": waves,
}
#: Parameters of each method, its defaults first.
OPTIONS = {
    "LaplacianEigenmaps": [{"normalization": kind} for kind in ("random_walk", "symmetric")],
    "Isomap": [{"n_neighbors": k} for k in (5, 10, 20)],
    "LocallyLinearEmbedding": [
        {"n_neighbors": k, "regularizer": r} for k, r in ((5, 1e-3), (5, 1e-2), (10, 1e-3), (10, 1e-2), (20, 1e-3))
    ],
    "LocalTangentSpaceAlignment": [{"n_neighbors": k} for k in (10, 5, 20)],
}

NOTES = """
The first parameters of each method are its defaults. Two dimensions; `components="bridge"`; all else by default.
Kept: the share of the ten nearest neighbors that are kept, of training points and of new ones, which are a fifth
(rings: every fourth view). The defaults were chosen on digits, rings and faces; the other data are reported.

- Digits, rings, faces: as in [Quality of embeddings of images](quality.md); other rings: with another seed.
- USPS: the first 3000 training digits and 1000 test digits.
- Breast cancer, wine: the measurements of scikit-learn's data sets, standardised.
- Roll: a rolled sheet with noise; waves: a curved sheet of three dimensions in 20.

What the figures show:

- `LaplacianEigenmaps`: "random_walk" keeps more neighbors of digits and faces, and of new points of all data. On
  rings, "symmetric" keeps slightly more neighbors of training points, but less than half as many of new points.
- The best number of neighbors differs between data sets, even between both sets of rings. No number is best on all
  data, so that the defaults are scikit-learn's: 5 for Isomap and LLE.
- LLE with 5 neighbors keeps more neighbors of training points with `regularizer=0.01` than with 0.001 on all
  data (digits: 0.254 and 0.253). With 10 neighbors it keeps fewer of the roll, 0.38 against 0.60. The default is
  0.001, with which positions are scikit-learn's.

## Affinity of spectral clustering

{clusters}

Adjusted Rand index of the clusters of `SpectralClustering` and the classes, with the number of classes and k
neighbors. A fifth of the points are new: their clusters are from `predict`. The default was chosen on the first
six data sets; the others are reported. All are from scikit-learn, except USPS, the first 3000 training digits.

- Means on the first six, training and new points: "binary" 0.828 and 0.829, "gaussian" 0.847 and 0.829. On the
  others: 0.568 and 0.505, and 0.382 and 0.356.
- The smallest value of "binary" is 0.346. "gaussian" is near 0 on blobs with 5 neighbors, on both forms of the
  breast cancer data, and on wine with 5: one or two points far from all others are a cluster, because their
  similarities are much smaller than those of other points. The default is "binary" for this reason.
- "gaussian" is better where edges between clusters are longer than within: 0.995 against 0.53 to 0.59 on moons.
  It is also better by 0.03 to 0.05 on USPS.
"""


def labelled(read, *, scaled=False):
    """Return the points and classes of a data set of scikit-learn."""
    points, classes = read(return_X_y=True)
    return (points - points.mean(axis=0)) / points.std(axis=0) if scaled else points, classes


def labelled_usps():
    """Return the first digits of USPS and their classes."""
    digits = _folder_data.usps("train")
    return digits.points[:3000], digits.labels[:3000]


#: Points and their classes. The default affinity was chosen by the first six; the others are reported.
CLUSTERED = {
    "digits": partial(labelled, datasets.load_digits),
    "iris": partial(labelled, datasets.load_iris),
    "wine, standardised": partial(labelled, datasets.load_wine, scaled=True),
    "moons": partial(datasets.make_moons, 1000, noise=0.1, random_state=0),
    "circles": partial(datasets.make_circles, 1000, noise=0.05, factor=0.5, random_state=0),
    "blobs": partial(datasets.make_blobs, 1000, cluster_std=[1, 2.5, 0.5], random_state=170),
    "breast cancer, standardised": partial(labelled, datasets.load_breast_cancer, scaled=True),
    "breast cancer": partial(labelled, datasets.load_breast_cancer),
    "USPS": labelled_usps,
    "wine": partial(labelled, datasets.load_wine),
    "iris, standardised": partial(labelled, datasets.load_iris, scaled=True),
    "other moons": partial(datasets.make_moons, 500, noise=0.12, random_state=2),
}


def agreement():
    """Return rows of the agreement of spectral clusters with classes, for both affinities."""
    rows = []
    for name, read in CLUSTERED.items():
        points, classes = read()
        order = np.random.default_rng(0).permutation(len(points))
        new, train = np.split(order, [len(points) // 5])
        for affinity in ("binary", "gaussian"):
            rows.append({"data": name, "affinity": affinity})
            for k in (5, 10, 20):
                model = lp.manifold.SpectralClustering(len(np.unique(classes)), n_neighbors=k, affinity=affinity)
                scores = (
                    adjusted_rand_score(classes[part], labels)
                    for part, labels in (
                        (train, model.fit(points[train]).labels_),
                        (new, model.predict(points[new])),
                    )
                )
                rows[-1][f"k = {k}: training, new"] = ", ".join(f"{score:.3f}" for score in scores)
    return rows


def quality(points, model):
    """Return the shares of kept neighbors and the trustworthiness of training and of new points."""
    positions = model.fit_transform(points.train)
    curves = partial(lp.metrics.neighbor_curves, points.train, positions, [K])
    found = curves(), curves(new=points.new, new_embedding=model.transform(points.new))
    return [getattr(one, name)[0] for name in ("preservation", "trustworthiness") for one in found]


def main():
    """Embed, measure and write the page."""
    warnings.simplefilter("ignore")
    rows = []
    for name, read in CASES.items():
        points = read()
        for method, settings in OPTIONS.items():
            for some in settings:
                values = quality(points, getattr(lp.manifold, method)(components="bridge", **some))
                text = ", ".join(f"{key}={value}" for key, value in some.items())
                columns = ("kept", "kept, new", "trustworthiness", "trustworthiness, new")
                rows.append({"data": name, "method": method, "parameters": text})
                rows[-1] |= {key: f"{value:.3f}" for key, value in zip(columns, values, strict=True)}
                print(*rows[-1].values(), flush=True)
    page(__file__, "Defaults of the manifold methods", rows, NOTES.format(clusters="\n".join(table(agreement()))))


if __name__ == "__main__":
    main()
