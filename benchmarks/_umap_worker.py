"""UMAP in its own environment: ``python _umap_worker.py POINTS.npz RESULT.npz NEIGHBORS``.

POINTS.npz has the arrays `train` and `new`; RESULT.npz gets their positions.
"""

import sys
import warnings

import numpy as np
import umap


def main(points, result, neighbors):
    """Fit UMAP with its defaults except the number of neighbors and the seed, place the new points and write."""
    warnings.simplefilter("ignore")
    data = np.load(points)
    model = umap.UMAP(n_neighbors=int(neighbors), random_state=0).fit(data["train"])
    np.savez(result, train=model.embedding_, new=model.transform(data["new"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
