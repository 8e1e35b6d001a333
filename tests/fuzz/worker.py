"""The process that feeds inputs to the targets. It may die of one: `__main__.py` starts it.

    python -m tests.fuzz.worker LIBRARY FOLDER SECONDS SEED BEGINNING_OF_TARGETS [keep]

What it is about to run lies in FOLDER/now, so that whoever finds it dead knows the input.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import random
import re
import struct
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

from tests.formats.samples import mutated
from tests.fuzz.corpus import keep, kept_inputs
from tests.fuzz.coverage import Coverage
from tests.fuzz.file_targets import file_targets
from tests.fuzz.machine_targets import machine_targets
from tests.fuzz.native_targets import native_targets
from tests.fuzz.recorded_targets import recorded_targets
from tests.fuzz.target import Target

from lanescope import native
from lanescope.errors import LanescopeError

LARGEST = 1 << 18
"""Bytes of the largest input that is made."""
NOW = struct.Struct("<QII")
"""Number of the input, number of the target, bytes: what stands before the input in FOLDER/now."""


def use(path: Path) -> None:
    """Let all of lanescope call this build of the library."""
    library, own = native.load_library(path), native.library
    for name, module in list(sys.modules.items()):
        if name.startswith("lanescope") and getattr(module, "library", None) is own:
            module.library = lambda: library  # type: ignore[attr-defined]


def all_targets(folder: Path, beginning: str = "") -> list[Target]:
    """Every target whose name begins so; their files lie in `folder`."""
    targets = [
        *native_targets(),
        *machine_targets(),
        *file_targets(folder / "files"),
        *recorded_targets(folder / "recorded"),
    ]
    return [target for target in targets if target.name.startswith(beginning)]


class Outcome:
    """What became of an input: `report` is the traceback of any exception but ours."""

    report = ""

    def __enter__(self) -> Outcome:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, Exception) and not isinstance(error, LanescopeError):
            self.report = "".join(traceback.format_exception(error))
        return isinstance(error, Exception)


class Fuzzer:
    """Runs inputs, keeps those that reach something new, writes down what fails."""

    def __init__(self, targets: list[Target], folder: Path, coverage: Coverage) -> None:
        self.targets, self.folder, self.coverage = targets, folder, coverage
        self.kept: list[list[bytes]] = [[] for _ in targets]
        self.spent = [0.0] * len(targets)
        self.ran = [0] * len(targets)
        self.new = [0] * len(targets)
        with (folder / "now").open("w+b") as file:
            file.truncate(NOW.size + 4 * LARGEST)
            self._now = mmap.mmap(file.fileno(), 0)

    def run(self, index: int, data: bytes) -> bool:
        """Run one input; return whether it reached something new."""
        self._now[: NOW.size + len(data)] = NOW.pack(sum(self.ran), index, len(data)) + data
        started = time.perf_counter()
        with Outcome() as outcome, self.coverage:
            self.targets[index].run(data)
        if outcome.report:
            write_finding(self.folder, self.targets[index].name, data, outcome.report)
        self.spent[index] += time.perf_counter() - started
        self.ran[index] += 1
        return self.coverage.is_new()

    def begin(self) -> None:
        """Run the seeds, and what earlier runs kept; what reaches nothing new is forgotten."""
        for index, target in enumerate(self.targets):
            for seed in target.seeds:
                self.run(index, seed)
                self.kept[index].append(seed)
            found = [path.read_bytes() for path in self._place(index).glob("*")]
            for data in sorted({*found, *kept_inputs(self._place(index).name)}, key=len):
                if self.run(index, data):
                    self._keep(index, data)
                else:
                    self._file(index, data).unlink(missing_ok=True)

    def keep_in_repository(self) -> int:
        """Write what was kept, seeds left out, to where others begin; return how many inputs."""
        seeds = [set(target.seeds) for target in self.targets]
        return keep(
            {
                self._place(index).name: [data for data in kept if data not in seeds[index]]
                for index, kept in enumerate(self.kept)
            }
        )

    def step(self, rng: random.Random) -> None:
        """Run one new input on the target that has had the least time."""
        index = min(range(len(self.targets)), key=self.spent.__getitem__)
        kept = self.kept[index]
        data = mutated(kept[int(len(kept) * rng.random() ** 0.5)], rng)
        if rng.random() < 0.1:
            other = rng.choice(kept)
            data = data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]
        if len(data) <= LARGEST and self.run(index, data):
            self._keep(index, data)
            self.new[index] += 1

    def _keep(self, index: int, data: bytes) -> None:
        self.kept[index].append(data)
        file = self._file(index, data)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def _file(self, index: int, data: bytes) -> Path:
        return self._place(index) / hashlib.sha256(data).hexdigest()[:16]

    def _place(self, index: int) -> Path:
        return self.folder / "corpus" / file_name(self.targets[index].name)

    def note(self) -> None:
        """Write down how far it came."""
        ways, unseen = self.coverage.reached
        rows = {
            target.name: {"ran": self.ran[index], "new": self.new[index]}
            for index, target in enumerate(self.targets)
        }
        text = json.dumps({"ways": ways, "unseen_lines": unseen, "targets": rows})
        (self.folder / "progress.json").write_text(text)


def file_name(target: str) -> str:
    """The name of a target as a file may be called."""
    return re.sub(r"[^\w.]", "-", target)


def write_finding(folder: Path, target: str, data: bytes, report: str) -> None:
    """Keep an input that failed, once for each place where it failed."""
    native = re.findall(r"in (\w+) \S*native/src/(\S+)", report)[:2]
    frames = re.findall(r'File "\S*lanescope/(\S+), line (\d+)', report)[-2:]
    place = str(native) if native else f"{frames} {report.splitlines()[-1].partition(':')[0]}"
    name = f"{file_name(target)}-{hashlib.sha256(place.encode()).hexdigest()[:12]}"
    findings = folder / "findings"
    findings.mkdir(exist_ok=True)
    if not (findings / name).exists():
        (findings / name).write_bytes(data)
        (findings / f"{name}.txt").write_text(f"{target}\n{report}")


def main() -> None:
    """Run inputs until the time is over."""
    library, folder, seconds, seed, beginning, *keeps = sys.argv[1:]
    until = time.monotonic() + float(seconds)
    rng = random.Random(int(seed))
    warnings.simplefilter("error")  # numbers that overflow are a finding, too
    with tempfile.TemporaryDirectory(prefix="lanescope-fuzz-") as files:
        targets = all_targets(Path(files), beginning)
        use(Path(library))
        fuzzer = Fuzzer(targets, Path(folder), Coverage(native.load_library(Path(library))))
        fuzzer.begin()
        if keeps:
            print(f"{fuzzer.keep_in_repository():,} inputs", file=sys.stderr)
        noted = 0.0
        while time.monotonic() < until:
            fuzzer.step(rng)
            if time.monotonic() - noted > 2:
                noted = time.monotonic()
                fuzzer.note()
        fuzzer.note()


if __name__ == "__main__":
    main()
