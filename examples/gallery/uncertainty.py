"""
Uncertainty of new positions
============================

The position of a new vertex is a linear function of its edges, which are independent.
``OutOfSample`` computes the covariance of this position. Here its ellipses are drawn,
and their coverage is measured.
"""

import matplotlib.pyplot as plt
import numpy as np

import lpgraph as lp

graph = lp.stochastic_block_model(
    [300, 300], [[0.30, 0.08], [0.08, 0.15]], random_state=0
)
ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
extension = lp.OutOfSample(ase)

# %%
# Six new vertices with the 95 % ellipses of their Gaussian distributions.

few = graph.new_vertices(6, random_state=5)
axes = lp.plot.positions(
    ase.embedding_,
    graph.labels,
    out_of_sample=extension.transform(few),
    out_labels=few.labels,
)
lp.plot.ellipses(extension.transform(few), extension.covariance(few), ax=axes)
axes.set_title("95 % ellipses of six new vertices")
plt.show()

# %%
# The share of ellipses of two thousand new vertices that contain the noise-free
# position of their block.

many = graph.new_vertices(2000, random_state=2)
placed, covariance = extension.transform(many), extension.covariance(many)
for block in (0, 1):
    inside = many.labels == block
    centre = ase.transform(many.adjacency[inside].mean(axis=0)[None, :])[0]
    offset = placed[inside] - centre
    solved = np.linalg.solve(covariance[inside], offset[..., None])[..., 0]
    held = (offset * solved).sum(axis=1) <= -2 * np.log(0.05)
    print(f"block {block}: {held.mean():.1%} of the 95 % ellipses contain the centre")
