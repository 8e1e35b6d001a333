"""Which folders and tables are an export of Nsight Systems, by names alone.

Every folder is asked about, so nothing heavy is imported here.
"""

from __future__ import annotations

from pathlib import Path

RANGES = "nvtx_gpu_proj_trace"
STRINGS = "StringIds"
_SIGNS = ("CUPTI_ACTIVITY_KIND_", "NVTX_EVENTS", "META_DATA_EXPORT", "TARGET_INFO_")


def projection_file(folder: Path) -> Path | None:
    """The file of ranges in a folder of nsys-jax, where it is one."""
    places = (folder / f"{RANGES}.parquet", folder / RANGES / "trace.parquet")
    return next((path for path in places if path.is_file()), None)


def is_parquet_export(folder: Path) -> bool:
    """Whether a folder holds the Parquet tables of one export, or what nsys-jax made of one."""
    if projection_file(folder) is not None:
        return True
    try:
        names = frozenset(entry.stem for entry in folder.iterdir() if entry.suffix == ".parquet")
    except OSError:
        return False
    return is_export(names)


def is_export(names: frozenset[str]) -> bool:
    """Whether tables of these names are of an export."""
    return STRINGS in names and any(name.startswith(_SIGNS) for name in names)
