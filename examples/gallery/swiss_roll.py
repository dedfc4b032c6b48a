"""
The Swiss roll unrolled four ways
=================================

A sheet rolled up in space. Isomap keeps distances along the sheet, landmark Isomap
does so for a few points and extends to the rest, semidefinite embedding pulls the
points apart as far as distances between neighbours allow, and locally linear
embedding keeps only who is a mixture of whom.
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
}

# %%
# Each method is fitted to 800 points and then places 200 others. How well are the two
# sides of the sheet recovered? As R², the share of the variance of "along" and of
# "across" that the two coordinates explain linearly.


def explained(coordinates, truth):
    design = np.column_stack([coordinates, np.ones(len(truth))])
    residual = truth - design @ np.linalg.lstsq(design, truth)[0]
    return 1 - residual.var() / truth.var()


figure, panels = plt.subplots(2, 2, figsize=(10, 7.5), layout="constrained")
for (name, method), axes in zip(methods.items(), panels.flat, strict=True):
    method.fit(points[train])
    arrived = method.transform(points[new])
    sides = (along[train], across[train]), (along[new], across[new])
    fitted = [explained(method.embedding_, side) for side in sides[0]]
    later = [explained(arrived, side) for side in sides[1]]
    print(f"{name}: along {fitted[0]:.3f}, across {fitted[1]:.3f}")
    print(f"    new points: along {later[0]:.3f}, across {later[1]:.3f}")
    axes.scatter(*method.embedding_.T, c=along[train], s=12, cmap="viridis")
    axes.scatter(
        *arrived.T, c=along[new], s=25, marker="x", linewidths=1, cmap="viridis"
    )
    axes.set_title(name)
plt.show()

# %%
# The graph under it: one edge from sheet to sheet would be a short circuit, and is
# worth looking for first.

flat = np.column_stack([along[train], across[train]])
axes = lp.plot.point_graph(methods["Isomap"], flat)
axes.set(
    title="Isomap's graph, over the sheet laid flat", xlabel="along", ylabel="across"
)
plt.show()
