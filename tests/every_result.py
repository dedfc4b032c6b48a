"""Results of every public estimator and function: `python every_result.py FILE` writes them as arrays.

The process that writes them has its own number of threads, and may be without compiled loops. With
`python every_result.py FILE compiled` inputs of every size go through compiled loops.
"""

import sys
from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.base import clone

import lpgraph as lp
from lpgraph.linalg import basis, checked_product, matvec, sparse_structure
from lpgraph.models import boxes, collect, factors
from lpgraph.points import geodesic

#: Points and their dimensions: three, and as many as BLAS needs for a blocked product.
N, DIMENSIONS = 150, (3, 50)

Results = dict[str, np.ndarray]

#: Settings of the embeddings of points; each method has at least one.
POINT_METHODS = [
    ("ClassicalMDS", {}),
    ("ClassicalMDS", {"solver": "lanczos"}),
    ("ClassicalMDS", {"landmarks": 30, "metric": "manhattan"}),
    ("KernelPCA", {"kernel": "rbf", "fit_inverse_transform": True}),
    ("KernelPCA", {"kernel": "rbf", "landmarks": 30, "fit_inverse_transform": True}),
    ("SpectralClustering", {"n_clusters": 3, "n_neighbors": 10}),
    ("LaplacianEigenmaps", {"affinity": "gaussian", "normalization": "symmetric"}),
    ("LaplacianEigenmaps", {"solver": "inverse", "affinity": "gaussian"}),
    ("DiffusionMap", {"n_neighbors": 10, "solver": "inverse"}),
    ("LocallyLinearEmbedding", {"n_neighbors": 8}),
    ("LocallyLinearEmbedding", {"n_neighbors": 8, "c": 3.0}),
    ("LocalTangentSpaceAlignment", {"n_neighbors": 8}),
    ("Isomap", {"n_neighbors": 8}),
    ("Isomap", {"n_neighbors": 8, "landmarks": 30}),
    ("SemidefiniteEmbedding", {"n_neighbors": 8, "landmarks": 25, "tol": 1e-3}),
]

ASE, LSE = lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding
#: Embeddings of networks, and those of undirected networks only.
EMBEDDINGS = [
    *(ASE(3), ASE(), ASE(3, solver="lanczos"), LSE(3)),
    lp.CompletedEmbedding(ASE(3), unobserved=[(0, 1), (2, 9)]),
    lp.LandmarkEmbedding(ASE(3), 0.4, rule="leverage"),
    lp.LandmarkEmbedding(LSE(3), 60, passes=2),
]
UNDIRECTED = [ASE(3, augment_diagonal=True), LSE(3, solver="lanczos")]
UNDIRECTED += [kind(2) for kind in (lp.ModularityEmbedding, lp.OneStepEmbedding, lp.RandomWalkEmbedding)]

KERNELS = [lp.kernels.DotProduct(), lp.kernels.Gaussian(0.7), lp.kernels.Exponential()]
KERNELS.append(lp.kernels.InverseMultiquadric(1.0, 0.5))


def roll(n: int, dimensions: int, seed: int) -> np.ndarray:
    """A swiss roll, with coordinates of noise beyond the third."""
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    surface = np.column_stack([t * np.cos(t), 8 * rng.uniform(size=n), t * np.sin(t)]) / 5
    return np.hstack([surface, 0.01 * rng.standard_normal((n, dimensions - 3))])


def arrays(name: str, value: object) -> Iterator[tuple[str, np.ndarray]]:
    """Yield all numbers that a result holds, with a name for each array."""
    if isinstance(value, bool | int | float | np.ndarray | np.number):
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            yield name, array
    elif sparse.issparse(value):
        yield name, value.toarray()
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from arrays(f"{name}.{key}", part)
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            yield from arrays(f"{name}[{i}]", part)
    elif hasattr(value, "__dict__") and type(value).__module__.startswith("lpgraph"):
        yield from arrays(name, {k: part for k, part in vars(value).items() if not k.startswith("_")})


def of_points(dimensions: int) -> Iterator[tuple[str, object]]:
    """Embeddings of points, their extensions and losses."""
    X, new = roll(N, dimensions, 0), roll(20, dimensions, 1)
    for name, settings in POINT_METHODS:
        size = {} if name == "SpectralClustering" else {"n_components": 2}
        model = getattr(lp.manifold, name)(**size, **settings).fit(X)
        case = f"{name}({settings}) in {dimensions} dimensions"
        yield f"{case}.fit", vars(model)
        yield f"{case}.transform", model.transform(new)
        if name == "SpectralClustering":
            yield f"{case}.predict", model.predict(new)
        if settings.get("fit_inverse_transform"):
            yield f"{case}.inverse_transform", model.inverse_transform(model.transform(new))
        if name in ("ClassicalMDS", "Isomap", "DiffusionMap"):
            yield f"{case}.reconstruction_loss", lp.metrics.reconstruction_loss(model, new)


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
    """Embeddings of a network, their extensions, classes, clusters and dimensions."""
    B = np.array([[0.5, 0.1, 0.05], [0.25 if directed else 0.1, 0.4, 0.15], [0.05, 0.15, 0.6]])
    graph = lp.stochastic_block_model([45, 50, 55], B, directed=directed, random_state=0)
    new = graph.new_vertices(20, random_state=1)
    kind = "directed" if directed else "undirected"
    yield f"sample, {kind}", [graph.adjacency, new.adjacency]
    for i, estimator in enumerate(EMBEDDINGS + ([] if directed else UNDIRECTED)):
        model, name = clone(estimator).fit(graph), f"{type(estimator).__name__} {i}"
        yield f"{name}.fit, {kind}", vars(model)
        yield f"{name}.transform, {kind}", model.transform(new)
        yield f"OutOfSample({name}), {kind}", lp.OutOfSample(model).transform(new)
    if not directed:
        values = np.random.default_rng(0).standard_normal((170, 40))
        for alpha in ("balance", "kmeans"):
            covered = lp.CovariateAssistedEmbedding(3, covariates=values[:150], alpha=alpha).fit(graph)
            yield f"CovariateAssistedEmbedding({alpha}).fit", vars(covered)
            yield f"CovariateAssistedEmbedding({alpha}).transform", covered.transform(new, covariates=values[150:])
    for name, value in of_vertices(graph, new):
        yield f"{name}, {kind}", value
    for function in lp.symmetrize, lp.pass_to_ranks, lp.augment_diagonal, lp.to_laplacian, lp.summary:
        yield f"{function.__name__}, {kind}", vars(function(2.5 * graph.adjacency))


def of_vertices(graph: lp.LatentPositionGraph, new: lp.NewVertices) -> Iterator[tuple[str, object]]:
    """Classes, clusters and dimensions of the vertices of a network."""
    y = np.array(graph.labels, copy=True)
    y[::3] = -1
    for features in None, ("positions",), ("positions", "degrees"):
        embedding = None if features is None else ASE(3)
        given = {} if features is None else {"features": features}
        classes = lp.VertexClassifier(embedding, **given).fit(graph, y)
        yield f"VertexClassifier({features})", [classes.predict_proba(new), classes.predict(new)]
    for method in "directions", "gaussian":
        clusters = lp.VertexClustering(ASE(3), range(2, 5), method=method).fit(graph)
        found = [clusters.labels_, clusters.predict_proba(graph), clusters.predict_proba(new)]
        yield f"VertexClustering({method})", found
    clusters = lp.VertexClustering(None, range(1, 6)).fit(graph)
    yield "VertexClustering", [clusters.labels_, clusters.predict(new)]
    for fit in lp.fit_block_model, lp.fit_degree_corrected_block_model:
        yield fit.__name__, vars(fit(graph))
    along = lp.NetworkManifold().fit(graph)
    yield "NetworkManifold", [along.embedding_, along.transform(new)]
    yield "cross_validate", lp.infer.dimension.cross_validate(graph, 5, folds=3)
    ase = ASE(3).fit(graph)
    yield "misfit", [vars(lp.infer.misfit(ase, new)), vars(lp.infer.misfit(ase, range(9)))]
    yield "drift", vars(lp.infer.drift(ase, new, draws=99))
    yield "singular_triplets", lp.spectral.eigen.singular_triplets(graph.adjacency, 3)
    if not graph.directed:
        yield "eigenpairs", lp.spectral.eigen.eigenpairs(graph.adjacency, 3)


def of_models() -> Iterator[tuple[str, object]]:
    """Random graphs, their new vertices, and feature maps."""
    positions = np.random.default_rng(0).dirichlet([1.0, 1.0, 1.0], 400)
    for kernel in KERNELS:
        model = lp.LatentPositionModel(kernel, positions, sparsity=0.3)
        graph = model.sample(400, random_state=0)
        yield f"sample {kernel!r}", graph.adjacency
        yield f"feature_map {kernel!r}", lp.feature_map(kernel, positions, 3, at=positions[:30])
    yield "erdos_renyi", lp.erdos_renyi(500, 0.05, random_state=0).adjacency


def every_result() -> Results:
    """Return all results by name."""
    sources = [
        *map(of_points, DIMENSIONS),
        *map(of_geometry, DIMENSIONS),
        *map(of_network, (False, True)),
        of_models(),
    ]
    return dict(array for source in sources for name, value in source for array in arrays(name, value))


def compile_all() -> None:
    """Lower the sizes from which compiled loops are used."""
    loops = basis, boxes, checked_product, collect, factors, matvec, sparse_structure
    for module in loops:
        module.WORTHWHILE = 1
    geodesic._WORTHWHILE = checked_product._SMALL = 1


if __name__ == "__main__":
    if sys.argv[2:] == ["compiled"]:
        compile_all()
    np.savez(sys.argv[1], **every_result())
