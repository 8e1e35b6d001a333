"""Compiles native/triton/record.cpp to the LLVM IR that Triton links: `make triton-ir`.

IR must be no newer than the LLVM of the oldest Triton, so it is made by clang 18, which ziglang
0.13 has. The first line of the file is a hash of its sources; a test compares it with the files.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "native" / "triton" / "record.cpp"
INCLUDE = ROOT / "native" / "include"
TARGET = ROOT / "src" / "lanescope" / "triton" / "record.ll"
ZIG = ROOT / "build" / "clang18" / "ziglang" / "zig"
"""Where `make triton-ir` puts it."""
CLANG = (str(ZIG), "clang")
OPTIONS = (
    *("-x", "c++", "-std=c++17", "-O2", "-S", "-emit-llvm"),
    *("--target=nvptx64-nvidia-cuda", "-march=sm_75", "-fconvergent-functions"),
    *("-ffreestanding", "-nostdinc", "-fno-exceptions", "-fno-rtti", "-fno-strict-aliasing"),
    *("-Wall", "-Wextra", "-Werror", "-I", str(INCLUDE)),
)
REPLACED = (
    (r"^(; ModuleID|source_filename|; Function Attrs:|!llvm\.(ident|module\.flags)).*\n", ""),
    (r"(, )?!srcloc !\d+", ""),
    (r" +; preds = .*", ""),
    # The kernel says for which GPU it is compiled.
    (r' "[\w-]+"(="[^"]*")?(?=.* \}$)', ""),
    (r'^!\d+ = !\{(i64 \d+|i32 \d, !"(wchar_size|frame-pointer)", .*|!"clang version.*")\}\n', ""),
    # ptxas finds no registers for a call in a kernel whose partitions have numbers of their own.
    (r"\bnoinline\b", "alwaysinline"),
)
"""What of the compiler's output says nothing to Triton or something wrong, and what it becomes."""


def sources(file: Path = SOURCE, known: tuple[Path, ...] = ()) -> tuple[Path, ...]:
    """Return a file and every header of ours that it includes, each once, in order."""
    known = (*known, file)
    for name in re.findall(r'^#include ["<]([^">]+)[">]', file.read_text(), re.MULTILINE):
        for header in (file.parent / name, INCLUDE / name):
            if header.resolve() not in (each.resolve() for each in known) and header.exists():
                known = sources(header, known)
                break
    return known


def fingerprint() -> str:
    """Return the hash of all sources and of how they are compiled."""
    text = b"\0".join(file.read_bytes() for file in sources())
    words = "\0".join((*OPTIONS[:-1], *(word for pair in REPLACED for word in pair)))
    return hashlib.sha256(text + words.encode()).hexdigest()


def compiled(source: Path) -> str:
    """Return what clang makes of a C++ file.

    Raises:
        SystemExit: clang is not there, or the file does not compile.
    """
    if not ZIG.exists():
        raise SystemExit("clang 18 is not there; `make triton-ir` installs it")
    command = [*CLANG, *OPTIONS, str(source), "-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def library() -> str:
    """Return the text of record.ll."""
    text = compiled(SOURCE)
    for pattern, instead in REPLACED:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return f"; sources {fingerprint()}\n{text}"


if __name__ == "__main__":
    TARGET.write_text(library())
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size:,} bytes")
