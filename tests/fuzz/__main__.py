"""Damaged inputs for every reader, in C under sanitizers and in Python, led by what they reach.

    python -m tests.fuzz [--minutes 10] [--seed N] [--only c/] [--folder build/fuzz]
    python -m tests.fuzz --replay build/fuzz/findings/NAME
    python -m tests.fuzz --keep

The library is built by gcc with AddressSanitizer and UndefinedBehaviorSanitizer, and counts the
ways through it. An input that reaches a new way in C or a new line in Python is kept in
FOLDER/corpus and changed further; so runs of different seeds add up. What fails lies in
FOLDER/findings: the input, and beside it the report. Exit code 1 where something was found.
A run begins with the inputs of tests/fuzz/corpus.zip; --keep puts the shortest ones there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.fuzz.corpus import KEPT
from tests.fuzz.worker import NOW, all_targets, use, write_finding

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
MOST_CPU_S = 60.0
"""An input that takes longer than this, in seconds of processor time, hangs."""
MOST_DEATHS = 30
SANITIZER = ":".join(
    (
        *("detect_leaks=0", "detect_odr_violation=0", "alloc_dealloc_mismatch=0"),
        *("allocator_may_return_null=1", "max_allocation_size_mb=4000", "hard_rss_limit_mb=4000"),
    )
)
"""A reader that needs more than 4 GB for a file of at most 256 KB is a finding."""


def build(folder: Path) -> Path:
    """The whole library with both sanitizers and a map of its ways."""
    compiler = shutil.which("gcc")
    if compiler is None:
        raise SystemExit("fuzz: gcc is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    library, counting = folder / "liblanescope.so", folder / "coverage.o"
    subprocess.run(
        [compiler, "-O2", "-fPIC", "-c", str(HERE / "coverage.c"), "-o", str(counting)], check=True
    )
    flags = ["-g", "-O1", "-shared", "-fPIC", "-fsanitize=address,undefined"]
    flags += ["-fno-sanitize-recover=all", "-fsanitize-coverage=trace-pc"]
    flags += ["-I", str(ROOT / "native/include"), "-I", str(ROOT / "native/src")]
    sources = sorted(str(file) for file in (ROOT / "native/src").rglob("*.c"))
    subprocess.run([compiler, *flags, *sources, str(counting), "-o", str(library)], check=True)
    return library


def environment() -> dict[str, str]:
    """The library of the sanitizer comes first, as it asks for; then that of C++, for throws."""
    libraries = [
        subprocess.run(
            ["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True
        ).stdout.strip()
        for name in ("libasan.so", "libstdc++.so.6")
    ]
    return {**os.environ, "LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": SANITIZER}


class Run:
    """Workers one after the other, until the time is over."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.folder = args, args.folder.resolve()
        self.library = build(self.folder)
        self.deaths = 0
        self.totals: dict[str, dict[str, int]] = {}
        self.last: dict[str, Any] = {}

    def go(self) -> None:
        """Start a worker, and another one for the rest of the time where it dies."""
        if self.args.keep:
            self._worker(0, 0)
            self._add()
            print((self.folder / "worker.log").read_text().splitlines()[-1], "in", KEPT)
            return
        until, seed = time.monotonic() + 60 * self.args.minutes, self.args.seed
        while (left := until - time.monotonic()) > 0 and self.deaths < MOST_DEATHS:
            (self.folder / "progress.json").unlink(missing_ok=True)
            self._worker(left, seed)
            self._add()
            seed += 1

    def _worker(self, seconds: float, seed: int) -> None:
        log = self.folder / "worker.log"
        command = [
            sys.executable,
            "-m",
            "tests.fuzz.worker",
            self.library,
            self.folder,
            seconds,
            seed,
        ]
        with log.open("w") as errors:
            worker = subprocess.Popen(
                [*map(str, command), self.args.only, *(["keep"] if self.args.keep else [])],
                cwd=ROOT, env=environment(), stderr=errors, stdout=errors,
            )  # fmt: skip
            hung = self._watch(worker)
        if worker.returncode != 0:
            self.deaths += 1
            report = log.read_text(errors="replace")
            self._dead("it hangs\n" + report if hung else report)

    def _watch(self, worker: subprocess.Popen[bytes]) -> bool:
        """Wait for its end; end it where one input takes too long, and say so."""
        number, since = -1, 0.0
        while True:
            try:
                worker.wait(1)
                return False
            except subprocess.TimeoutExpired:
                pass
            used = cpu_seconds(worker.pid)
            now = NOW.unpack((self.folder / "now").read_bytes()[: NOW.size])[0] if used > 20 else 0
            if now != number:
                number, since = now, used
            elif used - since > MOST_CPU_S:
                worker.kill()
                worker.wait()
                return True

    def _dead(self, report: str) -> None:
        """Keep the input that the worker died of."""
        data = (self.folder / "now").read_bytes()
        _, index, size = NOW.unpack(data[: NOW.size])
        with tempfile.TemporaryDirectory() as files:
            name = all_targets(Path(files), self.args.only)[index].name
        write_finding(self.folder, name, data[NOW.size : NOW.size + size], report[-20000:])

    def _add(self) -> None:
        path = self.folder / "progress.json"
        if not path.exists():
            return
        self.last = json.loads(path.read_text())
        for name, row in self.last["targets"].items():
            total = self.totals.setdefault(name, {"ran": 0, "new": 0})
            total["ran"] += row["ran"]
            total["new"] += row["new"]

    def summary(self, before: set[str]) -> int:
        """Print what was run and found; return the exit code."""
        for name, row in self.totals.items():
            print(f"{name:44} {row['ran']:9,} inputs {row['new']:6,} kept")
        ran = sum(row["ran"] for row in self.totals.values())
        print(
            f"seed {self.args.seed}: {ran:,} inputs on {len(self.totals)} targets, "
            f"{self.last.get('ways', 0):,} ways through the library; the worker died "
            f"{self.deaths} times"
        )
        found = sorted(findings(self.folder) - before)
        for name in found:
            print(f"FOUND {self.folder / 'findings' / name}")
        if not ran:
            print(f"no input was run; see {self.folder / 'worker.log'}")
        return int(bool(found) or not ran)


def cpu_seconds(process: int) -> float:
    """Processor time that a process has had."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def findings(folder: Path) -> set[str]:
    """Names of the inputs that failed so far."""
    return {path.name for path in (folder / "findings").glob("*") if path.suffix != ".txt"}


def replay(path: Path, folder: Path) -> int:
    """Run one finding again, in this process where the sanitizer is loaded already."""
    if "LD_PRELOAD" not in os.environ:
        build(folder)
        command = [
            sys.executable,
            "-m",
            "tests.fuzz",
            "--replay",
            str(path),
            "--folder",
            str(folder),
        ]
        return subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode
    name = path.with_name(f"{path.name}.txt").read_text().partition("\n")[0]
    with tempfile.TemporaryDirectory() as files:
        [target] = [one for one in all_targets(Path(files), name) if one.name == name]
        use(folder / "liblanescope.so")
        target.run(path.read_bytes())
    print(f"{name}: nothing happens")
    return 0


def main() -> int:
    """Fuzz, or run one finding again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--only", default="", help="targets whose names begin so")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/fuzz")
    parser.add_argument("--keep", action="store_true", help="choose inputs for the repository")
    parser.add_argument("--replay", type=Path, help="a file of FOLDER/findings")
    args = parser.parse_args()
    if args.keep and args.only:
        parser.error("--keep chooses for all targets; leave out --only")
    if args.replay is not None:
        return replay(args.replay.resolve(), args.folder.resolve())
    with tempfile.TemporaryDirectory() as files:
        if not all_targets(Path(files), args.only):
            parser.error(f"no target's name begins with {args.only!r}")
    run = Run(args)
    before = findings(run.folder)
    print(f"seed {args.seed}, {args.minutes:g} minutes, in {run.folder}", flush=True)
    run.go()
    return run.summary(before)


if __name__ == "__main__":
    sys.exit(main())
