"""Nearest texts by the cosine of word weights, sparse throughout: time and memory of lpgraph and scikit-learn.

``python benchmarks/text_neighbors.py`` writes ``docs/results/text_neighbors.md``. The texts are paragraphs of the
source code of installed packages. Each run is a new process, which first does the same with a few texts.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from _memory import Watch
from _timing import page
from scipy import sparse

N, K, NEW, ROUNDS = 20_000, 10, 1000, 3
PACKAGES = ("numpy", "scipy", "sklearn", "networkx", "matplotlib", "pandas")


def texts(count):
    """Return paragraphs of at least 30 words."""
    found = []
    for package in PACKAGES:
        folder = Path(find_spec(package).origin).parent
        for file in sorted(folder.rglob("*.py")):
            parts = file.read_text(encoding="utf-8", errors="ignore").split("\n\n")
            found += [part for part in parts if len(part.split()) >= 30]
    chosen = np.random.default_rng(0).choice(len(found), count, replace=False)
    return [found[i] for i in np.sort(chosen)]


def vectors():
    """Return the tf-idf vectors of the texts, without those that are zero."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    X = sparse.csr_array(TfidfVectorizer(min_df=2).fit_transform(texts(N + NEW + 100)))
    return X[np.diff(X.indptr) > 0][: N + NEW]


def by_lpgraph(X, new):
    """Return what fits, and what finds the neighbors of new texts."""
    from lpgraph.points.neighborhood import Neighborhood

    hood = Neighborhood.of(X, n_neighbors=K, metric="cosine")
    return lambda: hood.rows(new)


def by_sklearn(X, new):
    """Return the same by scikit-learn."""
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=K, metric="cosine", algorithm="brute", n_jobs=-1).fit(X)
    index.kneighbors()
    return lambda: index.kneighbors(new)


METHODS = {"lpgraph": by_lpgraph, "scikit-learn": by_sklearn}

if sys.argv[1:2] == ["--only"]:
    work, X = METHODS[sys.argv[2]], sparse.csr_array(sparse.load_npz(sys.argv[3]))
    work(X[:5000], X[:5000])()
    with Watch() as watch:
        began = time.perf_counter()
        find = work(X[:N], X[N:])
        fitted = time.perf_counter() - began
        find()
        placed = time.perf_counter() - began - fitted
    print(json.dumps([fitted, placed, watch.grown]))
    sys.exit()


def main():
    """Measure and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        X, path = vectors(), Path(folder) / "X.npz"
        sparse.save_npz(path, X)
        runs = {method: [] for method in METHODS}
        for turn in range(ROUNDS):
            for method in list(METHODS)[:: 1 if turn % 2 else -1]:
                command = [sys.executable, __file__, "--only", method, str(path)]
                out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                runs[method].append(json.loads(out.splitlines()[-1]))
                print(method, runs[method][-1], flush=True)
    rows = []
    for method, found in runs.items():
        fitted, placed, grown = (statistics.median(column) for column in zip(*found, strict=True))
        first = [statistics.median(column) for column in zip(*runs["lpgraph"], strict=True)]
        rows.append(
            {
                "method": method,
                "all texts, s": f"{fitted:.3g}",
                "ratio": f"{fitted / first[0]:.2f}",
                f"{NEW} new texts, s": f"{placed:.3g}",
                "ratio of new": f"{placed / first[1]:.2f}",
                "peak memory, MB": f"{grown:.0f}",
            }
        )
    notes = (
        f"{N} texts, {X.shape[1]} words, {X.nnz / X.shape[0]:.0f} words in a text on average; {K} neighbors by "
        f"the cosine distance. Medians of {ROUNDS} new processes in turn. Memory is the largest anonymous memory "
        "(RssAnon, sampled every 5 ms) minus that after a first run with 5000 texts. lpgraph's graph also has all "
        "ties, and the edges by which a text is among the nearest of another, and so have those of new texts."
    )
    page(__file__, "Nearest texts by cosine", rows, notes)


if __name__ == "__main__":
    main()
