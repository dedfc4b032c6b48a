"""
What a latent position graph is
===============================

Each vertex has a position that nobody observes. Two vertices are joined with a
probability that their positions determine. Only the edges are observed. A spectral
embedding finds the positions again, up to a rotation and to noise, and places a vertex
that comes later by its edges.

Here positions are uniform in a triangle, and the probability of an edge is the scalar
product of two positions. The colour of a vertex is its true position; it is not
used for the embedding.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import patheffects
from matplotlib.collections import LineCollection

import lpgraph as lp

# %%
# **The model** is a kernel and a distribution of positions. A sampled graph knows its
# true positions.
model = lp.LatentPositionModel(
    lp.kernels.DotProduct(), lp.positions.Dirichlet([1, 1, 1])
)
graph = model.sample(1500, random_state=1)
print(graph)

# %%
# **The positions, found again.** The embedding is rotated to the truth for the picture
# only.
embedding = lp.AdjacencySpectralEmbedding(3).fit(graph)
rotation = lp.procrustes(embedding.embedding_, graph.positions)
found = embedding.embedding_ @ rotation

# %%
# **A new vertex** is placed by its edges to the known vertices, without another
# decomposition.
newcomer = graph.new_vertices(positions=[[0.15, 0.7, 0.15]], random_state=0)
placed = embedding.transform(newcomer.adjacency) @ rotation
print("true position", newcomer.positions[0], "estimated", placed[0].round(2))

# %%
# The four steps in one picture. The triangle is drawn in its plane.
plane = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
corners = np.array([[0.84, 0.11, 0.36], [0.98, 0.72, 0.05], [0.05, 0.42, 0.75]])
colors = graph.positions @ corners  # mixtures of the colours of the corners

figure, axes = plt.subplots(1, 4, figsize=(13, 3.6), layout="constrained")
titles = (
    "Positions, unobserved",
    "The network that they make",
    "The positions, found again",
    "A new vertex",
)
for ax, title in zip(axes, titles, strict=True):
    ax.set_title(title, fontsize=12)
    ax.set_aspect("equal")
    ax.axis("off")

axes[0].scatter(*(graph.positions @ plane).T, s=9, c=colors)

m = 60  # of the vertices, so that edges can be seen
angle = 2 * np.pi * np.arange(m) / m
circle = np.c_[np.cos(angle), np.sin(angle)]
ends = np.argwhere(np.triu(graph.adjacency[:m, :m].toarray()))
axes[1].add_collection(
    LineCollection(circle[ends], colors="0.25", linewidths=0.5, alpha=0.35)
)
axes[1].scatter(*circle.T, s=22, c="0.35", zorder=2)
axes[1].set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25))

axes[2].scatter(*(found @ plane).T, s=9, c=colors)

neighbors = newcomer.adjacency.toarray()[0] > 0
lines = np.stack(
    [found[neighbors] @ plane, np.repeat(placed @ plane, neighbors.sum(), axis=0)],
    axis=1,
)
axes[3].scatter(*(found @ plane).T, s=9, c="0.85")
axes[3].add_collection(LineCollection(lines, colors="0.3", linewidths=0.3, alpha=0.25))
axes[3].scatter(*(found[neighbors] @ plane).T, s=9, c=colors[neighbors])
axes[3].scatter(
    *(placed @ plane).T,
    s=130,
    facecolor="white",
    edgecolor="black",
    linewidth=2,
    zorder=3,
)
axes[3].scatter(
    *(newcomer.positions @ plane).T, s=40, marker="x", color="black", zorder=4
)
halo = [patheffects.withStroke(linewidth=2.5, foreground="white")]
axes[3].annotate(
    "true",
    (newcomer.positions @ plane)[0],
    (8, 6),
    textcoords="offset points",
    zorder=5,
    path_effects=halo,
)
axes[3].annotate(
    "placed",
    (placed @ plane)[0],
    (-4, 13),
    textcoords="offset points",
    ha="right",
    path_effects=halo,
)
for ax in (axes[0], axes[2], axes[3]):
    ax.set(xlim=(-0.12, 1.12), ylim=(-0.18, 1.06))
plt.show()
