"""The sizes of a job: meta-X.yaml, which lies beside trace-X.parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import yaml

from lanescope.errors import InputError
from lanescope.formats.packed import plain_name

_MOST_BYTES = 1 << 16


class JobSizes(msgspec.Struct, frozen=True, kw_only=True):
    """How a job is divided; 0 stands for a size that is not known."""

    trial_name: str = ""
    run_id: int = 0
    dp_size: int = 0
    """Data-parallel ranks."""
    pp_size: int = 0
    """Stages of the pipeline."""
    tp_size: int = 0
    dsp_size: int = 1
    vpp_size: int = 0
    """Parts of the model on each stage."""
    world_size: int = 0


def sizes_beside(trace: Path) -> Path | None:
    """The file of sizes of a trace file, told by its name; None where there is none."""
    name = plain_name(trace.name).removesuffix(".parquet").removeprefix("trace-")
    names = (f"meta-{name}.yaml", f"meta-{name}.yml")
    return next((path for n in names if (path := trace.with_name(n)).is_file()), None)


def is_sizes(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a file of sizes."""
    return head.startswith(b"trial_name:") or b"\ntrial_name:" in head


def read_sizes(path: Path) -> JobSizes:
    """Read a file of sizes.

    Raises:
        InputError: it is no YAML, or a size is no number above 0.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise InputError(path, f"expected at most {_MOST_BYTES:,} bytes of YAML, found more")
        values: Any = yaml.safe_load(text)
        sizes = msgspec.convert(values, JobSizes)
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})") from error
    except (yaml.YAMLError, RecursionError, UnicodeDecodeError, ValueError) as error:
        reason = " ".join(str(error).split())[:120]
        raise InputError(path, f"expected the sizes of a job as YAML, found: {reason}") from error
    named = [name for name in sizes.__struct_fields__ if name.endswith("_size") and name in values]
    given = {name: getattr(sizes, name) for name in named}
    wrong = [name for name, value in given.items() if not 0 < value < 1 << 31]
    if wrong:
        problem = f"{wrong[0]}: expected a number above 0, found {given[wrong[0]]}"
        raise InputError(path, problem)
    return sizes
