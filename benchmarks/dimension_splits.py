"""The number of dimensions of real networks by different random splits of their edges.

``python benchmarks/dimension_splits.py`` writes ``docs/results/dimension_splits.md``.
"""

import time
import warnings

import numpy as np
from _labelled_networks import REAL
from _timing import page

import lpgraph as lp
from lpgraph.infer.dimension import joint_dimension

NETWORKS = ("email-Eu-core", "Cora", "citeseer", "lastfm", "polblogs", "Drosophila, left", "C. elegans")
GROUPS, SPLITS = 10, 5


def spread(numbers):
    """Return the range and the standard deviation of numbers."""
    return f"{min(numbers)} to {max(numbers)} ({np.std(numbers):.1f})"


def main():
    """Fit each network with 50 seeds and write the page."""
    warnings.simplefilter("ignore")
    rows = []
    for name in NETWORKS:
        graph = REAL[name]().graph
        began = time.process_time()
        choices = [
            lp.AdjacencySpectralEmbedding(random_state=seed).fit(graph).dimension_choice_
            for seed in range(GROUPS * SPLITS)
        ]
        seconds = (time.process_time() - began) / len(choices)
        joint = [joint_dimension(choices[SPLITS * k : SPLITS * (k + 1)]) for k in range(GROUPS)]
        row = {"network": name, "vertices": f"{graph.n_vertices}", "edges": f"{graph.n_edges}"}
        row |= {
            "one split": spread([choice.n_components for choice in choices]),
            f"mean of {SPLITS} splits": spread(joint),
            "s a fit": f"{seconds:.2f}",
        }
        rows.append(row)
        print(row, flush=True)
    notes = (
        f"Dimensions of the adjacency spectral embedding by cross-validated eigenvalues, smallest to largest "
        f"(standard deviation), of {GROUPS * SPLITS} seeds, and of {GROUPS} groups of {SPLITS} seeds by "
        "`lp.infer.dimension.joint_dimension`, as `lpgraph dimension` prints it. Networks with up to 10 000 edges "
        "are divided five or ten times by each seed already. Seconds are processor time, with one thread."
    )
    page(__file__, "Number of dimensions and random splits", rows, notes)


if __name__ == "__main__":
    main()
