"""
Handwritten digits as a graph
=============================

Points become vertices: join each image to those that look most like it, and what
works for a network works here. Half of the digits come later, are joined to the graph
by the same rule, and are classified where they land.
"""

import matplotlib.pyplot as plt
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.pipeline import make_pipeline

import lpgraph as lp

digits = lp.datasets.digits()
known, new = slice(0, 900), slice(900, None)

# %%
# ``LaplacianEigenmaps`` joins two images when either is among the other's 7 nearest.
# It is a transformer of scikit-learn, and goes into a pipeline with any classifier.

chain = make_pipeline(
    lp.manifold.LaplacianEigenmaps(24, n_neighbors=7), LinearDiscriminantAnalysis()
)
chain.fit(digits.points[known], digits.labels[known])
right = chain.score(digits.points[new], digits.labels[new])
print(f"{right:.1%} of the new digits right")

# %%
# The graph under it is a network like any other:

eigenmaps = chain[0]
print(lp.as_adjacency(eigenmaps.graph_, loops="drop"))

# %%
# Where the images lie, those that came later as crosses, and what was mistaken for
# what:

predicted = chain.predict(digits.points[new])
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
lp.plot.positions(
    eigenmaps.embedding_,
    digits.labels[known],
    out_of_sample=eigenmaps.transform(digits.points[new]),
    out_labels=digits.labels[new],
    axes=left,
)
ConfusionMatrixDisplay.from_predictions(
    digits.labels[new], predicted, ax=right, cmap="Blues", colorbar=False
)
right.set_title("New digits")
plt.show()
