"""The commands that are swept: what lies there before, and what must be true after any failure."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lanescope.capture import recover
from lanescope.capture.directory import process_directories
from lanescope.checks.verify import verify
from lanescope.errors import LanescopeError
from lanescope.trace import load, save
from lanescope.trace.replacing import sweep

EXAMPLE = Path(__file__).parents[2] / "examples" / "small_run"
OLD = "the trace that was there before"
TASKS = 1500
"""What is run: so few tasks that a region alone holds all records."""
PROGRAM_SAYS = f"{TASKS} tasks done\nended 0\n"
"""What the collected program prints, and the shell that started it."""
NUMPYS_OWN = "*** Reference count error detected"
"""What numpy prints about itself when it gets no memory."""


@dataclass(frozen=True, slots=True)
class Done:
    """One run of a command with one fault in it."""

    folder: Path
    code: int
    out: str
    err: str
    ran: bool
    """Whether tasks ran, so that there was something to lose."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command, what it needs, and what it makes."""

    name: str
    words: tuple[str, ...]
    """Its words; {work} stands for the folder, {program} for the collected program."""
    target: str
    """What it writes: a trace, a file or a folder."""
    prepare: Callable[[Path, Callable[..., None]], None]
    """Puts what the command needs into an empty folder; it may run commands."""
    capture: str = ""
    """The capture that the command makes, and may leave behind."""

    def arguments(self, folder: Path, program: str) -> list[str]:
        """The words of the command line."""
        return [word.format(work=folder, program=program) for word in self.words]


def prints(folder: Path, *, without: tuple[str, ...] = ()) -> dict[str, str]:
    """Path of each file below a folder → a checksum of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] not in without
    }


def problems_of(command: Command, before: Path, wanted: Path, done: Done) -> list[str]:
    """What should not be, a sentence each; `wanted` is the folder after a run without a fault."""
    found = _of_ending(done)
    target = done.folder / command.target
    if target.suffix == ".lanes":
        new, wrong = _of_trace(target, wanted / command.target)
        found += wrong
    else:
        new, wrong = _of_files(command, before, wanted, done)
        found += wrong
    if done.code == 0 and not new:
        found.append("exit code 0, and the result is not there")
    if command.capture and done.ran and not new:
        found += _of_capture(done.folder / command.capture)
    if command.capture and done.code == 0 and (done.folder / command.capture).exists():
        found.append("exit code 0, and the capture is still there")
    return found + _of_leftovers(command, before, done)


def _of_ending(done: Done) -> list[str]:
    """An exit code of 0, 1 or 2, and one sentence where it is not 0; one for each unread file."""
    found = []
    if done.code not in (0, 1, 2):
        found.append(f"it ended with {done.code}")
    lines = [line for line in done.err.splitlines() if not line.startswith(NUMPYS_OWN)]
    if done.code == 0 and lines:
        found.append(f"exit code 0, and it said {done.err!r}")
    sentences = [line for line in lines if line.startswith("lanescope: ")]
    if done.code and (sentences != lines or not lines):
        found.append(f"not a sentence, but {done.err[-1500:]!r}")
    if len(sentences) > 1 and not all("cannot be read" in line for line in sentences):
        found.append(f"more than one sentence, {done.err!r}")
    return found


def _of_trace(target: Path, wanted: Path) -> tuple[bool, list[str]]:
    """Whether the trace is the new one; it must be the old or the new one, whole."""
    try:
        trace = load(target)
        whole = verify(target).whole
    except LanescopeError as error:
        return False, [f"the trace is gone: {error}"]
    found = [] if whole else ["the trace is not what was written"]
    if trace.meta.run == OLD:
        return False, found
    found += [f"the ledger does not close: {one}" for one in trace.meta.ledger if not one.closes]
    without = ("meta.json", "checksums.json")
    if any(note.startswith("Capturing stopped early") for note in trace.meta.notes):
        without += ("counters.parquet",)  # how many buffers waited: the host took none any more
    if "a2a3" in trace.meta.chip and prints(target, without=without) != (
        prints(wanted, without=without)
    ):
        found.append("the trace has other rows than without the fault")
    good = load(wanted)
    if (len(trace.tasks), len(trace.edges)) != (len(good.tasks), len(good.edges)):
        lost = [entry for entry in trace.meta.ledger if entry.dropped or entry.unknown]
        found += [] if lost else ["tasks or edges are missing, and no account says so"]
    return True, found


def _of_files(command: Command, before: Path, wanted: Path, done: Done) -> tuple[bool, list[str]]:
    """Whether the written file or folder is the new one; it must be the old or the new one."""

    def content(folder: Path) -> dict[str, str]:
        place = folder / command.target
        return prints(place) if place.is_dir() else {"": prints(folder).get(command.target, "")}

    now = content(done.folder)
    if now == content(wanted):
        return True, []
    return False, [] if now == content(before) else ["what was written is neither old nor new"]


def _of_capture(capture: Path) -> list[str]:
    """A capture whose trace was not stored must give every task."""
    if not capture.is_dir():
        return ["what was recorded is lost: neither trace nor capture"]
    try:
        tasks = [len(recover(one).trace.tasks) for one in process_directories(capture) or [capture]]
    except (LanescopeError, OSError) as error:
        return [f"the capture cannot be recovered: {error}"]
    return [] if sum(tasks) == TASKS else [f"the capture gives {tasks} tasks of {TASKS}"]


def _of_leftovers(command: Command, before: Path, done: Done) -> list[str]:
    """All that was there is there, and what is new goes away with the next run."""
    found = []
    for name in filter(None, (command.target, command.capture)):
        sweep(done.folder / name)
    without = (command.target, *([command.capture] if command.capture else []))
    was, now = prints(before, without=without), prints(done.folder, without=without)
    found += [f"{name} was changed or is gone" for name in was if now.get(name) != was[name]]
    known = {path.name for path in before.iterdir()} | {command.target}
    if done.code:
        known |= {command.capture}
    found += [
        f"{path.name} is left over" for path in done.folder.iterdir() if path.name not in known
    ]
    return found


def _old_trace(target: Path, run: Callable[..., None]) -> None:
    """Store a trace that can be told from all others."""
    run("import", str(EXAMPLE), "-o", str(target))
    trace = load(target)
    save(trace.with_meta(run=OLD), target)


def _for_import(folder: Path, run: Callable[..., None]) -> None:
    shutil.copytree(EXAMPLE, folder / "source")
    _old_trace(folder / "new.lanes", run)


def _for_run(folder: Path, run: Callable[..., None]) -> None:
    _old_trace(folder / "chain.lanes", run)


def _for_collect(folder: Path, run: Callable[..., None]) -> None:
    _old_trace(folder / "sh.lanes", run)


def _for_recover(folder: Path, run: Callable[..., None]) -> None:
    from lanescope.facade.recordings import collect

    _old_trace(folder / "sh.lanes", run)
    program = os.environ["FAULTS_PROGRAM"]
    collect([program, str(TASKS)], directory=folder / "kept.capture", name="sh")


def _for_export(folder: Path, run: Callable[..., None]) -> None:
    run("import", str(EXAMPLE), "-o", str(folder / "run.lanes"))
    (folder / "out").write_text(OLD)


def _for_folder_export(folder: Path, run: Callable[..., None]) -> None:
    run("import", str(EXAMPLE), "-o", str(folder / "run.lanes"))


_RUN = ("run", "chain", "--set", f"tasks={TASKS}", "--set", "spin_ns=500", "-o", "{work}")
_RUN += ("--force", "--no-perfetto", "--quiet")
_COLLECT = ("collect", "-o", "{work}", "--force", "--")
_COLLECT += ("sh", "-c", f"{{program}} {TASKS}; echo ended $?")
_IMPORT = ("import", "{work}/source", "-o", "{work}/new.lanes", "--force")
_RECOVER = ("recover", "{work}/kept.capture", "-o", "{work}/sh.lanes", "--force")
_EXPORT = ("export", "{work}/run.lanes", "-o", "{work}/out", "--force", "--to")
COMMANDS = {
    "import": Command("import", _IMPORT, "new.lanes", _for_import),
    "run": Command("run", _RUN, "chain.lanes", _for_run, "chain.capture"),
    "threads": Command(
        "threads", (*_RUN, "--platform", "threads"), "chain.lanes", _for_run, "chain.capture"
    ),
    "collect": Command("collect", _COLLECT, "sh.lanes", _for_collect, "sh.capture"),
    "recover": Command("recover", _RECOVER, "sh.lanes", _for_recover),
    "perfetto": Command("perfetto", (*_EXPORT, "perfetto"), "out", _for_export),
    "csv": Command("csv", (*_EXPORT, "csv"), "out", _for_folder_export),
    "simpler": Command("simpler", (*_EXPORT, "simpler"), "out", _for_folder_export),
}
"""The commands by name."""
