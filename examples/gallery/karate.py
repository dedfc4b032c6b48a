"""
Two sides of a club, and newcomers
==================================

Zachary's karate club fell apart into two. Embed its members by their friendships,
learn the sides of half of them, and say on which side the others are: those who were
there, and three who joined afterwards and are known by their friends only.
"""

import matplotlib.pyplot as plt

import lpgraph as lp

club = lp.datasets.karate()

# %%
# Every second member's side is known. ``VertexClassifier`` embeds the whole network,
# trains a linear classifier on the positions that have a label, and applies it to the
# others.

known = {member: club.labels[member] for member in range(0, 34, 2)}
model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(club.graph, known)
print((model.transduction_ == club.labels).sum(), "of 34 members right")

# %%
# Newcomers are given by name and friends. Nothing is decomposed again: each is placed
# by one product.

newcomers = {"Anna": [0, 1, 2, 3], "Bela": [33, 32, 30], "Chen": [2, 8, 13, 19]}
sides = model.predict(newcomers)
for name, side, share in zip(
    newcomers, sides, model.predict_proba(newcomers).max(axis=1), strict=True
):
    print(f"{name}: {side} ({share:.0%})")

# %%
# Dots were embedded, crosses arrived. The first dimension is how central a member is,
# the second the side.

axes = lp.plot.positions(
    model.embedding_,
    club.labels,
    out_of_sample=model.transform(newcomers),
    out_labels=sides,
)
for name, (x, y) in zip(newcomers, model.transform(newcomers), strict=True):
    axes.annotate(name, (x, y), xytext=(7, 5), textcoords="offset points")
axes.set_title("Karate club")
plt.show()
