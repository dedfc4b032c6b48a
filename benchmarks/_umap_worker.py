"""UMAP in its own environment: ``python _umap_worker.py POINTS.npz RESULT.npz NEIGHBORS``.

POINTS.npz has the arrays `train` and `new`; RESULT.npz gets their positions and the processor seconds of the fit,
without the import and the compilation.
"""

import sys
import time
import warnings

import numpy as np
import umap


def fitted(points, neighbors):
    """Return UMAP with its default arguments but the number of neighbors and the seed, fitted to points."""
    return umap.UMAP(n_neighbors=neighbors, random_state=0).fit(points)


def main(points, result, neighbors):
    """Fit, place the new points and write."""
    warnings.simplefilter("ignore")
    data = np.load(points)
    few = np.random.default_rng(0).random((500, 3))
    fitted(few, int(neighbors)).transform(few[:9])  # compiles
    began = time.process_time()
    model = fitted(data["train"], int(neighbors))
    seconds = time.process_time() - began
    np.savez(result, train=model.embedding_, new=model.transform(data["new"]), seconds=seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
