"""What a file may hold: the classes that are stored by their attributes, by name, and no other."""

from __future__ import annotations

import importlib

__all__ = ["class_of", "name_of"]

_LPGRAPH = {
    "lpgraph.embed._placing": ("Scaling",),
    "lpgraph.embed.adjacency": ("AdjacencySpectralEmbedding",),
    "lpgraph.embed.laplacian": ("LaplacianSpectralEmbedding",),
    "lpgraph.embed.out_of_sample": ("OutOfSample",),
    "lpgraph.points.metric_params": ("MetricWithParams",),
    "lpgraph.points.neighborhood": ("Neighborhood",),
    "lpgraph.manifold.unfolding.rigid": ("RigidPairs",),
    "lpgraph.graph.adjacency": ("Adjacency",),
    "lpgraph.infer.classify": ("VertexClassifier",),
    "lpgraph.infer.cluster": ("VertexClustering",),
    "lpgraph.infer.mixture": ("PositionMixture",),
    "lpgraph.manifold._given": ("GivenKernel",),
    "lpgraph.manifold._kernels": (
        "CentredKernel",
        "HalfSquares",
        "KernelFunction",
        "ScalarProducts",
        "SparseScalarProducts",
    ),
    "lpgraph.manifold._neighbors": ("Neighbors",),
    "lpgraph.manifold._preimage": ("PreImage",),
    "lpgraph.manifold._similarity": ("Kernel", "Similarity"),
    "lpgraph.manifold.unfolding.learn": ("Distinct", "Learned"),
    "lpgraph.manifold.unfolding.kernel": ("Unfolding",),
    "lpgraph.manifold.unfolding.report": ("Bound", "Constraints"),
    "lpgraph.manifold.clustering": ("SpectralClustering",),
    "lpgraph.manifold.diffusion": ("DiffusionMap",),
    "lpgraph.manifold.eigenmaps": ("LaplacianEigenmaps",),
    "lpgraph.manifold.isomap": ("Geodesics", "Isomap"),
    "lpgraph.manifold.kernel_pca": ("KernelPCA",),
    "lpgraph.manifold._reconstruction": ("Reconstruction",),
    "lpgraph.manifold.lle": ("LocallyLinearEmbedding",),
    "lpgraph.manifold.mds": ("ClassicalMDS",),
    "lpgraph.manifold.semidefinite": ("SemidefiniteEmbedding",),
    "lpgraph.spectral.affinity": ("Centring",),
    "lpgraph.spectral.extension": ("Extension",),
}
#: Of scikit-learn: what is made of arrays and numbers alone. Trees, forests and kernel machines hold compiled
#: structures, which a damaged or hostile file could make read outside of their memory.
_SKLEARN = {
    "sklearn.decomposition": ("PCA",),
    "sklearn.discriminant_analysis": ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
    "sklearn.dummy": ("DummyClassifier",),
    "sklearn.linear_model": ("LogisticRegression", "RidgeClassifier"),
    "sklearn.mixture": ("GaussianMixture",),
    "sklearn.naive_bayes": ("GaussianNB",),
    "sklearn.neighbors": ("KNeighborsClassifier", "NearestCentroid", "RadiusNeighborsClassifier"),
    "sklearn.pipeline": ("Pipeline",),
    "sklearn.preprocessing": ("LabelBinarizer", "MinMaxScaler", "Normalizer", "RobustScaler", "StandardScaler"),
    "sklearn.svm": ("LinearSVC",),
}
_HOME = {name: module for table in (_LPGRAPH, _SKLEARN) for module, names in table.items() for name in names}
#: Classifiers that are made again from their training data, because what they search with is compiled.
REFITTED = ("KNeighborsClassifier", "RadiusNeighborsClassifier")
#: The ones of scikit-learn, for messages.
SKLEARN_NAMES = sorted(name for names in _SKLEARN.values() for name in names)


def name_of(value: object) -> str | None:
    """Return the name under which a value's class is stored, or None if it is not."""
    name = type(value).__name__
    return name if name in _HOME and class_of(name) is type(value) else None


def class_of(name: object) -> type | None:
    """Return the class that is stored under a name, or None if there is none."""
    if not isinstance(name, str) or name not in _HOME:
        return None
    found: type = getattr(importlib.import_module(_HOME[name]), name)
    return found
