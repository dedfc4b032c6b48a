"""
Negative eigenvalues of disassortative networks
===============================================

In a disassortative network, such as buyers and sellers, edges connect different groups.
Its second eigenvalue is negative. A rule for new vertices that divides by the magnitude
of the eigenvalue, as the literal pseudo-inverse does, places every new vertex in the
wrong group.
"""

import matplotlib.pyplot as plt
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import lpgraph as lp

graph = lp.stochastic_block_model([200, 200], [[0.1, 0.5], [0.5, 0.1]], random_state=0)
new = graph.new_vertices(60, random_state=1)
ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
classifier = LinearDiscriminantAnalysis().fit(ase.embedding_, graph.labels)
print("eigenvalues", ase.eigenvalues_.round(1), "signature", ase.signature_)

# %%
# ``transform`` keeps the signs. Multiplication by the signature removes them, which
# gives the positions of the literal pseudo-inverse.

with_sign = ase.transform(new)
without = with_sign * ase.signature_
for name, positions in (("with", with_sign), ("without", without)):
    score = classifier.score(positions, new.labels)
    print(f"{name} the sign: {score:.0%} of the new vertices correct")

# %%

figure, panels = plt.subplots(
    1, 2, figsize=(10, 4.5), sharex=True, sharey=True, layout="constrained"
)
for axes, positions, title in zip(
    panels, (with_sign, without), ("with the sign", "without the sign"), strict=True
):
    lp.plot.positions(
        ase.embedding_,
        graph.labels,
        out_of_sample=positions,
        out_labels=new.labels,
        ax=axes,
    )
    axes.set_title(title)
plt.show()
