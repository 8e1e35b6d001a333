"""A manifest from a PLENA build: hbm_addrs.json, and hbm_sizes.json or tensor_layouts.json.

Kinds and layers follow from the compiler's tensor names.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from lanescope.errors import InputError
from lanescope.model.manifest.manifest import Manifest, ManifestError, ManifestRegion

ADDRESSES = "hbm_addrs.json"
SIZES = "hbm_sizes.json"
LAYOUTS = "tensor_layouts.json"
_MOST_BYTES = 64 << 20
T = TypeVar("T")
_KV = re.compile(r"(^|_)[KV]_stored_")
_WEIGHT = ("W_", "V_W_", "V_B_", "V_LN1_", "V_LN2_", "V_POST_LN_")
_WEIGHT_NAMES = ("V_PATCH_W", "V_PATCH_BIAS_POS", "V_CONNECTOR_W", "V_CONNECTOR_B")
_NO_LAYER = re.compile(r"_h\d+$|(?<=fc)[12]|(?<=ln)[12]", re.IGNORECASE)
_SCALED_NUMERATOR, _SCALED_DENOMINATOR = 9, 8
"""MXFP8: one byte per element and one scale byte per block of 8."""


class _Layout(msgspec.Struct):
    storage_shape: list[int]


class _Sized(NamedTuple):
    """A tensor with its address, its bytes, and the file that the size came from."""

    name: str
    offset: int
    size_bytes: int
    source: str


def is_build(path: Path) -> bool:
    """Whether the path is a build's folder, or its file of addresses."""
    return path.name.endswith(ADDRESSES) or (path / ADDRESSES).is_file()


def read_build(path: Path, *, capacity_bytes: int | None) -> Manifest:
    """Read the regions of a build; each says which file its size came from."""
    addresses_file = path if path.name.endswith(ADDRESSES) else path / ADDRESSES
    prefix = addresses_file.name.removesuffix(ADDRESSES)
    addresses = _read(addresses_file, dict[str, int])
    sizes_file = addresses_file.with_name(prefix + SIZES)
    layouts_file = addresses_file.with_name(prefix + LAYOUTS)
    sizes = _read(sizes_file, dict[str, int]) if sizes_file.is_file() else {}
    layouts = _read(layouts_file, dict[str, _Layout]) if layouts_file.is_file() else {}
    ordered = sorted(addresses.items(), key=lambda item: item[1])
    following = [after for _, (_, after) in pairwise(ordered)]
    tensors = [
        _sized(addresses_file, name, offset, sizes=sizes, layouts=layouts, following=end)
        for (name, offset), end in zip(ordered, [*following, None], strict=True)
    ]
    regions = tuple(
        ManifestRegion(
            layer_id(one.name), one.offset, one.size_bytes, kind_of(one.name), one.name, one.source
        )
        for one in tensors
    )
    try:
        return Manifest(regions, capacity_bytes)
    except ManifestError as error:
        raise InputError(addresses_file, str(error)) from error


def kind_of(name: str) -> str:
    """The kind of a tensor, by the compiler's name for it: weight, kv or activation."""
    if _KV.search(name):
        return "kv"
    if name.startswith(_WEIGHT) or name in _WEIGHT_NAMES:
        return "weight"
    return "activation"


def layer_id(name: str) -> int:
    """The layer that a tensor's name tells; 0 where it tells none.

    It is the first number that is no head (_h0) and not part of fc1, fc2, ln1 or ln2.
    """
    match = re.search(r"\d{1,6}", _NO_LAYER.sub("", name))
    return int(match[0]) if match else 0


def _sized(
    path: Path,
    name: str,
    offset: int,
    *,
    sizes: dict[str, int],
    layouts: dict[str, _Layout],
    following: int | None,
) -> _Sized:
    """The tensor with its size: the stated one, else from the stored shape, else up to the next.

    A size from the stored shape ends at the next tensor at the latest.
    """
    if name in sizes:
        return _Sized(name, offset, sizes[name], SIZES)
    if name in layouts:
        elements = prod(layouts[name].storage_shape)
        size = elements * _SCALED_NUMERATOR // _SCALED_DENOMINATOR
        if following is not None and offset + size > following:
            return _Sized(name, offset, following - offset, f"{LAYOUTS}, cut at the next tensor")
        return _Sized(name, offset, size, LAYOUTS)
    if following is None:
        raise InputError(
            path,
            f"expected a size of {name!r} in {SIZES} or {LAYOUTS}, found none, and it is the "
            "last tensor, so no next one tells where it ends",
        )
    return _Sized(name, offset, following - offset, "the next tensor's address")


def _read(path: Path, form: type[T]) -> T:
    if path.stat().st_size > _MOST_BYTES:
        raise InputError(path, f"expected at most {_MOST_BYTES:,} bytes of JSON, found more")
    try:
        return msgspec.json.decode(path.read_bytes(), type=form)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(path, f"expected a PLENA build's JSON, found: {error}") from error
