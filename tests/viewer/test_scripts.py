"""The page's scripts under node, file by file: tests/viewer/scripts."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "scripts"


def test_the_scripts_do_what_they_say() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: it runs the page's scripts")
    command = [node, "--test", *sorted(HERE.glob("*.test.mjs"))]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-4000:]
    passed = re.search(r"^\S+ pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) > 100


def test_every_script_is_imported_by_a_test() -> None:
    tested = "".join(file.read_text() for file in HERE.glob("*.test.mjs"))
    scripts = {file.name for file in (Path(__file__).parents[2] / "viewer").glob("*.js")}
    alone = {name for name in scripts if f'/viewer/{name}"' in tested}
    # These take part in the two whole sessions, which import main.js.
    assert scripts - alone == {
        *(
            "align.js",
            "area.js",
            "areapanel.js",
            "chipheat.js",
            "element.js",
            "finding.js",
        ),
        *("flows.js", "measure.js", "notes.js", "path.js", "ranks.js"),
        *("savefile.js", "undo.js"),
    }
