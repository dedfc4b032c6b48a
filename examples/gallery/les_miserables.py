"""
Who belongs together in Les Misérables
======================================

Victor Hugo's characters, joined when they share a chapter. No labels are given: the
vertices are embedded, and clustered by a Gaussian mixture.
"""

import matplotlib.pyplot as plt
import numpy as np

import lpgraph as lp

novel = lp.datasets.les_miserables()
print(novel.graph)

# %%
# Characters differ much in how often they appear. The Laplacian divides that out; its
# regulariser, here the mean degree, keeps those who appear once from flying off.
# ``VertexClustering`` would choose the number of clusters by BIC. With as few as 77
# vertices that goes on splitting off circles of three or four, so that seven are
# asked for.

degrees = novel.graph.matrix.sum(axis=1)
embedding = lp.LaplacianSpectralEmbedding(5, regularizer="mean")
clustering = lp.VertexClustering(embedding, n_clusters=7, covariance="spherical")
clustering.fit(novel.graph)

names = np.array(list(clustering.vertex_names_))
for k in range(clustering.n_clusters_):
    members = clustering.labels_ == k
    leading = names[members][np.argsort(-degrees[members])][:6]
    print(f"{k}: {members.sum():2d} characters, {', '.join(leading)}")

# %%
# The adjacency matrix sorted by cluster: blocks on the diagonal are circles of people
# who meet each other, strips beside it are those who meet everyone.

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
lp.plot.adjacency(novel.graph, clustering.labels_, axes=left)
positions = clustering.embedding_
lp.plot.positions(positions, clustering.labels_, dimensions=(1, 2), axes=right)
for name in ["Valjean", "Myriel", "Fantine", "Javert", "Marius", "Gavroche"]:
    place = positions[names == name][0, 1:3]
    right.annotate(name, place, xytext=(6, 4), textcoords="offset points")
plt.show()
