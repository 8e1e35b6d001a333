"""The wheel alone, with what it says it needs: a new environment without compiler, home or clone.

README and tutorial are followed there, in an empty folder that has the examples.

LANESCOPE_WHEEL names a wheel that is there; without it pip builds one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from tests import test_readme as readme
from tests.pages import ROOT, commands, page


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


class CleanPlace:
    """A new environment with the wheel, an empty home and an empty folder to work in."""

    def __init__(self, folder: Path) -> None:
        wheel, self.home, self.work = the_wheel(folder / "wheel"), folder / "home", folder / "work"
        self.home.mkdir(), self.work.mkdir()
        self._bin = folder / "venv" / "bin"
        self._env = {
            "HOME": f"{self.home}",
            "PATH": f"{self._bin}",
            "PYTHONPATH": f"{folder}/needed",
        }
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        options = ("--no-deps", "--no-index", "--disable-pip-version-check", "--quiet")
        self.said("python", "-m", "pip", "install", *options, wheel)
        asked = "import importlib.metadata as m, json; print(json.dumps(m.requires('lanescope')))"
        requires = json.loads(self.said("python", "-c", asked))
        plain = [one for one in requires if "extra ==" not in one and "win32" not in one]
        offer(folder / "needed", needed([re.match(r"[\w.-]+", one)[0] for one in plain]))

    def said(self, *words: object) -> str:
        """What a program of the environment prints; it must end well and complain of nothing."""
        command = [self._bin / str(words[0]), *map(str, words[1:])]
        done = subprocess.run(
            command, cwd=self.work, env=self._env, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), words
        return done.stdout


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> CleanPlace:
    return CleanPlace(tmp_path_factory.mktemp("clean"))


@pytest.mark.stress
def test_the_wheel_works_in_a_clean_environment(clean: CleanPlace) -> None:
    said = clean.said
    assert said("lanescope", "--version").startswith("lanescope 0.")
    assert "Nothing lost" in said("lanescope", "run", "paged_attention")
    assert said("lanescope", "report", "paged_attention.lanes").startswith(
        "paged_attention on a2a3 (simulated): 1,024 tasks"
    )
    said("lanescope", "view", "paged_attention.lanes", "--html", "page.html")
    assert (clean.work / "page.html").read_text(encoding="utf-8").startswith("<!")
    said("lanescope", "export", "paged_attention.lanes", "--to", "chrome", "-o", "c.json")
    assert json.loads((clean.work / "c.json").read_text())
    said("lanescope", "run", "chain", "--platform", "threads")
    assert list(clean.home.iterdir()) == []


@pytest.fixture
def beginner(clean: CleanPlace) -> CleanPlace:
    """The same with nothing in its folder but the examples, which a clone has."""
    shutil.rmtree(clean.work)
    shutil.copytree(ROOT / "examples", clean.work / "examples")
    return clean


@pytest.mark.stress
def test_the_readme_is_followed_with_nothing_but_python(beginner: CleanPlace) -> None:
    every = [step for block in readme.blocks("console") for step in readme.steps(block)]
    shown = [(line, text) for line, text in every if line.startswith("lanescope ")]
    assert [line for line, _ in every[:2]] == ["make demo", "source .venv/bin/activate"]
    assert len(shown) == len(every) - 2 == 2
    for line, text in shown:
        printed = beginner.said(*shlex.split(line))
        assert re.fullmatch(readme.pattern(text), printed), f"$ {line}\n{printed}"
    (block,) = readme.blocks("python")
    assert beginner.said("python", "-c", block) == readme.PYTHON_PRINTS
    assert list(beginner.home.iterdir()) == []


@pytest.mark.stress
def test_the_tutorial_is_followed_with_nothing_but_python(beginner: CleanPlace) -> None:
    steps = commands(page("tutorial.md"))
    assert len(steps) == 12
    for line, shown in steps:
        printed = beginner.said("lanescope", *shlex.split(line)).splitlines()
        assert [text for text in shown.splitlines() if text not in printed] == [], line
    assert list(beginner.home.iterdir()) == []
