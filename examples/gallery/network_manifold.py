"""
The order of airports from their flights
========================================

A pipeline of scikit-learn embeds a network, and embeds the positions again along the
curve near which they lie. With one coordinate the vertices are ordered. The network
of flights within the United States contains no geography, and yet its airports come
out from west to east.
"""

import csv
from importlib.resources import files

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import spearmanr
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

import lpgraph as lp

flights = lp.datasets.flights()
isomap = lp.manifold.Isomap(1, components="bridge")
ase = lp.AdjacencySpectralEmbedding(2, concat=True)
order = make_pipeline(ase, Normalizer(), isomap).fit_transform(flights.graph)[:, 0]

table = files("lpgraph.datasets").joinpath("tables", "airports.csv")
rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
longitude = np.array([float(row["longitude"]) for row in rows])
print(f"rank correlation with the longitude: {abs(spearmanr(order, longitude)[0]):.2f}")

figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
for region in np.unique(flights.labels):
    of = flights.labels == region
    axes.scatter(longitude[of], order[of], s=14, label=region)
axes.set(xlabel="longitude", ylabel="coordinate")
axes.legend()
plt.show()

# %%
# Positions on a curve that turns back near itself. The shortest way between its ends
# leads through the gap, where few vertices are joined; lengths of paths along the
# neighbors follow the curve. The crosses are new vertices.

along = np.random.default_rng(0).uniform(size=1700)
angle = 2 * np.pi * 0.85 * along
circle = np.column_stack([np.cos(angle), np.sin(angle)])
graph = lp.LatentPositionModel(
    lp.kernels.Gaussian(0.8), lp.positions.Fixed(circle), sparsity=0.7
).sample(1700, random_state=0)
known, new = graph.adjacency[:1500, :1500], graph.adjacency[1500:, :1500]
curve = make_pipeline(lp.AdjacencySpectralEmbedding(), Normalizer(), isomap)
coordinates, placed = curve.fit_transform(known), curve.transform(new)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
left.scatter(*curve[0].embedding_[:, 1:3].T, c=along[:1500], s=6)
left.set(
    title="Second and third coordinate of the network", xlabel="ase1", ylabel="ase2"
)
right.scatter(along[:1500], coordinates[:, 0], s=6)
right.scatter(along[1500:], placed[:, 0], s=20, marker="x")
right.set(title="Order along the curve", xlabel="position", ylabel="coordinate")
plt.show()
