"""Every block of the README runs and prints what the README says; a line `…` stands for more."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PYTHON_PRINTS = "The 12 cores were running 32.1% of the time.\n"
"""What the block of Python prints."""


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


def steps(block: str) -> list[tuple[str, str]]:
    """(command, expected output) pairs of a console block."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def pattern(expected: str) -> str:
    """A regular expression for the output: `…` is the rest of a line, or any lines on its own."""
    lines = [
        r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*") + r"\n"
        for line in expected.splitlines()
    ]
    return "".join(lines) + r"\n*"


def shell(command: str, folder: Path) -> str:
    bin_folder = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    (folder / "examples").symlink_to(ROOT / "examples")
    return folder


def test_the_commands_print_what_the_readme_says(folder: Path) -> None:
    all_steps = [step for block in blocks("console") for step in steps(block)]
    assert all_steps[:2] == [("make demo", ""), ("source .venv/bin/activate", "")]
    assert len(all_steps) == 4
    for command, expected in all_steps[2:]:
        printed = shell(command, folder)
        assert re.fullmatch(pattern(expected), printed), f"$ {command}\n{printed}"


def test_the_python_block_runs(folder: Path) -> None:
    shell("lanescope import examples/small_run", folder)
    (block,) = blocks("python")
    (folder / "block.py").write_text(block)
    assert shell("python block.py", folder) == PYTHON_PRINTS


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    assert len(README.splitlines()) <= 120
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_readme_shows_the_picture_that_the_demo_makes(tmp_path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    recipe = makefile.partition("\ndemo: ")[2].partition("\n\n")[0]
    commands = re.findall(r"\$\(BIN\)/(lanescope .*)", recipe)
    assert len(commands) == 2
    assert "mkdir -p build/demo" in recipe
    (tmp_path / "build/demo").mkdir(parents=True)
    for command in commands:
        shell(command, tmp_path)
    assert "](docs/demo-waits.svg)" in README
    made = (tmp_path / "build/demo/waits.svg").read_text()
    assert made == (ROOT / "docs/demo-waits.svg").read_text(), "run: make docs/demo-waits.svg"


def test_a_wrong_line_would_be_noticed() -> None:
    assert re.fullmatch(pattern("a\n…\nc …\n"), "a\nb\nb\nc 12\n")
    assert not re.fullmatch(pattern("a\n…\nc\n"), "a\nb\nd\n")


@pytest.mark.stress
def test_make_demo_works_from_a_fresh_clone(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "-q", str(ROOT), str(tmp_path / "clone")], check=True)
    printed = shell("make demo", tmp_path / "clone")
    assert "paged_attention on a2a3 (simulated): 1,024 tasks on 72 cores" in printed
    assert "Nothing lost: all " in printed
    exported = tmp_path / "clone/build/demo/paged_attention.perfetto-trace"
    assert exported.stat().st_size > 10_000
