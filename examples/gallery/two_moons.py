"""
Spectral clustering of new points
=================================

Two half moons cannot be separated by a straight line or by k-means, but by spectral
clustering. Its eigenvectors are extended to eigenfunctions, so that ``predict`` returns
the clusters of new points.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import lpgraph as lp

points, moon = make_moons(400, noise=0.08, random_state=0)
train, new = slice(0, 300), slice(300, None)
model = lp.manifold.SpectralClustering(
    2, n_neighbors=10, affinity="gaussian", random_state=0
).fit(points[train])

same = (model.predict(points[new]) == moon[new]).mean()
print(f"{max(same, 1 - same):.0%} of the new points are assigned to the correct moon")

# %%
# The extension is a function on the plane, at least for points with neighbors among the
# training points. Its sign determines the border between the clusters.

x, y = np.meshgrid(np.linspace(-1.6, 2.6, 120), np.linspace(-1.1, 1.6, 90))
plane = model.predict(np.column_stack([x.ravel(), y.ravel()])).reshape(x.shape)

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
axes.contourf(
    x, y, plane, levels=[-0.5, 0.5, 1.5], colors=lp.plot.COLOURS[:2], alpha=0.2
)
lp.plot.positions(
    points[train],
    model.labels_,
    out_of_sample=points[new],
    out_labels=model.predict(points[new]),
    ax=axes,
)
axes.set_title("Training points (dots), new points (crosses), predicted clusters")
plt.show()
