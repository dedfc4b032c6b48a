"""Quality of embeddings of images in two dimensions: lpgraph, scikit-learn and umap-learn, also of new points.

``python benchmarks/quality.py`` writes ``docs/results/quality.md``. It needs LPGRAPH_DATA.
"""

import subprocess
import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from _image_points import DATA
from _peer import CACHE, python_with, versions
from _quality_notes import NOTES
from _timing import page
from sklearn import decomposition, manifold

import lpgraph as lp

#: Neighbors of the methods, and of the measures.
K = 10
#: Every method of lpgraph has two dimensions and bridges between components, which it refuses by default.
SHARED = {"n_components": 2, "n_neighbors": K}
BRIDGED = SHARED | {"components": "bridge"}
METHODS = {
    "PCA": lambda: decomposition.PCA(2),
    "Isomap": lambda: lp.manifold.Isomap(**BRIDGED),
    "Isomap, scikit-learn": lambda: manifold.Isomap(**SHARED),
    "LLE": lambda: lp.manifold.LocallyLinearEmbedding(**BRIDGED),
    "LLE, scikit-learn": lambda: manifold.LocallyLinearEmbedding(**SHARED, random_state=0),
    "LTSA": lambda: lp.manifold.LocalTangentSpaceAlignment(**BRIDGED),
    "LTSA, scikit-learn": lambda: manifold.LocallyLinearEmbedding(**SHARED, method="ltsa", random_state=0),
    "Laplacian eigenmaps": lambda: lp.manifold.LaplacianEigenmaps(**BRIDGED),
    "spectral embedding, scikit-learn": lambda: manifold.SpectralEmbedding(
        **SHARED, affinity="nearest_neighbors", random_state=0
    ),
    "diffusion map": lambda: lp.manifold.DiffusionMap(**BRIDGED),
    "SDE, 20 landmarks": lambda: lp.manifold.SemidefiniteEmbedding(**SHARED, landmarks=20),
    "UMAP": None,
}


def embedded(make, points):
    """Return positions of training points, and those of new points or None."""
    model = make()
    positions = model.fit_transform(points.train)
    return positions, model.transform(points.new) if hasattr(model, "transform") else None


def by_umap(python, points):
    """Return the same of UMAP."""
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder) / "points.npz", Path(folder) / "result.npz"
        np.savez(given, train=points.train, new=points.new)
        worker = Path(__file__).parent / "_umap_worker.py"
        subprocess.run([python, str(worker), str(given), str(result), str(K)], check=True, capture_output=True)
        found = np.load(result)
        return found["train"].astype(float), found["new"].astype(float)


def measures(points, positions, placed):
    """Return the columns of the table: measures of the training points, then of the new ones."""
    curves = partial(lp.metrics.neighbor_curves, points.train, positions, [K])
    found = {"": curves()}
    if placed is not None:
        found["new: "] = curves(new=points.new, new_embedding=placed)
    row = {}
    for kind in ("", "new: "):
        for name in ("trustworthiness", "continuity", "preservation"):
            row[f"{kind}{name}"] = f"{getattr(found[kind], name)[0]:.3f}" if kind in found else "-"
    row["rank correlation"] = f"{lp.metrics.shepard(points.train, positions).rank_correlation:.3f}"
    paths = lp.metrics.geodesic_correlation(points.train, positions, K, components="bridge")
    row["geodesic residual variance"] = f"{paths.residual_variance:.3f}"
    return row


def main():
    """Embed, measure and write the page."""
    warnings.simplefilter("ignore")
    python = python_with("umap-learn", CACHE)
    rows = []
    for name, read in DATA.items():
        points = read()
        for method, make in METHODS.items():
            try:
                positions, placed = by_umap(python, points) if make is None else embedded(make, points)
            except ValueError as error:  # components that it cannot join, or a singular matrix
                print(f"{method} failed: {error}")
                rows.append(dict.fromkeys(rows[-1], "-") | {"data": name, "method": f"{method}: failed"})
                continue
            rows.append({"data": name, "method": method, **measures(points, positions, placed)})
            print(rows[-1], flush=True)
    page(__file__, "Quality of embeddings of images", rows, NOTES.format(peer=versions(python, "umap-learn")))


if __name__ == "__main__":
    main()
