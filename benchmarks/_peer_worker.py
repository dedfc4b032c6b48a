"""One method of another library: ``python _peer_worker.py METHOD GRAPH.npz RESULT.npy`` prints its processor time.

It runs in the environment of that library, whose import is not timed.
"""

import sys
import time
import warnings
from importlib import import_module

import numpy as np
from scipy import sparse


def node2vec(matrix):
    """Return 128 coordinates of each vertex: ten walks of 80 steps, window 10."""
    from pecanpy import pecanpy

    weighted = bool((matrix.data != 1).any())
    walker = (pecanpy.PreCompFirstOrder if weighted else pecanpy.FirstOrderUnweighted)(
        p=1, q=1, workers=1, random_state=0
    )
    walker.set_node_ids([str(i) for i in range(matrix.shape[0])])
    walker.indptr = matrix.indptr.astype(np.uint32)
    walker.indices = matrix.indices.astype(np.uint32)
    walker.data = matrix.data.astype(np.float32)
    return walker.embed(dim=128, num_walks=10, walk_length=80, window_size=10)


def autogmm(matrix):
    """Return the clusters of the adjacency spectral embedding by the mixture of smallest BIC."""
    from graspologic.cluster import AutoGMMCluster
    from graspologic.embed import AdjacencySpectralEmbed

    positions = AdjacencySpectralEmbed(svd_seed=0).fit_transform(matrix)
    most = min(20, len(positions) // 3)
    return AutoGMMCluster(2, most, random_state=0).fit_predict(positions)


def select_dimension(stacked):
    """Return the two elbows of each of the graphs that are stacked, each with as many rows as columns."""
    from graspologic.embed import select_dimension

    n = stacked.shape[1]
    graphs = [stacked[start : start + n].toarray() for start in range(0, stacked.shape[0], n)]
    return np.array([(select_dimension(graph, n_elbows=2)[0] * 2)[:2] for graph in graphs])


#: The functions, and the modules that they use.
METHODS = {
    "node2vec": (node2vec, ("pecanpy.pecanpy",)),
    "select_dimension": (select_dimension, ("graspologic.embed",)),
    "autogmm": (autogmm, ("graspologic.cluster", "graspologic.embed")),
}


def main(method, graph, result):
    """Run and print."""
    warnings.simplefilter("ignore")
    matrix = sparse.load_npz(graph).tocsr()
    run, modules = METHODS[method]
    for module in modules:
        import_module(module)
    began = time.process_time()
    found = run(matrix)
    seconds = time.process_time() - began
    np.save(result, found)
    print(seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
