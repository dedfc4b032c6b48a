"""
Clusters of characters in Les Misérables
========================================

Two characters of Victor Hugo's novel are connected if they appear in the same chapter.
There are no labels: the vertices are embedded and clustered.
"""

import matplotlib.pyplot as plt
import numpy as np

import lpgraph as lp

novel = lp.datasets.les_miserables()
print(novel.graph)

# %%
# The degrees of the characters differ much. ``VertexClustering`` embeds the Laplacian,
# which divides by them, and compares the directions of the positions, not their
# lengths. It finds three groups: the main plot, the students of the barricade, and
# Fantine with her friends. Here the number is set to seven, for smaller groups.

print(lp.VertexClustering().fit(novel.graph).n_clusters_, "clusters by default")
degrees = novel.graph.matrix.sum(axis=1)
clustering = lp.VertexClustering(n_clusters=7).fit(novel.graph)

names = np.array(list(clustering.vertex_names_))
for k in range(clustering.n_clusters_):
    members = clustering.labels_ == k
    leading = names[members][np.argsort(-degrees[members])][:6]
    print(f"{k}: {members.sum():2d} characters, {', '.join(leading)}")

# %%
# The adjacency matrix is sorted by cluster. Blocks on the diagonal are groups of
# characters who meet each other; strips are characters who meet many others. On the
# right the rows of the embedding are scaled to unit length, since the leading
# characters have many times more edges than the others.

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
lp.plot.adjacency(novel.graph, clustering.labels_, ax=left)
positions = clustering.embedding_
rows = positions / np.linalg.norm(positions, axis=1, keepdims=True)
lp.plot.positions(rows, clustering.labels_, dimensions=(1, 2), ax=right)
for name in ["Valjean", "Myriel", "Fantine", "Javert", "Marius", "Gavroche"]:
    place = rows[names == name][0, 1:3]
    right.annotate(name, place, xytext=(6, 4), textcoords="offset points")
plt.show()
