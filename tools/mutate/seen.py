"""Which tests run a line: recorded once per room, and again for test files that changed."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Container
from pathlib import Path

from tools.mutate.tree import Tree


class SeenLines:
    """Lines of a room's files with the tests of that room that ran them."""

    def __init__(self, tree: Tree, room: str, folders: tuple[str, ...]) -> None:
        from coverage import CoverageData

        self.tree = tree
        place = tree.place / "seen"
        place.mkdir(exist_ok=True)
        self.data_file, self.about = place / f"{room}.coverage", place / f"{room}.json"
        self.seconds: dict[str, float] = {}
        known = json.loads(self.about.read_text()) if self.about.exists() else {}
        self.digests: dict[str, str] = known.get("digests", {})
        self.seconds = known.get("seconds", {})
        self._record(self._old(folders))
        self.data = CoverageData(str(self.data_file))
        self.data.read()

    def _old(self, folders: tuple[str, ...]) -> list[str]:
        """Test files that are not recorded as they are."""
        root = self.tree.root
        files = [file for folder in folders for file in sorted(_tests_in(root / folder))]
        names = [file.relative_to(root).as_posix() for file in files]
        return [name for name in names if self.digests.get(name) != _digest(root / name)]

    def _record(self, files: list[str]) -> None:
        if not files:
            return
        print(f"recording which lines {len(files)} test files run", flush=True)
        seconds, children = self.tree.place / "seconds.json", self.tree.place / "children"
        shutil.rmtree(children, ignore_errors=True)
        children.mkdir()
        # The C tracer follows threads that begin later, too.
        options = ["--append", "--source", "src/lanescope", "--data-file", str(self.data_file)]
        marks = "not stress and not sanitize and not gpu"
        command = [sys.executable, "-m", "coverage", "run", *options, "-m", "pytest", "-m", marks]
        command += ["-p", "tools.mutate.recording", "-p", "no:cacheprovider", "--no-summary"]
        environment = {
            **self.tree.environment,
            "MUTATE_SECONDS": str(seconds),
            "MUTATE_LINES": str(children / "lines"),
            "MUTATE_SOURCE": str(self.tree.root / "src" / "lanescope"),
        }
        done = subprocess.run(
            [*command, *files],
            cwd=self.tree.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1, 5):
            raise SystemExit(f"the tests cannot be recorded:\n{done.stdout[-2000:]}{done.stderr}")
        self._add_lines_of(children)
        told = json.loads(seconds.read_text())
        if told["failed"]:
            names = "\n".join(told["failed"][:20])
            print(f"these are left out, they fail unchanged:\n{names}", flush=True)
        gone = {name for name in self.seconds if name.split("::")[0] in files}
        self.seconds = {name: s for name, s in self.seconds.items() if name not in gone}
        self.seconds |= told["seconds"]
        sources = sorted((self.tree.root / "src").rglob("*.py"))
        for file in [*sources, *(self.tree.root / name for name in files)]:
            name = file.relative_to(self.tree.root).as_posix()
            if name in files or name not in self.digests:
                self.digests[name] = _digest(file)
        self.about.write_text(json.dumps({"digests": self.digests, "seconds": self.seconds}))

    def _add_lines_of(self, children: Path) -> None:
        """Add what programs ran that tests had started."""
        from coverage import Coverage

        files = [str(file) for file in children.iterdir()]
        if files:
            whole = Coverage(data_file=str(self.data_file))
            whole.load()
            whole.combine(files)
            whole.save()

    def tests_of(self, name: str, line: int) -> list[str]:
        """Tests that run a line, the quickest first; of a file that changed, those that run it.

        A line that runs when its file is imported is seen by nobody, or by the first test that
        imports the file. It has the tests named after the file and those that call its functions,
        then those of files that import it.
        """
        file = self.tree.root / name
        known, called = self.digests.get(name) == _digest(file), _called_lines(file)
        if known and line in called:
            return self._ordered(self._running(file, _statement(file, line)), file)
        own = self._running(file, called)
        if line in called:
            return self._ordered(own, file)
        own |= {test for test in self.seconds if f"/{_mirror(file)}::" in test}
        readers = self._importers(name)
        theirs = set().union(*(self._running(one, _called_lines(one)) for one in readers)) - own
        return [*self._ordered(own, file), *self._ordered(theirs, file)]

    def _ordered(self, tests: set[str], file: Path) -> list[str]:
        known = [test for test in tests if test in self.seconds]
        return sorted(known, key=lambda test: (_mirror(file) not in test, self.seconds[test], test))

    def _running(self, file: Path, wanted: Container[int]) -> set[str]:
        by_line = self.data.contexts_by_lineno(str(file))
        return {test for line, tests in by_line.items() if line in wanted for test in tests}

    def _importers(self, name: str) -> list[Path]:
        """Files of the package that import a module."""
        module = name.removeprefix("src/").removesuffix(".py").replace("/", ".")
        package, _, last = (re.escape(part) for part in module.rpartition("."))
        said = re.compile(rf"from {package}(\.{last} import| import .*\b{last}\b)")
        sources = sorted((self.tree.root / "src").rglob("*.py"))
        return [one for one in sources if said.search(one.read_text())]


def _mirror(file: Path) -> str:
    return f"test_{file.stem}.py"


def _called_lines(file: Path) -> set[int]:
    """Lines inside functions: they run when somebody calls these."""
    return {
        line
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for line in range(node.body[0].lineno, (node.end_lineno or 0) + 1)
    }


def _statement(file: Path, line: int) -> range:
    """Lines of the innermost statement around a line, or of its head."""
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or 0
            if line <= max(last, node.lineno):
                found = range(node.lineno, max(last, node.lineno) + 1)
    return found


def _tests_in(place: Path) -> list[Path]:
    return [place] if place.is_file() else list(place.rglob("test_*.py"))


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
