"""Tries a change: the tests that can notice it, until the first one does."""

from __future__ import annotations

import os
import signal
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tools.mutate.change import HERE, Change, room_of
from tools.mutate.score import Outcome
from tools.mutate.seen import SeenLines
from tools.mutate.tree import Tree

# Added to the time limit of tests of which it is known how long they take.
_SPARE_S = 30.0
_UNKNOWN_S = 240.0


class Trials:
    """Changes tried in one copy of the tree."""

    def __init__(self, tree: Tree, *, seconds: float) -> None:
        self.tree = tree
        self.seconds = seconds
        self.table: dict[str, Any] = tomllib.loads((HERE / "tests.toml").read_text())
        self.seen: dict[str, SeenLines] = {}
        self.passed: dict[tuple[str, ...], Outcome | None] = {}

    def outcome(self, change: Change) -> Outcome:
        """What became of a change."""
        if change.file.endswith(".py") and not change.tests:
            tests, limit_s = self._tests_of_line(change)
            return self._tried(change, tests, limit_s) if tests else Outcome(Outcome.UNSEEN)
        return self._in_steps(change)

    def _tests_of_line(self, change: Change) -> tuple[list[str], float]:
        room = room_of(change.file)
        if room not in self.seen:
            folders = tuple(self.table["rooms"].get(room, [f"tests/{room}"]))
            self.seen[room] = SeenLines(self.tree, room, folders)
        seen = self.seen[room]
        tests, total_s = [], 0.0
        for test in seen.tests_of(change.file, change.line):
            if not tests or total_s + seen.seconds[test] <= self.seconds:
                tests.append(test)
                total_s += seen.seconds[test]
        return tests, 5 * total_s + _SPARE_S

    def _in_steps(self, change: Change) -> Outcome:
        """Groups of tests that a table names, one after the other; each must pass unchanged."""
        groups = [list(change.tests)] if change.tests else self._named(change.file)
        for group in (one for one in groups if one):
            if (broken := self._unchanged(tuple(group))) is not None:
                return broken
            outcome = self._tried(change, group, _UNKNOWN_S)
            if outcome.word != Outcome.SURVIVED:
                return outcome
        return Outcome(Outcome.SURVIVED if any(groups) else Outcome.UNSEEN)

    def _named(self, file: str) -> list[list[str]]:
        for pattern, groups in self.table["files"].items():
            if any(fnmatch(file, one) for one in _alternatives(pattern)):
                return [self._existing(group, Path(file).stem) for group in groups]
        return []

    def _existing(self, group: list[str], stem: str) -> list[str]:
        """Patterns like `scripts/*.mjs` become files; `{stem}` is the name of the changed file.

        Not every script has a test of its own name; what is not there is left out.
        """
        root, group = self.tree.root, [name.replace("{stem}", stem) for name in group]
        found = [sorted(root.glob(name)) if "*" in name else [root / name] for name in group]
        names = [str(file.relative_to(root)) for files in found for file in files]
        return [name for name in names if (root / name.partition("::")[0]).exists()]

    def _unchanged(self, tests: tuple[str, ...]) -> Outcome | None:
        if tests not in self.passed:
            code, output = self._run(list(tests), _UNKNOWN_S)
            self.passed[tests] = None if code == 0 else Outcome(Outcome.BROKEN, output[-3000:])
        return self.passed[tests]

    def _tried(self, change: Change, tests: list[str], limit_s: float) -> Outcome:
        native = change.file.startswith("native/")
        try:
            with self.tree.changed(change.file, change.content):
                if native and not self.tree.compile():
                    return Outcome(Outcome.NO_CHANGE)
                code, output = self._run(tests, limit_s)
        finally:
            if native:
                self.tree.compile()
        return outcome_of(code, output, tests)

    def _run(self, tests: list[str], limit_s: float) -> tuple[int, str]:
        """Exit code and output; -1 where the time was over, whatever was started is ended."""
        with subprocess.Popen(
            self.tree.command(tests, marked=_are_named(tests)),
            cwd=self.tree.root,
            env=self.tree.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return -1, process.communicate()[0]
            except BaseException:  # who ends the tool ends the tests, too
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return process.returncode, output


def outcome_of(code: int, output: str, tests: list[str]) -> Outcome:
    """What an exit code of node or pytest says about the change under which tests ran."""
    if code == 0:
        return Outcome(Outcome.SURVIVED, f"{len(tests)} tests")
    absent = code in (4, 5) and not tests[0].endswith(".mjs")
    # A file that the change keeps from being imported has noticed it.
    if absent and "found no collectors" not in output:
        return Outcome(Outcome.BROKEN, output[-3000:])
    return Outcome(Outcome.NOTICED)


def _alternatives(pattern: str) -> list[str]:
    """`{a,b}.js` is a.js and b.js."""
    head, brace, rest = pattern.partition("{")
    names, _, tail = rest.partition("}")
    return [f"{head}{name}{tail}" for name in names.split(",")] if brace else [pattern]


def _are_named(tests: list[str]) -> bool:
    """Whether these are single tests; a file or folder has tests that take long, too."""
    return all("::" in test for test in tests)
