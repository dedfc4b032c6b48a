"""
Estimated and true positions
============================

The positions of a sampled graph are known, so that an embedding can be compared with
them. It estimates them up to a rotation, which is removed before the comparison. In
this model, degrees are heavy-tailed: few vertices have long rows, and most lie near the
origin.
"""

import matplotlib.pyplot as plt
import numpy as np

import lpgraph as lp

rng = np.random.default_rng(0)
groups = rng.integers(0, 3, 3000)
directions = (np.eye(3) + 0.15)[groups]
lengths = np.minimum(0.15 + 0.08 * rng.pareto(1.5, 3000), 0.85)
positions = lengths[:, None] * directions

# %%
# The error decreases as the number of vertices grows (Tang, Park & Priebe 2013,
# Theorem 4). Crosses are the estimates of 50 vertices, and lines join them with the
# true positions.

figure, panels = plt.subplots(1, 2, figsize=(13, 5), layout="constrained")
for axes, n in zip(panels, (300, 3000), strict=True):
    graph = lp.random_dot_product_graph(positions[:n], random_state=1)
    embedding = lp.AdjacencySpectralEmbedding(3).fit_transform(graph)
    turned = embedding @ lp.procrustes(embedding, graph.positions)
    lp.plot.positions(
        graph.positions,
        groups[:n],
        out_of_sample=turned[:50],
        out_labels=groups[:50],
        ax=axes,
    )
    ends = np.stack([graph.positions[:50], turned[:50]])
    axes.plot(ends[:, :, 0], ends[:, :, 1], color="0.3", linewidth=0.8)
    error = np.sqrt(((turned - graph.positions) ** 2).sum(axis=1).mean())
    axes.set_title(f"{n} vertices, root mean square error {error:.3f}")
plt.show()
