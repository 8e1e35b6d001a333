"""A sweep: one command again and again, each time with another call that fails.

LD_PRELOAD=shim.so python -m tests.faults.sweep SCRATCH MOST COMMAND=FAULT…

Modules are imported once; each run is a fork of this process. Prints a line of JSON per run.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.faults.commands import COMMANDS, PROGRAM_SAYS, Command, Done, problems_of
from tests.faults.shim import Fault, Kind, arm, calls

import lanescope.platforms.threads.recorded as threads
from lanescope.cli import main
from lanescope.native import library

NOTHING = Fault(Kind(0), 0, False)
LONGEST_S = 10
"""A run that takes longer than this hangs; without a fault it takes less than a second."""


def forked(work: Callable[[], int], out: Path, err: Path) -> int:
    """Do something in a process of its own; a negative number is the signal that ended it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 70
    try:
        for path, number in ((out, 1), (err, 2)):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(handle, number)
        code = work()
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stderr.flush()
        os._exit(code)


class Sweep:
    """One command in a folder of its own."""

    def __init__(self, scratch: Path, command: Command, program: str) -> None:
        self.scratch, self.command, self.program = scratch, command, program
        self.before, self.work = scratch / "before", scratch / "work"
        self.wanted = scratch / "wanted"
        self.before.mkdir()
        self._in_fork(lambda: command.prepare(self.before, self._command))

    def _command(self, *words: str) -> None:
        if main(words) != 0:
            raise AssertionError(f"{words} failed")

    def _in_fork(self, work: Callable[[], object]) -> str:
        out, err = self.scratch / "out.txt", self.scratch / "err.txt"
        if forked(lambda: bool(work()), out, err) != 0:
            raise AssertionError(err.read_text())
        return out.read_text()

    def run(self, fault: Fault) -> tuple[Done, dict[str, Any], float]:
        """Run the command once; return how it ended, what it called and imported, its time in s."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.before, self.work)
        names = ("out.txt", "err.txt", "calls.txt", "ran.txt")
        out, err, counted, ran = (self.scratch / name for name in names)
        for path in (counted, ran):
            path.unlink(missing_ok=True)

        def command() -> int:
            _tell_when_run(ran)
            words = self.command.arguments(self.work, self.program)
            os.chdir(self.scratch)
            arm(self.work, fault)
            code = main(words)
            made = calls()
            arm(self.work, NOTHING)
            counted.write_text(json.dumps({"calls": made, "modules": list(sys.modules)}))
            return code

        begin = time.monotonic()
        code = forked(command, out, err)
        took = time.monotonic() - begin
        said = out.read_text()
        happened = ran.exists() or "tasks done" in said
        done = Done(self.work, code, said, err.read_text(), happened)
        return done, json.loads(counted.read_text()) if counted.exists() else {}, took

    def first(self) -> dict[str, int]:
        """Run without a fault, and keep what that gives; return the number of calls by kind.

        What the command imported is imported here, so that its next runs find it.
        """
        done, facts, _ = self.run(Fault(~Kind(0), 0, False))
        if done.code != 0:
            raise AssertionError(f"{self.command.name} fails without a fault: {done.err}")
        shutil.copytree(self.work, self.wanted)
        for name in facts["modules"]:
            with suppress(ImportError):
                import_module(name)
        made: dict[str, int] = facts["calls"]
        return made

    def look(self, done: Done, seconds: float) -> list[str]:
        """What should not be after a run."""

        def check() -> None:
            found = problems_of(self.command, self.before, self.wanted, done)
            print(json.dumps(found))

        found: list[str] = json.loads(self._in_fork(check))
        if self.command.name == "collect" and done.ran and PROGRAM_SAYS not in done.out:
            found.append(f"the program did not end as always: {done.out!r}")
        if seconds > LONGEST_S:
            found.append(f"it took {seconds:.1f} s")
        return found


def _tell_when_run(file: Path) -> None:
    """Make a file when the threads have run a graph: from then on there is something to lose."""
    real = threads.run_graph

    def run_graph(*arguments: Any, **options: Any) -> Any:
        result = real(*arguments, **options)
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY))
        return result

    threads.run_graph = run_graph


def sampled(count: int, most: int) -> list[int]:
    """At most so many numbers of 1 to `count`, evenly, with the first and the last."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(i * (count - 1) / (most - 1)) for i in range(most)})


def sweep(words: list[str]) -> None:
    """Sweep commands, one after the other."""
    scratch, most, *wanted = words
    os.environ.pop("LD_PRELOAD", None)  # programs that are started are not ours
    library()
    pairs = [word.split("=") for word in wanted]
    for name in dict.fromkeys(name for name, _ in pairs):
        folder = Path(scratch).resolve() / name
        folder.mkdir()
        one = Sweep(folder, COMMANDS[name], os.environ["FAULTS_PROGRAM"])
        made = one.first()
        for fault in [Fault.read(text) for command, text in pairs if command == name]:
            for at in sampled(made[fault.kind.name or ""], int(most)):
                print(json.dumps(_swept(one, replace(fault, at=at))), flush=True)


def _swept(one: Sweep, fault: Fault) -> dict[str, Any]:
    done, _, seconds = one.run(fault)
    found = one.look(done, seconds)
    case = f"{one.command.name}={fault}"
    return {"case": case, "code": done.code, "said": done.err, "problems": found}


if __name__ == "__main__":
    sweep(sys.argv[1:])
