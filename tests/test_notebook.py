"""The notebooks of examples/ run from a fresh kernel, and show what they promise."""

import re
import time
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="needs nbclient and ipykernel")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_results(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.slow
def test_first_steps(tmp_path):
    notebook = nbformat.read(FOLDER / "first_steps.ipynb", as_version=4)
    began = time.perf_counter()
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    assert time.perf_counter() - began < 90  # about 15 s on an idle machine
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    shown = [output.data for output in outputs if "data" in output]
    html = [data["text/html"] for data in shown if "text/html" in data]
    pictures = [data for data in shown if "image/png" in data]
    assert len(pictures) == 3
    graphs = [text for text in html if "<caption" in text and "Adjacency" in text]
    assert any(re.search(r"names</th><td[^>]*>ann, bob, cem, …", text) for text in graphs)
    fitted = [text for text in html if "sk-top-container" in text]
    assert len(fitted) == 2
    assert all("largest residual" in text or "clusters" in text for text in fitted)
    assert sum("smallest good" in text for text in html) == 1
    frames = [text for text in html if text.startswith("<iframe")]
    assert len(frames) == 1
    assert 'sandbox="allow-scripts"' in frames[0]
    assert {"eve", "finn", "gus"} <= set(re.findall(r"\w+", " ".join(data["text/plain"] for data in shown)))
    progress = [text for text in html if "finished after" in text]
    assert progress
