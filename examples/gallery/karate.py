"""
Classification of known and new vertices
========================================

Zachary's karate club split into two. The members are embedded by their friendships.
From the sides of half of the members, a classifier predicts the sides of the others,
and of three new members who are known by their friends only.
"""

import matplotlib.pyplot as plt

import lpgraph as lp

club = lp.datasets.karate()

# %%
# The side of every second member is known. ``VertexClassifier`` embeds the whole
# network, trains a linear classifier on the positions with a label, and applies it to
# the others.

known = {member: club.labels[member] for member in range(0, 34, 2)}
model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(club.graph, known)
correct = (model.transduction_ == club.labels)[1::2]
print(correct.sum(), "of", len(correct), "predictions are correct")

# %%
# New members are described by their names and friends. They are embedded by one
# product, without another decomposition.

new_members = {"Anna": [0, 1, 2, 3], "Bela": [33, 32, 30], "Chen": [2, 8, 13, 19]}
sides = model.predict(new_members)
for name, side, share in zip(
    new_members, sides, model.predict_proba(new_members).max(axis=1), strict=True
):
    print(f"{name}: {side} ({share:.0%})")

# %%
# Known members are dots, new ones are crosses. The first dimension describes how
# central a member is, the second describes the side.

axes = lp.plot.positions(
    model.embedding_,
    club.labels,
    out_of_sample=model.transform(new_members),
    out_labels=sides,
)
for name, (x, y) in zip(new_members, model.transform(new_members), strict=True):
    axes.annotate(name, (x, y), xytext=(7, 5), textcoords="offset points")
axes.set_title("Karate club")
plt.show()
