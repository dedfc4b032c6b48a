"""Order along curves of latent positions, by a pipeline of an embedding of networks and one of points."""

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

import lpgraph as lp


def pipeline(size=1, **options):
    isomap = lp.manifold.Isomap(size, components="bridge")
    return make_pipeline(lp.AdjacencySpectralEmbedding(**options), Normalizer(), isomap)


def curve(n, kernel, place, sparsity):
    """Return the positions on a curve, and a graph of them."""
    t = np.random.default_rng(0).uniform(size=n)
    model = lp.LatentPositionModel(kernel, lp.positions.Fixed(place(t)), sparsity=sparsity)
    return t, model.sample(n, random_state=0)


def information_limit(t, place, kernel, sparsity):
    """Return the rank correlation if each t were estimated with the variance of the Cramer-Rao bound."""
    x, h = place(t), 1e-4
    slopes = sparsity * (kernel(place(t + h), x) - kernel(place(t - h), x)) / (2 * h)
    p = sparsity * kernel(x, x)
    information = (slopes**2 / (p * (1 - p)).clip(1e-12)).sum(axis=1)
    return spearmanr(t, t + np.random.default_rng(9).standard_normal(len(t)) / np.sqrt(information))[0]


def circle(t):
    """Return points on most of a circle: the ends are nearer to each other than points a sixth of it apart."""
    return np.column_stack([np.cos(2 * np.pi * 0.85 * t), np.sin(2 * np.pi * 0.85 * t)])


def hardy_weinberg(t):
    return np.column_stack([t**2, np.sqrt(2) * t * (1 - t), (1 - t) ** 2])


@pytest.mark.parametrize(
    ("kernel", "place", "sparsity"),
    [(lp.kernels.Gaussian(0.8), circle, 0.7), (lp.kernels.DotProduct(), hardy_weinberg, 0.8)],
)
def test_the_order_along_a_curve_is_recovered_also_of_new_vertices(kernel, place, sparsity):
    t, graph = curve(1800, kernel, place, sparsity)
    A, known = graph.adjacency, np.arange(1500)
    model = pipeline()
    fitted, placed = model.fit_transform(A[known][:, known]), model.transform(A[1500:][:, known])
    # The error is that of an efficient estimator (variance of rank errors 1 - limit), up to a factor of 4: the
    # embedding truncates the feature map, and weights edges as if their variances were equal.
    limit = information_limit(t[known], place, kernel, sparsity)
    found = [spearmanr(fitted[:, 0], t[known])[0], spearmanr(placed[:, 0], t[1500:])[0]]
    assert (1 - np.abs(found) < 4 * (1 - limit)).all()
    # A new vertex is placed on the same side.
    assert found[0] * found[1] > 0


@pytest.mark.parametrize(("graph", "size"), [(nx.path_graph(200), 1), (nx.grid_2d_graph(12, 15), 2)])
def test_the_sides_of_a_bipartite_network_are_together(graph, size):
    places = np.array(list(graph)).reshape(len(graph), -1)
    found = pipeline(size, n_components=4 * size, which="LA").fit_transform(graph)
    assert spearmanr(pdist(found), pdist(places))[0] > 0.9
