"""Same graph, same embedding, at any number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

CODE = """
import sys
import numpy as np
import lpgraph as lp
graph = lp.stochastic_block_model([1500, 1500], [[0.02, 0.005], [0.005, 0.02]], random_state=0)
ase = lp.AdjacencySpectralEmbedding(6).fit(graph)
new = graph.new_vertices(50, random_state=1)
rule = lp.AdjacencySpectralEmbedding().fit(graph)
chosen = rule.dimension_choice_.z
np.savez(sys.argv[1], embedding=ase.embedding_, new=ase.transform(new), chosen=chosen, rule=rule.embedding_)
"""


@pytest.mark.slow
def test_embedding_does_not_depend_on_the_number_of_threads(tmp_path):
    found = []
    for threads in ("1", "2"):
        path = tmp_path / f"{threads}.npz"
        environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), threads)
        subprocess.run([sys.executable, "-c", CODE, str(path)], env=environment, check=True)
        with np.load(path) as file:
            found.append([file[name] for name in ("embedding", "new", "chosen", "rule")])
    for one, two in zip(*found, strict=True):
        assert np.abs(one - two).max() <= 1e-10
