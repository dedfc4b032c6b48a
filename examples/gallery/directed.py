"""
Directed networks: sources and targets
======================================

In a directed network, each vertex has two positions: one as a source of arcs and one as
a target. Here three groups cite each other in a circle. Each group is one cluster of
the sources and one of the targets.
"""

import matplotlib.pyplot as plt

import lpgraph as lp

cites = [[0.05, 0.40, 0.05], [0.05, 0.05, 0.40], [0.40, 0.05, 0.05]]
graph = lp.stochastic_block_model([100, 100, 100], cites, directed=True, random_state=0)
ase = lp.AdjacencySpectralEmbedding(3).fit(graph)
print("singular values", ase.singular_values_.round(1))

# %%
# New vertices are embedded as sources by their outgoing arcs, and as targets by their
# incoming arcs.

new = graph.new_vertices(20, random_state=1)
figure, panels = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
for axes, side, known in zip(
    panels, ("out", "in"), (ase.embedding_, ase.embedding_in_), strict=True
):
    lp.plot.positions(
        known,
        graph.labels,
        out_of_sample=ase.transform(new, direction=side),
        out_labels=new.labels,
        dimensions=(1, 2),
        ax=axes,
    )
    axes.set_title("as sources" if side == "out" else "as targets")
plt.show()

# %%
# ``embedding_ @ embedding_in_.T`` estimates the matrix of probabilities: the product of
# the positions of a source and a target is the probability of an arc between them.

estimate = ase.embedding_ @ ase.embedding_in_.T
print(estimate.reshape(3, 100, 3, 100).mean(axis=(1, 3)).round(3))
