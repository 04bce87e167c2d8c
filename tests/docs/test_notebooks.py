"""The notebooks of docs/notebooks run from the first cell to the last, and show what they say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
SHOWN = {
    "errors": ("<table", 'class="coindex"', "image/png"),
    "resolving": ("Clara Whitfield", 'class="coindex"', "image/png", "Hannah Brandt"),
    "scoring": ("randomization", "image/png", "singletons:drop"),
}
"""What the outputs of each notebook must have in them."""


def test_there_are_three() -> None:
    assert [path.stem for path in PATHS] == sorted(SHOWN)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "matplotlib", "ipykernel"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    source = str(NOTEBOOKS.parents[1] / "src")
    monkeypatch.setenv("PYTHONPATH", source + os.pathsep + os.environ.get("PYTHONPATH", ""))
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without"
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(NOTEBOOKS)}}
    )
    client.execute()
    shown = "\n".join(_outputs(notebook))
    for text in SHOWN[path.stem]:
        assert text in shown, f"{text} is not shown"
    assert "stderr" not in shown, shown
    assert '"error"' not in shown


def _outputs(notebook: Any) -> list[str]:
    """All that the cells print and show, as text, with the kinds of what they show."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            found.append(str(output.get("name", output.output_type)))
            found.append(str(output.get("text", "")))
            for kind, data in output.get("data", {}).items():
                found += [kind, data if kind.startswith("text/") else ""]
    return found
