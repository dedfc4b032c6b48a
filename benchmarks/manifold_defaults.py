"""Default parameters of the manifold methods: quality of embeddings with each value, also of new points.

``python benchmarks/manifold_defaults.py`` writes ``docs/results/manifold_defaults.md``. It needs LPGRAPH_DATA.
"""

import warnings
from functools import partial

import numpy as np
from _image_points import DATA, Points, rings, split
from _timing import page
from sklearn import datasets

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
- LLE with 5 neighbors keeps more neighbors of training points with `regularizer=0.01` than with 0.001 on all data
  except digits; with 10 neighbors it keeps fewer of the roll, 0.38 against 0.60. The default is 0.001, with which
  positions are scikit-learn's.
"""


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
    page(__file__, "Defaults of the manifold methods", rows, NOTES)


if __name__ == "__main__":
    main()
