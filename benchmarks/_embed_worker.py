"""One embedding in a separate process: ``python _embed_worker.py PROGRAM GRAPH.npz D TOL`` prints JSON.

It runs in any environment, since only the named program is imported. The time of the first call does not include
imports at the top and the loading of the graph; for lpgraph it includes loading numba and compiled loops.
"""

import json
import resource
import sys
import time
import warnings

import numpy as np
from scipy import sparse


def peak():
    """Return the peak resident memory of this process so far, in bytes."""
    try:
        with open(
            "/proc/self/status"
        ) as lines:  # of this program only; getrusage includes the process that started it
            return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def load(path):
    """Return the graph as a matrix that all programs accept."""
    with np.load(path) as arrays:
        indptr, indices = arrays["indptr"], arrays["indices"]
    n = len(indptr) - 1
    return sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=(n, n))


def program(name, d, tol):
    """Return a function from a graph to d columns along its eigenvectors, and what else it reports."""
    if name in ("lpgraph", "lpgraph-LA", "lpgraph-laplacian"):
        import lpgraph as lp

        kind = lp.LaplacianSpectralEmbedding if name == "lpgraph-laplacian" else lp.AdjacencySpectralEmbedding
        which = "LA" if name == "lpgraph-LA" else "LM"
        return lambda a: kind(d, which=which, tol=tol).fit(a).embedding_
    if name == "graspologic":
        from graspologic.embed import AdjacencySpectralEmbed

        return lambda a: AdjacencySpectralEmbed(n_components=d, svd_seed=0).fit_transform(a)
    start = np.random.default_rng(0).standard_normal
    if name == "primme":
        import primme

        return lambda a: primme.eigsh(a, d, which="LM", tol=tol, v0=start((a.shape[0], 1)))[1]
    from scipy.sparse.linalg import eigsh

    if name == "eigsh-laplacian":

        def laplacian(a):
            root = sparse.diags_array(np.asarray(a.sum(axis=1)).ravel() ** -0.5)
            return eigsh(root @ a @ root, d, which="LA", tol=tol)[1]

        return laplacian
    which = "LM" if name == "eigsh-LM" else "LA"
    # eigsh's own start is random
    return lambda a: eigsh(a, d, which=which, tol=tol, v0=start(a.shape[0]))[1]


def traffic(run, a):
    """Return the number of products, and the bytes read for indices and for the basis, in one fit."""
    from lpgraph.linalg.basis import Basis
    from lpgraph.linalg.matvec import Product

    products, basis = [0], [0]
    multiply, dots, combined = Product.__matmul__, Basis.products, Basis._combined

    def counted_multiply(self, block):
        products[0] += block.shape[1]
        return multiply(self, block)

    # A column is read once for two vectors, or for all vectors that are formed from it.
    def counted_dots(self, first, last, *rest, **more):
        basis[0] += self.array.itemsize * (last - first) * len(self.array)
        return dots(self, first, last, *rest, **more)

    def counted_combined(self, factors, *rest, **more):
        basis[0] += self.array.itemsize * len(factors) * len(self.array)
        return combined(self, factors, *rest, **more)

    Product.__matmul__, Basis.products, Basis._combined = counted_multiply, counted_dots, counted_combined
    run(a)
    # Columns are multiplied in pairs, so that the indices are read once for two.
    return {"products": products[0], "matrix bytes": products[0] * 2 * len(a.data), "basis bytes": basis[0]}


def main(name, path, d, tol, *also):
    """Run and print."""
    warnings.simplefilter("ignore")
    a = load(path)
    began = time.perf_counter()
    run = program(name, int(d), float(tol))
    result = {"import": time.perf_counter() - began, "before": peak()}
    if "traffic" in also:
        result |= traffic(run, a)
        print(json.dumps(result))
        return
    began = time.perf_counter()
    vectors = run(a)
    result |= {"first": time.perf_counter() - began, "peak": peak()}
    if "again" in also:
        began = time.perf_counter()
        run(a)
        result["again"] = time.perf_counter() - began
    if name.endswith("laplacian"):
        root = sparse.diags_array(np.asarray(a.sum(axis=1)).ravel() ** -0.5)
        a = root @ a @ root
    # The residual of each returned column, with its Rayleigh quotient as eigenvalue.
    lengths = np.linalg.norm(vectors, axis=0)
    vectors = vectors / np.where(lengths > 0, lengths, 1.0)
    images = a @ vectors
    values = (vectors * images).sum(axis=0)
    result["residual"] = float((np.linalg.norm(images - vectors * values, axis=0) / abs(values)).max())
    result["values"] = sorted(values.tolist(), reverse=True)
    result["gram"] = float(abs(vectors.T @ vectors - np.eye(int(d))).max())
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
