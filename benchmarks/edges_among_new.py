"""Classification of new vertices with and without the edges among them, beside a fit of the whole network.

``python benchmarks/edges_among_new.py`` writes ``docs/results/edges_among_new.md``. It needs LPGRAPH_DATA.
"""

import warnings
from dataclasses import replace

import numpy as np
from _held_out import hold_out
from _labelled_networks import REAL
from _timing import page, table
from _vertex_rules import propagation
from threadpoolctl import threadpool_limits

import lpgraph as lp

SEEDS = range(20, 40)
#: Networks with at least as many vertices are also classified with few labels.
MANY = 200


def accuracies(task):
    """Return the accuracy of each rule, and the share of held-out vertices with an edge to another one."""
    model = lp.VertexClassifier().fit(task.known, task.classes)
    new = replace(task.new, among=task.among)
    classes = np.full(len(task.network.classes), -1)
    classes[task.kept] = task.classes
    whole = lp.VertexClassifier().fit(task.network.graph, classes)
    predicted = {
        "without": model.set_params(among_new=False).predict(new),
        "with": model.set_params(among_new=True).predict(new),
        "fit of all": whole.transduction_[task.held],
        "label propagation": propagation(task),
    }
    joined = task.among + task.among.T
    return {
        "joined": np.mean(np.diff(joined.indptr) > 0),
        **{rule: np.mean(found == task.truth) for rule, found in predicted.items()},
    }


def compared(name, network, labelled):
    """Return a row of the table: means over the splits, and the paired difference."""
    found = [accuracies(hold_out(network, seed, labelled)) for seed in SEEDS]
    columns = {key: np.array([row[key] for row in found]) for key in found[0]}
    difference = columns["with"] - columns["without"]
    row = {"network": name, "joined": f"{100 * columns.pop('joined').mean():.0f} %"}
    row |= {rule: shown(values) for rule, values in columns.items()}
    return row | {"difference": f"{difference.mean():+.4f} ± {standard_error(difference):.4f}"}


def shown(values):
    """Return the mean and its standard error."""
    return f"{values.mean():.3f} ± {standard_error(values):.3f}"


def standard_error(values):
    """Return the standard error of the mean."""
    return np.std(values, ddof=1) / np.sqrt(len(values))


def main():
    """Measure everything and write the page."""
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    # scikit-learn takes a few labels of many classes for a regression.
    warnings.filterwarnings("ignore", "The number of unique classes")
    rows, few = [], []
    for name, load in REAL.items():
        network = load()
        rows.append(compared(name, network, 0.8))
        print(rows[-1], flush=True)
        if network.graph.n_vertices >= MANY:
            few.append(compared(name, network, 0.08))
            print(few[-1], flush=True)
    page(__file__, "Edges among new vertices", rows, NOTES.replace("FEW", "\n".join(table(few))))


NOTES = """\
Mean accuracy and its standard error over 20 random splits (seeds 20 to 39): one fifth of the vertices is held out,
and the labels of all others are known. *Joined* is the share of held-out vertices with an edge to another held-out
vertex.

- Without: `VertexClassifier(among_new=False)`, fitted to the network without the held-out vertices.
- With: `VertexClassifier()`, the same fit. Labels spread also over the edges among the held-out vertices.
- Fit of all: `VertexClassifier()` fitted to the whole network, in which the held-out vertices are unlabelled.
- Label propagation on the whole network.

The difference is that of *with* and *without*, with the standard error of paired differences.

The rule was chosen with seeds from 100 on, on Cora, citeseer, lastfm, polblogs, email-Eu-core, football,
Drosophila, left, and block models, also with vertices that arrive together ([arrivals](arrivals.md)).

## Few labels

The same with labels of 8 % of the vertices instead of 80 %, in networks with at least 200 vertices.

FEW
"""

if __name__ == "__main__":
    with threadpool_limits(1):
        main()
