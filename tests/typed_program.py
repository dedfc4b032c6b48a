"""Twenty public names as a user's program uses them, for the types that mypy finds."""

import networkx as nx
import numpy as np

import lpgraph as lp

data = lp.datasets.karate()
club = nx.karate_club_graph()
graph = lp.as_adjacency(club, weight=None)
edges = lp.from_edges(["ann", "bob", "ann"], ["bob", "cid", "cid"])
known = dict(zip(range(0, 34, 2), data.labels[::2] if data.labels is not None else [], strict=True))
ase = lp.AdjacencySpectralEmbedding(2, random_state=0).fit(graph)
lse = lp.LaplacianSpectralEmbedding(2).fit(graph)
walk = lp.RandomWalkEmbedding(2).fit_transform(graph)
modularity = lp.ModularityEmbedding(1).fit(graph)
positions = ase.embedding_
new = ase.transform({"new": [0, 1, 2]})
aligned = positions @ lp.procrustes(positions, lse.embedding_)
placed = lp.OutOfSample(ase).transform({"new": [0, 1, 2]})
classifier = lp.VertexClassifier().fit(graph, known)
labels = classifier.predict({"new": [0, 1, 2, 3]})
shares = classifier.predict_proba({"new": [0, 1, 2, 3]})
table = classifier.predict_table({"new": [0, 1, 2, 3]})
clusters = lp.VertexClustering().fit(graph)
model = lp.LatentPositionModel(lp.kernels.Gaussian(sigma=1.0), lp.positions.Dirichlet([1, 1, 1]))
sample = model.sample(100, random_state=0)
later = sample.new_vertices(10, random_state=1)
blocks = lp.stochastic_block_model([20, 20], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
dots = lp.random_dot_product_graph(np.full((10, 1), 0.5), random_state=0)
points = np.random.default_rng(0).standard_normal((60, 3))
isomap = lp.manifold.Isomap(2, n_neighbors=8).fit(points)
neighbors = lp.neighbor_graph(points, n_neighbors=5)
elbows = lp.infer.dimension.elbows(ase.eigenvalues_)
lp.save(ase, "model.lpg")
loaded = lp.load("model.lpg", lp.AdjacencySpectralEmbedding)
axes = lp.plot.positions(positions)
