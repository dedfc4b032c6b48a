"""
New vertices: extension or a second fit
=======================================

When a network grows, new vertices can be embedded by their edges to the known ones, or
the whole network can be embedded again. Here the true positions are known, and both
errors are measured. By Theorem 2 of Tang, Park & Priebe (2013), they decrease at the
same rate.
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

    # the second fit also uses the edges between new vertices
    whole = sparse.block_array(
        [[graph.adjacency, new.adjacency.T], [new.adjacency, new.among]], format="csr"
    )
    together = lp.AdjacencySpectralEmbedding(3).fit(whole).embedding_

    # positions are unique up to a rotation, which is found from the known vertices
    error = {}
    for name, known, added in (
        ("extended", ase.embedding_, extended),
        ("second fit", together[:n], together[n:]),
    ):
        rotation = lp.procrustes(known, graph.positions)
        error[name] = np.sqrt(
            np.square(added @ rotation - new.positions).sum(axis=1).mean()
        )
    rows.append((n, error["extended"], error["second fit"]))
    figures = ", ".join(f"{value:.4f} {name}" for name, value in error.items())
    print(f"n = {n:4d}: error of {m} new vertices {figures}")

# %%
# The difference decreases as the number of known vertices grows. The second fit also
# uses the edges between new vertices, and the new edges of known vertices: a share of
# about m / (n + m) of all edges. ``OutOfSample`` with ``rule="batch"`` uses the edges
# between new vertices without a decomposition.

n, extended, together = np.array(rows).T
figure, axes = plt.subplots(figsize=(6, 4.2), layout="constrained")
axes.loglog(n, extended, "o-", color=lp.plot.COLOURS[0], label="extended")
axes.loglog(n, together, "s--", color=lp.plot.COLOURS[1], label="second fit")
axes.loglog(n, extended[0] * np.sqrt(n[0] / n), ":", color="0.5", label="$n^{-1/2}$")
axes.set(
    xlabel="known vertices n",
    ylabel="root mean square error",
    title=f"{m} new vertices",
)
axes.set_xticks(n, [f"{int(k)}" for k in n])
axes.minorticks_off()
axes.legend(frameon=False)
plt.show()
