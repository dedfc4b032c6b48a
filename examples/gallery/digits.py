"""
Handwritten digits as a graph
=============================

Each image is a vertex, connected to the most similar images. Half of the digits are new
points: they are connected by the same rule, embedded out-of-sample, and classified by
their positions.
"""

import matplotlib.pyplot as plt
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.pipeline import make_pipeline

import lpgraph as lp

digits = lp.datasets.digits()
known, new = slice(0, 900), slice(900, None)

# %%
# ``LaplacianEigenmaps`` connects two images if one is among the 7 nearest of the other.
# It is a transformer of scikit-learn and can be combined with any classifier.

chain = make_pipeline(
    lp.manifold.LaplacianEigenmaps(24, n_neighbors=7), LinearDiscriminantAnalysis()
)
chain.fit(digits.points[known], digits.labels[known])
right = chain.score(digits.points[new], digits.labels[new])
print(f"{right:.1%} of the new digits are classified correctly")

# %%
# The graph can be used as a network:

eigenmaps = chain[0]
print(lp.as_adjacency(eigenmaps.graph_, loops="drop"))

# %%
# The embedding, with new images as crosses, and the confusion matrix:

predicted = chain.predict(digits.points[new])
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
lp.plot.positions(
    eigenmaps.embedding_,
    digits.labels[known],
    out_of_sample=eigenmaps.transform(digits.points[new]),
    out_labels=digits.labels[new],
    ax=left,
)
ConfusionMatrixDisplay.from_predictions(
    digits.labels[new], predicted, ax=right, cmap="Blues", colorbar=False
)
right.set_title("New digits")
plt.show()
