"""Builds the sdist, and of it a wheel for every system, with zig as the C compiler: `make wheels`.

`python tools/build_wheels.py DIST TAG…` builds those wheels alone. What zig compiles needs no more
than glibc 2.28 on Linux, and no more than version 11 of macOS.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import ziglang

ROOT = Path(__file__).parents[1]
TARGETS = {
    "manylinux_2_28_x86_64": "x86_64-linux-gnu.2.28",
    "manylinux_2_28_aarch64": "aarch64-linux-gnu.2.28",
    "macosx_11_0_arm64": "aarch64-macos.11.0",
    "macosx_11_0_x86_64": "x86_64-macos.11.0",
    "win_amd64": "x86_64-windows-gnu",
}
"""Platform tag of a wheel to the system that zig compiles for."""
LINUX_ONLY = ("lanescope/platforms/cuda/device/**", "lanescope/triton/**")
"""What only a GPU under Linux uses; wheels of other systems leave it out."""


def build(kind: str, source: Path, target: Path, settings: dict[str, str], **more: str) -> Path:
    """Build an sdist or a wheel into an empty folder; returns the one file that is there then."""
    options = [f"-C{key}={value}" for key, value in settings.items()]
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "-o", str(target)]
    beside = str(Path(sys.executable).parent)
    env = {**os.environ, "PATH": beside + os.pathsep + os.environ["PATH"], **more}
    done = subprocess.run(
        [*command, *options, str(source)], env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{target.name}: the {kind} was not built\n{done.stdout}{done.stderr}")
    (made,) = target.iterdir()
    return made


def build_wheel(tag: str, source: Path, place: Path) -> Path:
    """Build the wheel of one system from the files of an sdist."""
    settings = {
        "build-dir": str(place / "build" / tag),
        "cmake.define.CMAKE_TOOLCHAIN_FILE": str(source / "tools" / "zig.cmake"),
        # The strip of this machine knows one system only; zig strips what it links.
        "install.strip": "false",
        "wheel.exclude": "" if tag.startswith("manylinux") else ";".join(LINUX_ONLY),
    }
    zig = Path(ziglang.__file__).with_name("zig")
    made = build(
        "wheel",
        source,
        place / tag,
        settings,
        LANESCOPE_ZIG=str(zig),
        LANESCOPE_ZIG_TARGET=TARGETS[tag],
    )
    command = [sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, str(made)]
    subprocess.run(command, check=True, capture_output=True)
    (tagged,) = made.parent.iterdir()
    return tagged


def main(dist: str, *tags: str) -> None:
    """Build everything into `dist`, which is emptied first."""
    target = Path(dist)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        sdist = Path(shutil.move(build("sdist", ROOT, place / "sdist", {}), target))
        print(sdist)
        with tarfile.open(sdist) as archive:
            archive.extractall(place / "source", filter="data")
        (source,) = (place / "source").iterdir()
        for tag in tags or TARGETS:
            print(shutil.move(build_wheel(tag, source, place), target), flush=True)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("dist", metavar="DIST")
    asked.add_argument("tags", metavar="TAG", nargs="*")
    words = asked.parse_args()
    if unknown := sorted(set(words.tags) - TARGETS.keys()):
        asked.error(f"expected tags of {', '.join(TARGETS)}, found {', '.join(unknown)}")
    main(words.dist, *words.tags)
