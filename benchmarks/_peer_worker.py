"""One method of another library: ``python _peer_worker.py METHOD GRAPH.npz MORE.npz RESULT.npy`` prints its time.

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


def unstacked(stacked):
    """Return the graphs that are stacked, each with as many rows as columns."""
    n = stacked.shape[1]
    return [stacked[start : start + n].toarray() for start in range(0, stacked.shape[0], n)]


def select_dimension(stacked):
    """Return the two elbows of each of the graphs that are stacked."""
    from graspologic.embed import select_dimension

    return np.array([(select_dimension(graph, n_elbows=2)[0] * 2)[:2] for graph in unstacked(stacked)])


def omnibus(stacked):
    """Return the omnibus embedding of the graphs that are stacked."""
    from graspologic.embed import OmnibusEmbed

    return OmnibusEmbed(2, svd_seed=0).fit_transform(unstacked(stacked))


def multiple(stacked):
    """Return the common positions of the graphs that are stacked."""
    from graspologic.embed import MultipleASE

    return MultipleASE(2, svd_seed=0).fit_transform(unstacked(stacked))


def position_test(stacked):
    """Return the p-values of the test of latent positions for each two of the graphs that are stacked."""
    from graspologic.inference import latent_position_test

    graphs = unstacked(stacked)
    pairs = zip(graphs[::2], graphs[1::2], strict=True)
    return np.array([latent_position_test(a, b, n_components=2, n_bootstraps=100)[1] for a, b in pairs])


def gcn(matrix, features, codes):
    """Return the classes of all vertices by a graph convolutional network, one row for each of `codes`.

    `codes` has one row for each split, -1 where the class is unknown. Kipf & Welling (2017): two layers, 64 hidden
    units, dropout 0.5, Adam with rate 0.01 and weight decay 5e-4, 200 epochs with all labels.
    """
    import jax
    import jax.numpy as jnp
    import optax

    n, n_classes = len(features), int(codes.max()) + 1
    loops = sparse.csr_array(matrix + sparse.eye_array(n))
    scale = sparse.diags_array(1 / np.sqrt(loops.sum(axis=1)))
    walk = sparse.csr_array(scale @ loops @ scale).astype(np.float32)
    features = jnp.asarray(features, jnp.float32)

    @jax.custom_vjp
    def spread(x):
        # scipy's sparse product; that of jax takes ten times as long on a processor.
        return jax.pure_callback(lambda x: walk @ np.asarray(x), jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    spread.defvjp(lambda x: (spread(x), None), lambda _, slope: (spread(slope),))

    def outputs(weights, key=None):
        inputs, second = features, None
        if key is not None:
            first, second = jax.random.split(key)
            inputs = drop(inputs, first)
        hidden = jax.nn.relu(spread(inputs @ weights["in"]) + weights["in_bias"])
        return spread((hidden if second is None else drop(hidden, second)) @ weights["out"]) + weights["out_bias"]

    def drop(x, key):
        return jnp.where(jax.random.bernoulli(key, 0.5, x.shape), 2 * x, 0)

    def loss(weights, key, code):
        losses = optax.softmax_cross_entropy_with_integer_labels(outputs(weights, key), jnp.maximum(code, 0))
        return jnp.where(code < 0, 0, losses).sum() / (code >= 0).sum()

    rule = optax.chain(optax.add_decayed_weights(5e-4), optax.adam(0.01))

    @jax.jit
    def epoch(weights, state, key, code):
        change, state = rule.update(jax.grad(loss)(weights, key, code), state, weights)
        return optax.apply_updates(weights, change), state

    glorot, found = jax.nn.initializers.glorot_uniform(), []
    for seed, code in enumerate(codes):
        key = jax.random.key(seed)
        weights = {
            "in": glorot(jax.random.fold_in(key, 200), (features.shape[1], 64)),
            "in_bias": jnp.zeros(64),
            "out": glorot(jax.random.fold_in(key, 201), (64, n_classes)),
            "out_bias": jnp.zeros(n_classes),
        }
        state = rule.init(weights)
        for step in range(200):
            weights, state = epoch(weights, state, jax.random.fold_in(key, step), code)
        found.append(np.asarray(outputs(weights).argmax(axis=1)))
    return np.array(found)


#: The functions, and the modules that they use.
METHODS = {
    "node2vec": (node2vec, ("pecanpy.pecanpy",)),
    "select_dimension": (select_dimension, ("graspologic.embed",)),
    "omnibus": (omnibus, ("graspologic.embed",)),
    "multiple": (multiple, ("graspologic.embed",)),
    "position_test": (position_test, ("graspologic.inference",)),
    "gcn": (gcn, ("jax", "optax")),
    "autogmm": (autogmm, ("graspologic.cluster", "graspologic.embed")),
}


def main(method, graph, arrays, result):
    """Run and print."""
    warnings.simplefilter("ignore")
    matrix, more = sparse.load_npz(graph).tocsr(), np.load(arrays)
    run, modules = METHODS[method]
    for module in modules:
        import_module(module)
    began = time.process_time()
    found = run(matrix, **more)
    seconds = time.process_time() - began
    np.save(result, found)
    print(seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
