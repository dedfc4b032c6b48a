"""
How sure is a newcomer's position?
==================================

A new vertex is placed by a linear rule from edges that are independent, so that the
covariance of its position can be written down (``OutOfSample``). It is small where a
vertex has much to go by. Is it right as well?
"""

import matplotlib.pyplot as plt
import numpy as np

import lpgraph as lp

graph = lp.stochastic_block_model(
    [300, 300], [[0.30, 0.08], [0.08, 0.15]], random_state=0
)
ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
arrivals = lp.OutOfSample(ase)

# %%
# Six newcomers, each with the ellipse that holds 95 % of its Gaussian.

few = graph.new_vertices(6, random_state=5)
axes = lp.plot.positions(
    ase.embedding_,
    graph.labels,
    out_of_sample=arrivals.transform(few),
    out_labels=few.labels,
    out_covariance=arrivals.covariance(few),
)
axes.set_title("95 % ellipses of six newcomers")
plt.show()

# %%
# Two thousand newcomers, and the share of ellipses that hold the position which a
# vertex of that block would have without noise.

many = graph.new_vertices(2000, random_state=2)
placed, covariance = arrivals.transform(many), arrivals.covariance(many)
for block in (0, 1):
    inside = many.labels == block
    centre = ase.transform(many.adjacency[inside].mean(axis=0)[None, :])[0]
    offset = placed[inside] - centre
    solved = np.linalg.solve(covariance[inside], offset[..., None])[..., 0]
    held = (offset * solved).sum(axis=1) <= -2 * np.log(0.05)
    print(f"block {block}: {held.mean():.1%} of the 95 % ellipses hold the centre")
