"""A sweep: one command again and again, each time with another call that fails.

LD_PRELOAD=shim.so python -m tests.faults.sweep SCRATCH COMMAND KIND ERRNO STICKY MOST

Everything is imported once; each run is a fork of this process. Prints a line of JSON per run, the
first one about the run without a fault.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet  # noqa: F401  each fork needs it
from tests.faults.commands import COMMANDS, PROGRAM_SAYS, Command, Done, problems_of
from tests.faults.shim import Fault, Kind, arm, calls

import lanescope.facade.recordings
import lanescope.jobs.job
import lanescope.platforms.run
import lanescope.platforms.threads.recorded as threads
import lanescope.replay.readings  # noqa: F401
from lanescope.cli import main
from lanescope.native import library


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

    def run(self, fault: Fault) -> tuple[Done, int, float]:
        """Run the command once; return how it ended, how many calls it made, and its time in s."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.before, self.work)
        names = ("out.txt", "err.txt", "calls.txt", "ran.txt")
        out, err, counted, ran = (self.scratch / name for name in names)
        for path in (counted, ran):
            path.unlink(missing_ok=True)

        def command() -> int:
            real = threads.run_graph

            def run_graph(*arguments: object, **options: object) -> object:
                result = real(*arguments, **options)  # type: ignore[arg-type]
                os.close(os.open(ran, os.O_CREAT | os.O_WRONLY))
                return result

            threads.run_graph = run_graph  # type: ignore[assignment]
            words = self.command.arguments(self.work, self.program)
            os.chdir(self.scratch)
            arm(self.work, fault)
            code = main(words)
            made = calls()
            arm(self.work, Fault(Kind(0), 0, False))
            counted.write_text(str(made))
            return code

        begin = time.monotonic()
        code = forked(command, out, err)
        took = time.monotonic() - begin
        said = out.read_text()
        happened = ran.exists() or "tasks done" in said
        done = Done(self.work, code, said, err.read_text(), happened)
        return done, int(counted.read_text()) if counted.exists() else 0, took

    def first(self, fault: Fault) -> int:
        """Run without a fault, and keep what that gives; return the number of calls."""
        done, made, _ = self.run(Fault(fault.kind, fault.problem, False))
        if done.code != 0:
            raise AssertionError(f"{self.command.name} fails without a fault: {done.err}")
        shutil.rmtree(self.wanted, ignore_errors=True)
        shutil.copytree(self.work, self.wanted)
        return made

    def look(self, done: Done, seconds: float) -> list[str]:
        """What should not be after a run."""

        def check() -> None:
            found = problems_of(self.command, self.before, self.wanted, done)
            print(json.dumps(found))

        found: list[str] = json.loads(self._in_fork(check))
        if self.command.name == "collect" and done.ran and PROGRAM_SAYS not in done.out:
            found.append(f"the program did not end as always: {done.out!r}")
        if seconds > 8:
            found.append(f"it took {seconds:.1f} s")
        return found


def sampled(count: int, most: int) -> list[int]:
    """At most so many numbers of 1 to `count`, evenly, with the first and the last."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(i * (count - 1) / (most - 1)) for i in range(most)})


def sweep(words: list[str]) -> None:
    """Sweep one command."""
    scratch, name, kind, problem, sticky, most = words
    os.environ.pop("LD_PRELOAD", None)  # programs that are started are not ours
    library()
    base = Fault(Kind(int(kind)), int(problem), bool(int(sticky)))
    one = Sweep(Path(scratch).resolve(), COMMANDS[name], os.environ["FAULTS_PROGRAM"])
    made = one.first(base)
    print(json.dumps({"calls": made}), flush=True)
    for at in sampled(made, int(most)):
        done, _, seconds = one.run(Fault(base.kind, base.problem, base.sticky, at))
        found = one.look(done, seconds)
        line = {"at": at, "code": done.code, "said": done.err, "problems": found}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    sweep(sys.argv[1:])
