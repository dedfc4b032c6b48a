"""
Arrivals, extended or refitted
==============================

A network grows. Is it enough to place new vertices by their edges to the known ones,
or must the whole be embedded again? Here the true positions are known, so that both
can be measured: Theorem 2 of Tang, Park & Priebe (2013) promises that the first is as
good in rate.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import lpgraph as lp

model = lp.LatentPositionModel(
    lp.kernels.DotProduct(), lp.positions.Dirichlet([1, 1, 1])
)
m = 300
rows = []
for n in (250, 500, 1000, 2000):
    graph = model.sample(n, random_state=n)
    new = graph.new_vertices(m, random_state=n + 1)
    ase = lp.AdjacencySpectralEmbedding(3).fit(graph)
    extended = ase.transform(new)

    # the refit sees the new vertices' edges among themselves as well
    whole = sparse.block_array(
        [[graph.adjacency, new.adjacency.T], [new.adjacency, new.among]], format="csr"
    )
    refitted = lp.AdjacencySpectralEmbedding(3).fit(whole).embedding_

    # positions are determined up to a rotation, which the known vertices determine
    error = {}
    for name, known, later in (
        ("extended", ase.embedding_, extended),
        ("refitted", refitted[:n], refitted[n:]),
    ):
        rotation = lp.procrustes(known, graph.positions)
        error[name] = np.sqrt(
            np.square(later @ rotation - new.positions).sum(axis=1).mean()
        )
    rows.append((n, error["extended"], error["refitted"]))
    figures = ", ".join(f"{value:.4f} {name}" for name, value in error.items())
    print(f"n = {n:4d}: error of {m} new vertices {figures}")

# %%
# The gap closes as the known part grows: the refit gains the edges among the newcomers,
# and what the newcomers say of the known vertices. Both are a share m / (n + m) of all.
# ``OutOfSample`` with ``rule="batch"`` uses the first without a decomposition.

n, extended, refitted = np.array(rows).T
figure, axes = plt.subplots(figsize=(6, 4.2), layout="constrained")
axes.loglog(n, extended, "o-", color=lp.plot.COLOURS[0], label="extended")
axes.loglog(n, refitted, "s--", color=lp.plot.COLOURS[1], label="refitted")
axes.loglog(n, extended[0] * np.sqrt(n[0] / n), ":", color="0.5", label="$n^{-1/2}$")
axes.set(
    xlabel="known vertices n",
    ylabel="root mean square error",
    title=f"{m} vertices that arrived",
)
axes.set_xticks(n, [f"{int(k)}" for k in n])
axes.minorticks_off()
axes.legend(frameon=False)
plt.show()
