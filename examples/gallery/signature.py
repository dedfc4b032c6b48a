"""
Opposites attract: why the sign of an eigenvalue matters
========================================================

In a disassortative network, such as buyers and sellers, edges run between the groups.
Its second eigenvalue is negative. A rule for new vertices that divides by the
magnitude of the eigenvalue, as the literal pseudo-inverse does, puts every newcomer
into the wrong group.
"""

import matplotlib.pyplot as plt

import lpgraph as lp

graph = lp.stochastic_block_model([200, 200], [[0.1, 0.5], [0.5, 0.1]], random_state=0)
new = graph.new_vertices(60, random_state=1)
model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(graph, graph.labels)
ase = model.embedding_
print("eigenvalues", ase.eigenvalues_.round(1), "signature", ase.signature_)

# %%
# ``transform`` keeps the signature. Multiplying by it once more shows what is lost
# without.

with_sign = ase.transform(new)
without = with_sign * ase.signature_
print(f"with the sign {model.score(new, new.labels):.0%} of the new vertices right")
print(f"without it {(model.classifier_.predict(without) == new.labels).mean():.0%}")

# %%

figure, panels = plt.subplots(
    1, 2, figsize=(10, 4.5), sharex=True, sharey=True, layout="constrained"
)
for axes, positions, title in zip(
    panels, (with_sign, without), ("sign kept", "sign lost"), strict=True
):
    lp.plot.positions(
        ase.embedding_,
        graph.labels,
        out_of_sample=positions,
        out_labels=new.labels,
        axes=axes,
    )
    axes.set_title(title)
plt.show()
