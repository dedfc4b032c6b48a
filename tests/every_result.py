"""Results of every public estimator and function: `python every_result.py FILE` writes them as arrays.

The process that writes them has its own number of threads, and may be without compiled loops. With
`python every_result.py FILE compiled` inputs of every size go through compiled loops.
"""

import sys
from collections.abc import Iterator

import numpy as np
from scipy import sparse
from test_batches import functions, large_models

import lpgraph as lp
from lpgraph.linalg import basis, matvec, sparse_structure
from lpgraph.models import collect, factors
from lpgraph.points import geodesic

#: Points and their dimensions: three, and as many as BLAS needs for a blocked product.
N, DIMENSIONS = 150, (3, 50)

KERNELS = [lp.kernels.DotProduct(), lp.kernels.Gaussian(0.7), lp.kernels.Exponential()]
KERNELS.append(lp.kernels.InverseMultiquadric(1.0, 0.5))


def roll(n: int, dimensions: int, seed: int) -> np.ndarray:
    """A swiss roll, with coordinates of noise beyond the third."""
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    surface = np.column_stack([t * np.cos(t), 8 * rng.uniform(size=n), t * np.sin(t)]) / 5
    return np.hstack([surface, 0.01 * rng.standard_normal((n, dimensions - 3))])


def arrays(name: str, value: object) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the numbers that a result holds, with a name for each array."""
    if isinstance(value, bool | int | float | np.ndarray | np.number):
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            yield name, array
    elif sparse.issparse(value):
        yield name, value.toarray()
    elif isinstance(value, dict):
        for key, part in value.items():
            if not str(key).endswith(("index", "index_")):  # places of names
                yield from arrays(f"{name}.{key}", part)
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            yield from arrays(f"{name}[{i}]", part)
    elif hasattr(value, "__dict__") and type(value).__module__.startswith("lpgraph"):
        yield from arrays(name, {k: part for k, part in vars(value).items() if not k.startswith("_")})


def of_models() -> Iterator[tuple[str, object]]:
    """Fitted models, and what they compute for new items."""
    for name, make in large_models().items():
        large = make()
        yield f"{name}.fit", vars(large.model)
        for key, compute in functions(large.model).items():
            yield f"{name}.{key}", compute(large.new)


def of_geometry(dimensions: int) -> Iterator[tuple[str, object]]:
    """Functions of points."""
    X = roll(N, dimensions, 0)
    other = X[:, ::-1] + 0.01 * X**2
    graph = lp.neighbor_graph(X, n_neighbors=8)
    near = np.argsort(np.linalg.norm(X[:20, None] - X[None, 20:], axis=2), axis=1)[:, :8]
    laplacian = sparse.diags_array(graph.sum(axis=1)) - graph
    stability = lp.metrics.stability(lp.manifold.Isomap(2, n_neighbors=8), X[:60], [0.05, 0.1], random_state=0)
    found = {
        "neighbor_curves": lp.metrics.neighbor_curves(X, X[:, :2], max_points=60),
        "shepard": lp.metrics.shepard(X, X[:, :2], max_pairs=5000),
        "geodesic_correlation": lp.metrics.geodesic_correlation(X, X[:, :2], 8),
        "neighbor_graph": graph,
        "geodesic_distances": lp.geodesic_distances(graph),
        "reconstruction_weights": lp.reconstruction_weights(X[20:], X[:20], near),
        "procrustes": [
            lp.procrustes(X, other),
            lp.procrustes(X, other, signature=(2, dimensions - 2), robust=True),
        ],
        "extend_bottom": lp.extend_bottom(laplacian, np.arange(20), X[:20, :2]),
        "stability": stability,
    }
    yield from ((f"{name} in {dimensions} dimensions", value) for name, value in found.items())


def of_network(directed: bool) -> Iterator[tuple[str, object]]:
    """Classes, dimensions and fits of a network."""
    B = np.array([[0.5, 0.1, 0.05], [0.25 if directed else 0.1, 0.4, 0.15], [0.05, 0.15, 0.6]])
    graph = lp.stochastic_block_model([45, 50, 55], B, directed=directed, random_state=0)
    new = graph.new_vertices(20, random_state=1)
    y = np.array(graph.labels, copy=True)
    y[::3] = -1
    ase, kind = lp.AdjacencySpectralEmbedding(3).fit(graph), "directed" if directed else "undirected"
    yield f"sample, {kind}", [graph.adjacency, new.adjacency]
    for features in ("positions",), ("positions", "degrees"):
        classes = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3), features=features).fit(graph, y)
        yield f"VertexClassifier({features}), {kind}", [classes.predict_proba(new), classes.predict(new)]
    for fit in lp.fit_block_model, lp.fit_degree_corrected_block_model:
        yield f"{fit.__name__}, {kind}", vars(fit(graph))
    for function in lp.symmetrize, lp.pass_to_ranks, lp.augment_diagonal, lp.to_laplacian, lp.summary:
        yield f"{function.__name__}, {kind}", vars(function(2.5 * graph.adjacency))
    yield f"cross_validate, {kind}", lp.infer.dimension.cross_validate(graph, 5, folds=3)
    yield f"misfit, {kind}", [vars(lp.infer.misfit(ase, new)), vars(lp.infer.misfit(ase, range(9)))]
    yield f"drift, {kind}", vars(lp.infer.drift(ase, new, draws=99))
    yield f"singular_triplets, {kind}", lp.spectral.eigen.singular_triplets(graph.adjacency, 3)
    if not directed:
        yield "eigenpairs", lp.spectral.eigen.eigenpairs(graph.adjacency, 3)
        values = np.random.default_rng(0).standard_normal((170, 40))
        for alpha in ("balance", "kmeans"):
            covered = lp.CovariateAssistedEmbedding(3, covariates=values[:150], alpha=alpha).fit(graph)
            yield f"CovariateAssistedEmbedding({alpha}).fit", vars(covered)
            yield f"CovariateAssistedEmbedding({alpha}).transform", covered.transform(new, covariates=values[150:])


def of_kernels() -> Iterator[tuple[str, object]]:
    """Random graphs, their new vertices, and feature maps."""
    positions = np.random.default_rng(0).dirichlet([1.0, 1.0, 1.0], 400)
    for kernel in KERNELS:
        model = lp.LatentPositionModel(kernel, positions, sparsity=0.3)
        graph = model.sample(400, random_state=0)
        yield f"sample {kernel!r}", graph.adjacency
        yield f"feature_map {kernel!r}", lp.feature_map(kernel, positions, 3, at=positions[:30])
    yield "erdos_renyi", lp.erdos_renyi(500, 0.05, random_state=0).adjacency


def every_result() -> dict[str, np.ndarray]:
    """Return all results by name."""
    sources = [
        *map(of_geometry, DIMENSIONS),
        *map(of_network, (False, True)),
        of_models(),
        of_kernels(),
    ]
    return dict(array for source in sources for name, value in source for array in arrays(name, value))


def compile_all() -> None:
    """Lower the sizes from which compiled loops are used."""
    loops = basis, collect, factors, matvec, sparse_structure
    for module in loops:
        module.WORTHWHILE = 1
    geodesic._WORTHWHILE = 1


if __name__ == "__main__":
    if sys.argv[2:] == ["compiled"]:
        compile_all()
    np.savez(sys.argv[1], **every_result())
