"""A format and an analysis in a package of their own: examples/plugin, installed by pip."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lanescope.formats.registry import IMPORTERS

PACKAGE = Path(__file__).parents[1] / "examples" / "plugin"
TOY = "TOY 1\n0 QK 100 250\n1 SOFTMAX 300 420\n"


class Shell:
    """Commands with other packages installed into a folder of their own."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.site = place / "site"
        self.site.mkdir()

    def install(self, package: Path) -> None:
        """As pip does it, without the network."""
        source = shutil.copytree(package, self.place / "source")
        options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
        command = [sys.executable, "-m", "pip", "install", "--quiet", *options]
        subprocess.run([*command, "--target", self.site, source], check=True, cwd=self.place)

    def announce(self, package: str, points: str, code: str) -> None:
        """A package that pip would leave like this."""
        (self.site / f"{package}.py").write_text(code)
        folder = self.site / f"{package}-2.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.0\n")
        (folder / "entry_points.txt").write_text(points)

    def lanescope(self, *words: object, code: int = 0) -> tuple[str, str]:
        """What the command printed on stdout and stderr."""
        command = [sys.executable, "-m", "lanescope", *map(str, words)]
        env = {**os.environ, "PYTHONPATH": str(self.site), "COLUMNS": "200"}
        done = subprocess.run(
            command, cwd=self.place, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done.stdout, done.stderr


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    version = importlib.metadata.version("setuptools").split(".")
    if [int(part) for part in version[:2]] < [70, 1]:
        pytest.skip(f"setuptools {'.'.join(version)} builds no wheels; 70.1 and later do")
    shell = Shell(tmp_path_factory.mktemp("package"))
    shell.install(PACKAGE)
    (shell.place / "run.toy").write_text(TOY)
    return shell


def test_its_files_are_told_by_content_and_imported(shell: Shell) -> None:
    out, err = shell.lanescope("import", "run.toy")
    assert (out, err) == ("run.lanes  level 1: 2 tasks, 2 cores\n", "")
    folder = shell.place / "several"
    folder.mkdir()
    (folder / "a.toy").write_text(TOY)
    (folder / "notes.txt").write_text("not looked into")
    out, err = shell.lanescope("import", "several", "--json")
    told = json.loads(out)
    assert ([one["format"] for one in told["traces"]], err) == (["toy"], "")
    reason = "no importer looks into files of this name"
    assert told["skipped"] == [{"path": "several/notes.txt", "reason": reason}]


def test_it_writes_what_it_reads(shell: Shell) -> None:
    out, err = shell.lanescope("export", "run.toy", "--to", "toy", "-o", "back.toy")
    assert (out, err) == ("back.toy\n", "")
    assert (shell.place / "back.toy").read_text() == TOY
    out, _ = shell.lanescope("export", "run.toy", "--to", "toy", "--json")
    told = json.loads(out)
    assert (told["output"], told["format"]) == ("run-2.toy", "toy")  # run.toy is the input


def test_the_help_lists_it_with_its_package(shell: Shell) -> None:
    out, _ = shell.lanescope("import", "--help")
    said = " ".join(out.split())
    assert " toy toy files: text with a line per task (package lanescope-toy 1.0) " in said
    names = ",".join(one.name for one in IMPORTERS)
    assert f"{{auto,{names},toy}}" in out
    out, _ = shell.lanescope("export", "--help")
    assert "  toy       text with a line per task (package lanescope-toy 1.0)\n" in out


def test_one_format_alone_can_be_asked(shell: Shell) -> None:
    assert shell.lanescope("import", "run.toy", "--format", "toy")[1] == ""
    _, err = shell.lanescope("import", "run.toy", "--format", "chrome", code=1)
    assert err.startswith("lanescope: run.toy: is not of format chrome")


def test_its_analysis_is_in_the_report_and_in_its_json(shell: Shell) -> None:
    run = Path(__file__).parents[1] / "examples" / "small_run"
    out, err = shell.lanescope("report", run, "--full")
    assert "\nIdle cores\n  aiv 8, aiv 9, aiv 10, aiv 11\n" in out
    assert err == ""
    figures = json.loads(shell.lanescope("report", run, "--json")[0])
    assert figures["idle_cores"] == {"cores": ["aiv 8", "aiv 9", "aiv 10", "aiv 11"]}
    assert list(figures)[-1] == "idle_cores"


def test_an_analysis_that_fails_names_its_package(shell: Shell, tmp_path: Path) -> None:
    others = Shell(tmp_path)
    others.announce(
        "wrong",
        "[lanescope.analyses]\nwrong = wrong:WRONG\n",
        "from lanescope import Analysis\n"
        "def answer(basis):\n    raise KeyError('a column')\n"
        "WRONG = Analysis(name='wrong', question='?', answer=answer, keys='')\n",
    )
    run = Path(__file__).parents[1] / "examples" / "small_run"
    _, err = others.lanescope("report", run, code=1)
    assert err == (
        "lanescope: the analysis 'wrong' failed in package wrong 2.0 (KeyError: 'a column'); "
        "update or uninstall that package\n"
    )


@pytest.fixture
def with_others(shell: Shell, tmp_path: Path) -> Shell:
    """The same beside packages that are broken or use names that are taken."""
    others = Shell(tmp_path)
    shutil.copytree(shell.site, others.site, dirs_exist_ok=True)
    (tmp_path / "run.toy").write_text(TOY)
    others.announce(
        "clashing",
        "[lanescope.exporters]\nperfetto = clashing:EXPORTER\n",
        "raise RuntimeError('must not be loaded')",
    )
    others.announce(
        "broken", "[lanescope.importers]\nbent = broken:IMPORTER\n", "raise RuntimeError('bent')"
    )
    others.announce(
        "failing",
        "[lanescope.importers]\nfails = failing:IMPORTER\n",
        "from lanescope.formats import Importer\n"
        "def recognises(look):\n    return look.nothing\n"
        "def read(bundle):\n    raise KeyError('a column')\n"
        "IMPORTER = Importer(name='fails', reads='f', files='f', endings=('.f',),\n"
        "    recognises=recognises, read=read)\n",
    )
    return others


def test_broken_packages_are_named_and_the_rest_works(with_others: Shell) -> None:
    out, err = with_others.lanescope("import", "run.toy")
    assert out == "run.lanes  level 1: 2 tasks, 2 cores\n"
    assert err.splitlines() == [
        "lanescope: loading the importer 'bent' failed in package broken 2.0 (RuntimeError: bent); "
        "update or uninstall that package",
        "lanescope: looking into run.toy for format 'fails' failed in package failing 2.0 "
        "(AttributeError: 'FileLook' object has no attribute 'nothing'); update or uninstall that "
        "package",
    ]
    out, err = with_others.lanescope("export", "run.lanes", "--to", "perfetto", "-o", "p")
    assert out.startswith("p: 4 slices on 3 lanes")
    assert err.splitlines() == [
        "lanescope: package clashing 2.0 offers the exporter 'perfetto', but that name is "
        "lanescope's own, so the package's is not used; uninstall the package or have it renamed "
        "there"
    ]


def test_a_command_that_needs_no_format_loads_no_package(with_others: Shell) -> None:
    with_others.lanescope("import", "run.toy")
    assert with_others.lanescope("--version")[1] == ""
    assert with_others.lanescope("report", "run.lanes")[1] == ""


def test_a_reader_that_fails_names_its_package(with_others: Shell) -> None:
    module = with_others.site / "failing.py"
    module.write_text(module.read_text().replace("look.nothing", "'fails'"))
    _, err = with_others.lanescope("import", "run.toy", "--format", "fails", code=1)
    assert err.splitlines()[-1] == (
        "lanescope: reading run.toy as format 'fails' failed in package failing 2.0 "
        "(KeyError: 'a column'); update or uninstall that package"
    )
