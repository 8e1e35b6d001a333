"""Reads a tensor dump, our own or an args_dump.json, as a list of tensors."""

from __future__ import annotations

from math import prod
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from lanescope.dump.args_dump import read_args
from lanescope.dump.manifest import FORMAT, MANIFEST, STORED, VERSION, TensorRecord, Totals
from lanescope.errors import InputError, UsageError
from lanescope.formats.json_file import Count, JsonFile, open_object
from lanescope.formats.simpler.arguments import is_arguments
from lanescope.render.names import file_name

Array = npt.NDArray[Any]

_DROPPED = ("dropped", "dropped_records", "dropped_overwrite")
_PLACES = (MANIFEST, "args_dump.json", "args_dump/args_dump.json")


class DumpedTensor(TensorRecord, frozen=True, kw_only=True):
    """One tensor of a dump: its record, and how to read its values."""

    index: int
    """Position in the manifest."""
    bin_path: Path
    value: bool | int | float | None = None
    """The value of a scalar, which has no bytes in the binary file."""
    overwritten: bool = False
    """Whether the device overwrote the values before they were saved."""

    def array(self) -> Array:
        """Return the values in the tensor's shape; a truncated tensor is refused."""
        if self.kind == "scalar":
            return self._scalar()
        if self.truncated:
            have = self.bin_size // np.dtype(STORED[self.dtype]).itemsize
            raise self._refusal(
                f"is truncated to its first {have} of {self.numel} elements; .elements() has those"
            )
        return self.elements().reshape(self.shape)

    def elements(self) -> Array:
        """Return the values in one dimension; fewer than `numel` where the tensor is truncated."""
        if self.kind == "scalar":
            return self._scalar().reshape(1)
        if self.overwritten:
            raise self._refusal("was overwritten by the device before it was saved")
        if self.numel and not self.bin_size and not self.truncated:
            raise self._refusal("has no values: only its shape was dumped")
        stored = np.dtype(STORED[self.dtype])
        count = self.bin_size // stored.itemsize
        if not self.bin_path.is_file():
            raise InputError(self.bin_path, "no such file; it belongs beside the manifest")
        try:
            with self.bin_path.open("rb") as file:
                file.seek(self.bin_offset)
                values = np.fromfile(file, stored, count)
        except OSError as error:
            problem = f"cannot be read ({error.strerror or error})"
            raise InputError(self.bin_path, problem) from error
        if len(values) != count:
            raise self._refusal(f"should have {count} elements in the file, found {len(values)}")
        return _decoded(values, self.dtype)

    def _scalar(self) -> Array:
        try:
            values: Array = np.array(self.value, _decoded(np.empty(0, "u2"), self.dtype).dtype)
        except (OverflowError, TypeError, ValueError):
            raise self._refusal(f"has the value {self.value}, which is no {self.dtype}") from None
        return values

    def _refusal(self, problem: str) -> InputError:
        return InputError(self.bin_path, f"tensor {self.index} (task {self.task:#x}) {problem}")


class Dump(NamedTuple):
    """All tensors of a dump."""

    tensors: list[DumpedTensor]
    dropped: int
    """Tensors that the run could not store."""


def read_tensors(path: str | PathLike[str]) -> list[DumpedTensor]:
    """Reads the tensors that a run dumped.

    Args:
        path: The dump's folder (NAME.tensors), a folder that contains one, or its JSON file.

    Returns:
        One object for each tensor. Its values are read when `array()` or `elements()` is called.

    Raises:
        InputError: There is no dump, or its files contradict each other.
        UsageError: The folder holds several dumps.

    Examples:
        >>> import lanescope
        >>> trace = lanescope.run("vector", settings={"tiles": 1}, dump_tensors="vector.tensors")
        >>> tensors = lanescope.read_tensors("vector.tensors")
        >>> [(one.tensor, one.stage, one.array().shape) for one in tensors[:2]]
        [('X0', 'before_dispatch', (65536,)), ('T0', 'after_completion', (65536,))]
    """
    return read_dump(path).tensors


def read_dump(path: str | PathLike[str]) -> Dump:
    """Read the tensors of a dump, and how many had to be dropped."""
    manifest = find_manifest(Path(path))
    file = open_object(manifest)
    rows, bin_path = _rows(file)
    size = bin_path.stat().st_size if bin_path.is_file() else None
    tensors = []
    for index, (record, more) in enumerate(rows):
        _check(manifest, index, record)
        if size is not None and record.bin_offset + record.bin_size > size:
            raise InputError(
                manifest,
                f"tensor {index} has bytes {record.bin_offset} to "
                f"{record.bin_offset + record.bin_size} of {bin_path.name}, which has only {size}",
            )
        fields = msgspec.structs.asdict(record)
        tensors.append(DumpedTensor(**fields, **more, index=index, bin_path=bin_path))
    dropped = sum(file.decode(key, Count) for key in _DROPPED if key in file)
    return Dump(tensors, dropped)


def read_totals(folder: Path) -> Totals:
    """Return what the manifest of a dump of our own says of all its tensors."""
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Totals)
    except (OSError, msgspec.MsgspecError) as error:
        raise InputError(folder / MANIFEST, f"cannot be read ({error})") from error


def find_manifest(path: Path) -> Path:
    """Return the JSON file of the dump that the path names; refuse none, and several."""
    if path.is_file():
        return path
    places = [path / place for place in _PLACES if (path / place).is_file()]
    places = places[:1] or sorted(path.glob(f"*.tensors/{MANIFEST}"))
    if len(places) > 1:
        names = ", ".join(place.parent.name for place in places[:4])
        raise UsageError(f"{path} holds {len(places)} tensor dumps ({names}); name one of them")
    if not places:
        expected = f"expected a folder with {MANIFEST} or args_dump.json"
        raise InputError(path, f"there is no tensor dump; {expected}")
    return places[0]


def _rows(file: JsonFile) -> tuple[list[tuple[TensorRecord, dict[str, Any]]], Path]:
    """Return the records, each with what only args_dump.json knows, and the binary file."""
    if "format" in file and file.decode("format", object) == FORMAT:
        version = file.decode("version", int) if "version" in file else None
        if version != VERSION:
            raise InputError(file.path, f"has the version {version}, expected {VERSION}")
        records = _decoded_key(file, "tensors", list[TensorRecord])
        rows = [(record, dict[str, Any]()) for record in records]
    elif is_arguments(file):
        rows = read_args(file)
    else:
        raise InputError(file.path, "is no tensor dump's manifest")
    name = _decoded_key(file, "bin_file", str)
    if name != file_name(name):
        raise InputError(
            file.path, f"bin_file is {name!r}, expected the name of a file beside this one"
        )
    return rows, file.path.with_name(name)


def _decoded_key(file: JsonFile, key: str, kind: type[Any]) -> Any:
    if key not in file:
        raise InputError(file.path, f"has no {key!r}")
    return file.decode(key, kind)


def _check(manifest: Path, index: int, record: TensorRecord) -> None:
    """Refuse a record that contradicts itself."""
    if record.dtype not in STORED:
        known = ", ".join(STORED)
        raise InputError(
            manifest, f"tensor {index} has the dtype {record.dtype[:40]!r}, expected one of {known}"
        )
    if prod(record.shape) != record.numel or len(record.strides) != len(record.shape):
        raise InputError(
            manifest,
            f"tensor {index} has the shape {list(record.shape)}, the strides "
            f"{list(record.strides)} and {record.numel} elements, which do not fit together",
        )
    whole = record.numel * np.dtype(STORED[record.dtype]).itemsize
    fits = record.bin_size < whole if record.truncated else record.bin_size in (0, whole)
    if record.kind == "tensor" and not fits:
        raise InputError(
            manifest,
            f"tensor {index} has {record.bin_size} bytes, but {record.numel} elements of "
            f"{record.dtype} take {whole}",
        )


def _decoded(stored: Array, dtype: str) -> Array:
    """Return stored values as numpy's type: bytes as bool, halves of floats as float32."""
    if dtype == "bool":
        return stored.astype(bool)
    if dtype == "bfloat16":
        return (stored.astype("<u4") << 16).view("<f4")
    return stored.astype(STORED[dtype], copy=False)
