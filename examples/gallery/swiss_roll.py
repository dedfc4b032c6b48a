"""
Five embeddings of a Swiss roll
===============================

A Swiss roll is a rolled-up sheet. Isomap preserves distances along the sheet; landmark
Isomap does so for a few points and extends the result to the others. Semidefinite
embedding maximises the variance under the given distances between neighbors. Locally
linear embedding preserves the weights that reconstruct each point from its neighbors,
and local tangent space alignment preserves the tangent coordinates of neighborhoods.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_swiss_roll

import lpgraph as lp

points, angle = make_swiss_roll(1000, random_state=0)
along = (angle * np.sqrt(1 + angle**2) + np.arcsinh(angle)) / 2  # arc length
across = points[:, 1]
train, new = slice(0, 800), slice(800, None)

methods = {
    "Isomap": lp.manifold.Isomap(2, n_neighbors=6),
    "Isomap, 40 landmarks": lp.manifold.Isomap(
        2, n_neighbors=6, landmarks=40, random_state=0
    ),
    "Semidefinite, 40 landmarks": lp.manifold.SemidefiniteEmbedding(
        2, n_neighbors=5, landmarks=40, random_state=0
    ),
    "Locally linear": lp.manifold.LocallyLinearEmbedding(2, n_neighbors=12),
    "Tangent spaces": lp.manifold.LocalTangentSpaceAlignment(2, n_neighbors=10),
}

# %%
# Each method is fitted to 800 points and embeds 200 new points. R² is the share of the
# variance of "along" and of "across" that a linear function of the two coordinates
# explains.


def explained(coordinates, truth):
    design = np.column_stack([coordinates, np.ones(len(truth))])
    residual = truth - design @ np.linalg.lstsq(design, truth)[0]
    return 1 - residual.var() / truth.var()


figure, panels = plt.subplots(2, 3, figsize=(13, 7), layout="constrained")
panels[1, 2].set_axis_off()
for (name, method), axes in zip(methods.items(), panels.flat, strict=False):
    method.fit(points[train])
    added = method.transform(points[new])
    sides = (along[train], across[train]), (along[new], across[new])
    fitted = [explained(method.embedding_, side) for side in sides[0]]
    extended = [explained(added, side) for side in sides[1]]
    print(f"{name}: along {fitted[0]:.3f}, across {fitted[1]:.3f}")
    print(f"    new points: along {extended[0]:.3f}, across {extended[1]:.3f}")
    axes.scatter(*method.embedding_.T, c=along[train], s=12, cmap="viridis")
    axes.scatter(*added.T, c=along[new], s=25, marker="x", linewidths=1, cmap="viridis")
    axes.set_title(name)
plt.show()

# %%
# The graph of the points, drawn over the flat sheet. An edge between two layers of the
# roll would be a long line here, and would spoil the embedding.

flat = np.column_stack([along[train], across[train]])
axes = lp.plot.point_graph(methods["Isomap"], flat)
axes.set(
    title="Neighbor graph of Isomap on the flat sheet", xlabel="along", ylabel="across"
)
plt.show()
