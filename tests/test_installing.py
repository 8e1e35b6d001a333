"""The wheel alone, with what it says it needs: a new environment without compiler, home or clone.

LANESCOPE_WHEEL names a wheel that is there; without it pip builds one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def needed(names: list[str]) -> dict[str, Distribution]:
    """Installed packages by name, with all that they need in turn."""
    found: dict[str, Distribution] = {}
    while names:
        name = names.pop()
        if name not in found:
            found[name] = distribution(name)
            plain = (one for one in found[name].requires or () if "extra ==" not in one)
            names += [word[0] for one in plain if (word := re.match(r"[\w.-]+", one))]
    return found


def offer(target: Path, packages: dict[str, Distribution]) -> None:
    """Let a folder have these packages and no other: links to where they are installed."""
    target.mkdir()
    for package in packages.values():
        for top in {file.parts[0] for file in package.files or () if file.parts[0] != ".."}:
            place = target / top
            if top != "__pycache__" and not place.exists():
                place.symlink_to(Path(str(package.locate_file(top))))


def the_wheel(folder: Path) -> Path:
    if given := os.environ.get("LANESCOPE_WHEEL"):
        return Path(given).absolute()
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


@pytest.mark.stress
def test_the_wheel_works_in_a_clean_environment(tmp_path: Path) -> None:
    wheel, home, work = the_wheel(tmp_path / "wheel"), tmp_path / "home", tmp_path / "work"
    home.mkdir(), work.mkdir()
    bin_folder = tmp_path / "venv" / "bin"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    env = {"HOME": str(home), "PATH": str(bin_folder), "PYTHONPATH": str(tmp_path / "needed")}

    def said(*words: object) -> str:
        command = [bin_folder / str(words[0]), *map(str, words[1:])]
        done = subprocess.run(
            command, cwd=work, env=env, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), words
        return done.stdout

    options = ("--no-deps", "--no-index", "--disable-pip-version-check", "--quiet")
    said("python", "-m", "pip", "install", *options, wheel)
    asked = "import importlib.metadata as m, json; print(json.dumps(m.requires('lanescope')))"
    requires = json.loads(said("python", "-c", asked))
    plain = [one for one in requires if "extra ==" not in one and "win32" not in one]
    offer(tmp_path / "needed", needed([re.match(r"[\w.-]+", one)[0] for one in plain]))
    assert said("lanescope", "--version").startswith("lanescope 0.")
    assert "Nothing lost" in said("lanescope", "run", "paged_attention")
    assert said("lanescope", "report", "paged_attention.lanes").startswith(
        "paged_attention on a2a3 (simulated): 1,024 tasks"
    )
    said("lanescope", "view", "paged_attention.lanes", "--html", "page.html")
    assert (work / "page.html").read_text(encoding="utf-8").startswith("<!")
    said("lanescope", "export", "paged_attention.lanes", "--to", "chrome", "-o", "c.json")
    assert json.loads((work / "c.json").read_text())
    said("lanescope", "run", "chain", "--platform", "threads")
    assert list(home.iterdir()) == []
