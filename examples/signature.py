"""Signs of eigenvalues: new vertices of disassortative and core-periphery networks.

Half of the vertices of a two-block graph are new. An out-of-sample rule that divides by the magnitude of a
negative eigenvalue places them at the mirror image of their position. lpgraph keeps the sign.
"""

import numpy as np
from _report import report
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

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
            ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
            classifier = LinearDiscriminantAnalysis().fit(ase.embedding_, graph.labels)
            signed.append(classifier.score(ase.transform(new), new.labels))
            # The rule without the sign, for comparison: least squares on the positions.
            mirrored = ase.transform(new) * ase.signature_
            unsigned.append(classifier.score(mirrored, new.labels))
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
