"""Compiles Triton kernels for a GPU that need not be there; says what the machine code needs."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import lanescope.triton

COUNTED = ("LDGSTS", "UTMALDG", "UTMASTG", "HMMA", "HGMMA", "WARPGROUP.DEPBAR", "STL", "LDL")
"""Machine instructions: loads that run ahead, products, waits for them, and local memory."""


@dataclass(frozen=True)
class Needs:
    """What a compiled kernel needs of an SM, and how many instructions of some kinds it has."""

    registers: int
    stack_bytes: int
    shared_bytes: int
    """What the kernel's code declares: the library's places."""
    dynamic_bytes: int
    """What Triton asks for at the launch."""
    counts: dict[str, int]


def compiled(kernel: Any, arguments: dict[str, Any], arch: int = 90, **options: Any) -> Any:
    """Compile a kernel without a GPU.

    `arguments` has for each its type as Triton writes it (`:16`: a multiple of 16), or a constant.
    """
    of = getattr(kernel, "arg_names", None) or kernel.fn.arg_names
    types = {name: each for name, each in arguments.items() if isinstance(each, str)}
    source = ASTSource(
        kernel,
        {name: types.get(name, "constexpr").removesuffix(":16") for name in of},
        constexprs={name: each for name, each in arguments.items() if name not in types},
        attrs={
            (of.index(name),): [["tt.divisibility", 16]]
            for name, each in types.items()
            if each.endswith(":16")
        },
    )
    libraries = lanescope.triton.extern_libs()
    options = {"extern_libs": libraries, "enable_fp_fusion": True, **options}
    return triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)


def needs(binary: Any) -> Needs:
    """Return what a compiled kernel needs, as cuobjdump reads it from the machine code."""
    resources = _cuobjdump(binary, "--dump-resource-usage")
    (line,) = re.findall(rf"Function {re.escape(binary.metadata.name)}:\s*(.*)", resources)
    figures = {key: int(value) for key, value in re.findall(r"(\w+):(\d+)", line)}
    code = _cuobjdump(binary, "-sass")
    return Needs(
        registers=figures["REG"],
        stack_bytes=figures["STACK"] + figures["LOCAL"],
        shared_bytes=figures["SHARED"],
        dynamic_bytes=binary.metadata.shared,
        counts={word: len(re.findall(rf"\s{re.escape(word)}\b", code)) for word in COUNTED},
    )


def _cuobjdump(binary: Any, option: str) -> str:
    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(binary.asm["cubin"])
        file.flush()
        command = [str(tool), option, file.name]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def compare(kernel: Any, arguments: dict[str, Any], **options: Any) -> None:
    """Print what a kernel needs on two generations of GPUs, without and with recording."""
    for arch in (80, 90):
        for title, handle in (("without recording", None), ("with recording", "u64")):
            found = needs(compiled(kernel, {**arguments, "handle": handle}, arch, **options))
            print(f"sm_{arch} {title}: {found}")
