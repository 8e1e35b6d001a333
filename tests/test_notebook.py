"""examples/notebook.py runs as a script, and cell by cell in a real Jupyter kernel."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "examples" / "notebook.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def notebook() -> nbformat.NotebookNode:
    """The script's cells, as editors that know `# %%` see them."""
    cells = []
    for kind, text in re.findall(
        r"^# %%( \[markdown\])?\n(.*?)(?=^# %%|\Z)", SCRIPT.read_text(), re.S | re.M
    ):
        if kind:
            cells.append(nbformat.v4.new_markdown_cell(re.sub(r"^# ?", "", text, flags=re.M)))
        else:
            cells.append(nbformat.v4.new_code_cell(text.strip()))
    return nbformat.v4.new_notebook(cells=cells)


def test_the_script_runs(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "QK x0.5" in done.stdout
    assert (folder / "paged_attention.lanes" / "meta.json").is_file()


def test_every_cell_runs_and_shows_something_in_a_kernel(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    book = notebook()
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(book, timeout=120, kernel_name="python3", resources=resources).execute()
    shown = {
        cell.source.splitlines()[-1]: cell.outputs[-1].get("data", {})
        for cell in book.cells
        if cell.cell_type == "code" and cell.outputs
    }
    assert "<svg" in shown["trace"]["text/html"]
    assert len(shown["trace"]["text/plain"].splitlines()) <= 5
    assert "<iframe" in shown["page"]["text/html"]
    assert shown["fit.regime"]["text/plain"] == "'resident'"
