"""Shows that a change of the code did not change a figure: makes every output, compares two sets.

    PYTHON_BEFORE tools/compare_outputs.py make before/     # with the old version installed
    PYTHON_AFTER  tools/compare_outputs.py make after/
    python tools/compare_outputs.py compare before/ after/

`make` writes, for every run under ../shared/data, for the example run and for simulated runs:
the report, the what-if, every export and the page; and predictions and fits of the programs and
models there. A command that fails leaves its exit code and its message, which are compared, too.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
SIMULATED = {
    "paged": "paged_attention",
    "paged_a5": "paged_attention --platform a5 --core-swimlane",
    "paged_pmu": "paged_attention --pmu",
    "paged_l2": "paged_attention --chip-swimlane=2",
    "paged_staging": "paged_attention --protocol staging",
    "decode": "decode_layer",
    "decode_rotated": "decode_layer --protocol controller-rotated --chip-swimlane=3",
    "mixed": "mixed",
    "spmd": "spmd_mix --platform a5",
    "dag": "random_dag",
    "vector_l1": "vector --chip-swimlane=1",
    "matmul": "matmul_add --pmu=4 --dump-tensors",
    "small_buffers": "paged_attention --buffers 2 --buffer-records 16",
}
"""Name to the words after `lanescope run`."""
EXPORTS = ("perfetto", "chrome", "simpler", "csv", "kanata")
PAGE_CODE = re.compile(
    rb"<style>.*?</style>|<script(?! type=.application)[^>]*>.*?</script>"
    rb"|sha256-[^&']*|[\d,]+ bytes; open it",
    re.DOTALL,
)
"""The page's own script and style, which may change; what it shows is compared."""
MOVED = ("extra", "recording", "work")
"""Keys of a stored trace's meta.json that are not compared: 0.2 keeps in two typed ones what 0.1
kept in `extra`. The reports, what-ifs and exports that are made of them are compared."""

SCHEMA = re.compile(rb'"schema":"urn:lanescope:[^"]*",')
"""The first key of a command's JSON, which 0.1 did not print."""


def lanescope(words: list[str], log: Path) -> None:
    """One command in this process; what it printed and its exit code go into the log.

    Every version calls itself 0: a trace names the program that wrote it, and that is no figure.
    """
    import lanescope as package

    package.__version__ = "0"
    from lanescope.cli import main

    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code: object = main(words)
        except SystemExit as stop:
            code = stop.code
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(out.getvalue() + errors.getvalue() + f"exit {code}\n")


def of_trace(trace: Path, place: Path) -> None:
    """Everything that can be said of one trace, into the folder `place`."""
    place.mkdir(parents=True, exist_ok=True)
    name = str(trace)
    lanescope(["report", name, "--json"], place / "report.json")
    lanescope(["report", name, "--plots", str(place / "plots")], place / "report.txt")
    lanescope(["report", name, "--corrected", "--json"], place / "corrected.json")
    lanescope(["what-if", name, "--rank", "--json"], place / "what_if.json")
    lanescope(["what-if", name, "--schedulers", "2"], place / "what_if.txt")
    lanescope(["diff", name, name, "--json"], place / "diff.json")
    lanescope(["view", name, "--html", str(place / "page.html")], place / "view.txt")
    for format_name in EXPORTS:
        lanescope(
            ["export", name, "--to", format_name, "-o", str(place / f"to-{format_name}")],
            place / f"export-{format_name}.txt",
        )


def simulated(name: str, words: str) -> None:
    """One simulated run and all that is said of it."""
    place = Path("sim") / name
    place.mkdir(parents=True, exist_ok=True)
    lanescope(["run", *words.split(), "-o", f"{place}/run.lanes"], place / "run.txt")
    of_trace(place / "run.lanes", place)


def imported(name: str, source: str) -> None:
    """One imported folder or file, and all that is said of each trace it gives."""
    place = Path("imported") / name
    place.mkdir(parents=True, exist_ok=True)
    lanescope(["import", source, "-o", str(place), "--json"], place / "import.json")
    for trace in sorted(place.glob("*.lanes")):
        of_trace(trace, place / trace.stem)


def predicted(name: str, words: list[str]) -> None:
    """One prediction or fit."""
    lanescope([*words, "--json"], Path("model") / f"{name}.json")
    lanescope(words, Path("model") / f"{name}.txt")


def jobs() -> Iterator[tuple[object, ...]]:
    """Every piece of work: a function and its arguments."""
    for name, words in SIMULATED.items():
        yield simulated, name, words
    yield imported, "small_run", str(ROOT / "examples" / "small_run")
    for folder in sorted(_with_files(DATA / "chip-swimlane")):
        yield imported, "-".join(folder.relative_to(DATA).parts), str(folder)
    for file in sorted((DATA / "traces").glob("*/*.json*")):
        if file.parent.name != "expected":
            yield imported, f"traces-{file.parent.name}-{file.name}", str(file)
    programs = [
        ROOT / "examples" / "tile.asm",
        *sorted((DATA / "plena" / "programs").glob("*.asm")),
    ]
    for program in programs:
        settings = program.with_suffix(".settings.toml")
        more = ["--settings", str(settings)] if settings.exists() else []
        for source in ("emulator", "peer", "peer-charged", "rtl"):
            words = ["predict", str(program), "--board", "v80", *more, "--cost-source", source]
            yield predicted, f"{program.stem}-{source}", words
    manifest = DATA / "plena" / "manifests" / "clm60m_1L_m256_b64_s256.custom_a7_3M.manifest.json"
    swapped = DATA / "plena" / "programs" / "clm60m_1L_m256_b64_s256.asm"
    settings = ["--settings", str(swapped.with_suffix(".settings.toml"))]
    for memory in ("layer-swap", "host-stream", "auto", "resident", "kv-swap", "weight-stream"):
        words = [
            "predict",
            str(swapped),
            *settings,
            "--board",
            "custom_a7",
            "--memory-model",
            memory,
        ]
        yield predicted, f"memory-{memory}", [*words, "--weight-manifest", str(manifest)]
    for board in ("v80", "nexys_video"):
        tile = ["predict", str(programs[0]), "--board", board]
        yield predicted, f"tile-{board}", tile
        for context in ("512", "2048", "65536"):
            shape = str(ROOT / "examples" / "model_135m.json")
            words = ["fit", shape, "--board", board, "--context", context]
            yield predicted, f"fit-{board}-{context}", words


def _with_files(root: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(root):
        folders[:] = [folder for folder in folders if folder not in ("scope_stats", "args_dump")]
        here = Path(place)
        nested = any((here / inner).is_dir() for inner in ("scope_stats", "args_dump"))
        if nested or any(f.endswith((".json", ".jsonl", ".csv")) for f in files):
            yield here


def make(folder: Path, only: str) -> None:
    """All outputs into `folder`, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.chdir(folder)
    chosen = [job for job in jobs() if only in str(job[1])]
    with ProcessPoolExecutor() as pool:
        waiting = [(job[1], pool.submit(*job)) for job in chosen]  # type: ignore[arg-type]
        for number, (name, future) in enumerate(waiting, 1):
            future.result()
            if sys.stderr.isatty():
                print(f"\r{number} of {len(waiting)}: {name}\033[K", end="", file=sys.stderr)
    print(f"{folder}: {sum(1 for path in folder.rglob('*') if path.is_file())} files")


def compare(before: Path, after: Path) -> int:
    """Say which files differ, with the first line that does; 1 where any differ."""
    old, new = _files(before), _files(after)
    wrong = 0
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            print(f"{name}: only {'after' if name in new else 'before'}")
            wrong += 1
        elif (difference := _difference(old[name], new[name])) is not None:
            print(f"{name}: {difference}")
            wrong += 1
    print(f"{len(old.keys() & new.keys())} files compared, {wrong} differ")
    return 1 if wrong or not old else 0


def _files(folder: Path) -> dict[str, Path]:
    return {
        str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()
    }


def _difference(before: Path, after: Path) -> str | None:
    old, new = (_content(path) for path in (before, after))
    if old == new:
        return None
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    at = max(0, min(at, len(old), len(new)) - 20)
    return f"byte {at}: {old[at : at + 60]!r} became {new[at : at + 60]!r}"


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    if path.name == "meta.json":
        meta = {key: value for key, value in json.loads(content).items() if key not in MOVED}
        content = json.dumps(meta).encode()
    if path.suffix == ".json":
        content = SCHEMA.sub(b"", content)
    return PAGE_CODE.sub(b"", content) if path.name in ("page.html", "view.txt") else content


def main() -> int:
    """Command line: `make FOLDER [--only TEXT]` or `compare BEFORE AFTER`."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("folder", type=Path)
    making.add_argument("--only", default="", help="only what has this in its name")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    args = parser.parse_args()
    if args.command == "compare":
        return compare(args.before, args.after)
    make(args.folder.resolve(), args.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
