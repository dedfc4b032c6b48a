"""
Number of dimensions
====================

A network has four groups, two of them small. The default rule counts the eigenvectors
that held-out edges confirm, and finds all groups; the elbow of the scree finds the
large ones. Cross-validation of edges measures how well held-out pairs are predicted.
"""

import matplotlib.pyplot as plt

import lpgraph as lp

B = [
    [0.30, 0.05, 0.05, 0.05],
    [0.05, 0.30, 0.05, 0.05],
    [0.05, 0.05, 0.35, 0.05],
    [0.05, 0.05, 0.05, 0.35],
]
graph = lp.stochastic_block_model([250, 250, 80, 80], B, random_state=0)

# %%
# ``n_components=None`` uses cross-validated eigenvalues (Chen, Roch, Rohe & Yu 2021).
# An eigenvector is significant if its z statistic is above 3.09, that is p < 0.001.

choice = lp.AdjacencySpectralEmbedding().fit(graph).dimension_choice_
print(choice)
print("z", choice.z.round(1))

# %%
# ``"sign_flips"`` compares the eigenvalues with those of the matrix with random signs
# (Hong, Sheng & Dobriban 2020).

flips = lp.AdjacencySpectralEmbedding("sign_flips").fit(graph).dimension_choice_
print(flips, "of signs", flips.signature)

# %%
# ``"elbow"`` is the first elbow of the profile likelihood (Zhu & Ghodsi 2006);
# ``elbows`` also returns the next ones.

ase = lp.AdjacencySpectralEmbedding("elbow").fit(graph)
print("elbows", lp.infer.dimension.elbows(ase.scree_, 3))

# %%
# ``cross_validate`` holds out a share of all pairs, embeds the rest, and predicts the
# held-out pairs (Li, Levina & Zhu 2020).

found = lp.infer.dimension.cross_validate(graph, 8, random_state=0)
print("smallest loss at", found.best)
print("smallest within one standard error", found.smallest_good)

# %%

figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left, right = axes
lp.plot.scree(ase, validation=found, ax=left)
left.set_title("Scree and loss of held-out pairs")
lp.plot.dimension(flips, ax=right)
right.set_title("Random signs")
plt.show()
