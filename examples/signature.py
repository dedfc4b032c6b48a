"""Signs of eigenvalues: new vertices of disassortative and core-periphery networks.

Half of the vertices of a two-block graph are new. An out-of-sample rule that divides by the magnitude of a
negative eigenvalue places them at the mirror image of their position. lpgraph keeps the sign.
"""

import numpy as np
from _report import report

import lpgraph as lp

CASES = {
    "assortative": [[0.5, 0.1], [0.1, 0.5]],
    "disassortative": [[0.1, 0.5], [0.5, 0.1]],
    "core-periphery": [[0.5, 0.4], [0.4, 0.1]],
}


def main(n=1000, repeats=10):
    rows = []
    for name, blocks in CASES.items():
        signed, unsigned = [], []
        for seed in range(repeats):
            graph = lp.stochastic_block_model([n // 2, n // 2], blocks, random_state=seed)
            new = graph.new_vertices(n, random_state=seed + 1)
            model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(graph, graph.labels)
            signed.append(model.score(new, new.labels))
            # The rule without the sign, for comparison: least squares on the positions.
            ase = model.fitted_embedding_
            mirrored = ase.transform(new) * ase.signature_
            unsigned.append((model.classifier_.predict(mirrored) == new.labels).mean())
        rows.append(
            {
                "network": name,
                "signature": str(tuple(int(s) for s in ase.signature_)),
                "accuracy on new vertices": np.mean(signed),
                "without the sign": np.mean(unsigned),
            }
        )
    report(
        "signature",
        "New vertices and the signs of eigenvalues",
        rows,
        f"n = {n} in-sample, {n} new, mean of {repeats} graphs.",
    )
    return rows


if __name__ == "__main__":
    main()
