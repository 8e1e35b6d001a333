"""Looks into built wheels: names, contents, what the C library exports and needs. `make wheels`.

Wheels for other systems cannot be run here, so what can be read of them must be right.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

import lief

from lanescope.native import _SIGNATURES, _THREADS

MOST_BYTES = 2_250_000
NEEDED = (
    "lanescope/native/include/lanescope/lanescope.h",
    "lanescope/viewer/page/page.html",
    "lanescope/platforms/sim/chips/a2a3.toml",
    "lanescope/model/boards/v80.yaml",
    "lanescope/py.typed",
)
LINUX_ONLY = ("lanescope/platforms/cuda/device/megakernel.cu", "lanescope/triton/record.ll")
FIELDS = ("Summary", "Author", "License-Expression", "Requires-Python", "Description-Content-Type")
LIBRARIES = {
    "manylinux": r"libc\.so\.6|libpthread\.so\.0|ld-linux-[\w-]+\.so\.\d",
    "macosx": r"@rpath/liblanescope\.dylib|/usr/lib/libSystem\.B\.dylib",
    "win": r"KERNEL32\.dll|api-ms-win-crt-[\w-]+\.dll",
}
"""What the library may need, by the beginning of the wheel's platform tag: parts of the system."""
SUFFIXES = {"manylinux": ".so", "macosx": ".dylib", "win": ".dll"}
PROCESSORS = {
    "x86_64": {"X86_64", "AMD64"},
    "amd64": {"X86_64", "AMD64"},
    "aarch64": {"AARCH64"},
    "arm64": {"ARM64"},
}


def problems_of(wheel: Path) -> Iterator[str]:
    """What is wrong with a wheel, one sentence each."""
    tag = wheel.stem.split("-")[-1]
    system = re.split(r"[_\d]", tag)[0]
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        library = f"lanescope/native/liblanescope{SUFFIXES[system]}"
        if wheel.stat().st_size > MOST_BYTES:
            yield f"it has {wheel.stat().st_size:,} bytes, {MOST_BYTES:,} is the most"
        yield from (f"{name} is missing" for name in (library, *NEEDED) if name not in names)
        for name in LINUX_ONLY:
            if (name in names) != (system == "manylinux"):
                yield f"{name} is for Linux alone"
        strange = [name for name in names if not re.match(r"lanescope(-[^/]+\.dist-info)?/", name)]
        yield from (f"{name} does not belong there" for name in strange)
        binaries = [name for name in names if re.search(r"\.(so|dylib|dll|a|lib|pdb|pyc)\b", name)]
        yield from (f"{name} does not belong there" for name in binaries if name != library)
        yield from _metadata_problems(archive, tag)
        if library in names:
            yield from _library_problems(archive.read(library), tag, system)


def _metadata_problems(archive: ZipFile, tag: str) -> Iterator[str]:
    (info,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
    if f"{info}/licenses/LICENSE" not in archive.namelist():
        yield "the licence is missing"
    fields = HeaderParser().parsestr(archive.read(f"{info}/METADATA").decode())
    yield from (f"the metadata has no {name}" for name in FIELDS if not fields[name])
    tags = HeaderParser().parsestr(archive.read(f"{info}/WHEEL").decode()).get_all("Tag")
    if tags != [f"py3-none-{tag}"]:
        yield f"it says that it is for {tags}"


def _library_problems(content: bytes, tag: str, system: str) -> Iterator[str]:
    binary = lief.parse(content)
    if isinstance(binary, lief.MachO.Binary):
        exported = {symbol.name.removeprefix("_") for symbol in binary.exported_symbols}
        needed = [str(each.name) for each in binary.libraries]
        processor = binary.header.cpu_type.name
        if processor == "ARM64" and not binary.has_code_signature:
            yield "the library is not signed, which macOS wants on this processor"
        if binary.build_version.minos != [11, 0, 0]:
            yield f"the library needs macOS {binary.build_version.minos}"
    elif isinstance(binary, lief.PE.Binary):
        exported = {entry.name for entry in binary.get_export().entries}
        needed = [str(each.name) for each in binary.imports]
        processor = binary.header.machine.name
    elif isinstance(binary, lief.ELF.Binary):
        exported = {function.name for function in binary.exported_functions}
        needed = [str(name) for name in binary.libraries]
        processor = binary.header.machine_type.name
    else:
        yield "its library is none"
        return
    if not any(tag.endswith(name) and processor in words for name, words in PROCESSORS.items()):
        yield f"its library is for {processor}"
    wanted = set(_SIGNATURES) if system == "manylinux" else set(_SIGNATURES) - {_THREADS}
    lacking = wanted - exported
    yield from (f"its library does not export {name}" for name in sorted(lacking))
    strange = [name for name in needed if not re.fullmatch(LIBRARIES[system], name)]
    yield from (f"its library needs {name}" for name in strange)
    if b"/tmp/" in content or str(Path.home()).encode() in content:
        yield "its library holds a path of the machine that built it"


def _baseline_problems(wheel: Path) -> Iterator[str]:
    """What auditwheel has against the tag of a wheel for Linux."""
    said = _output("auditwheel", "show", str(wheel))
    platform = re.search(r'platform tag: "manylinux_2_(\d+)_', said.replace("\n", " "))
    if platform is None or int(platform[1]) > 28:
        yield f"auditwheel says: {said}"


def _output(module: str, *words: str) -> str:
    command = [sys.executable, "-m", module, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if not done.returncode else f"{module} failed: {done.stdout}{done.stderr}"


def main(dist: str) -> int:
    """Check every file of a folder; returns 1 where one has a problem."""
    wheels = sorted(Path(dist).glob("*.whl"))
    found = [f"{wheel.name}: {problem}" for wheel in wheels for problem in problems_of(wheel)]
    for wheel in wheels:
        if "manylinux" in wheel.name:
            found += [f"{wheel.name}: {problem}" for problem in _baseline_problems(wheel)]
    files = [str(file) for file in sorted(Path(dist).iterdir())]
    for words in (("twine", "check", "--strict", *files), ("check_wheel_contents", *files[:-1])):
        said = _output(*words)
        if "failed" in said or "FAILED" in said:
            found.append(said)
    print(
        "\n".join(found) or f"{len(wheels)} wheels and {len(files) - len(wheels)} sdist are sound"
    )
    return 1 if found or not wheels else 0


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("dist", metavar="DIST")
    sys.exit(main(asked.parse_args().dist))
