"""The notebooks of examples/ run from a fresh kernel, and show what they promise."""

import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="needs nbclient and ipykernel")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"


@pytest.mark.slow
def test_first_steps(tmp_path):
    notebook = nbformat.read(FOLDER / "first_steps.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=90, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error"]
    said = "".join(output.text for output in outputs if output.get("name") == "stderr")
    assert all(re.match(r"\d+ s ", line) for line in said.splitlines())  # progress, and no warning
    shown = [output.data for output in outputs if "data" in output]
    html = [data["text/html"] for data in shown if "text/html" in data]
    assert sum("image/png" in data for data in shown) == 3
    assert any("<caption" in text and "Adjacency" in text for text in html)
    assert sum("sk-top-container" in text for text in html) == 2
    assert ["sandbox=" in text for text in html if text.startswith("<iframe")] == [True]
