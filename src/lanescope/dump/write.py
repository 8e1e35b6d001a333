"""Writes a dump: values as they come, into a temporary file that is renamed at the end.

A dump that an earlier run left in the same folder stays whole until then.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
import numpy.typing as npt

from lanescope.dump.manifest import AFTER, BEFORE, MANIFEST, VALUES, TensorRecord, Totals
from lanescope.errors import OutputError
from lanescope.formats.output import atomic_output

Array = npt.NDArray[Any]

TENSOR_LIMIT_BYTES = 1 << 20
TOTAL_LIMIT_BYTES = 1 << 30


@dataclass(frozen=True, kw_only=True)
class DumpRequest:
    """Which tensors to dump, where to, and how much at most."""

    folder: Path
    select: str = ""
    """Functions, tasks and stages, such as "add,17,outputs"; empty: all tensors."""
    tensor_limit_bytes: int = TENSOR_LIMIT_BYTES
    """Bytes of one tensor that are stored; a longer one ends after its last whole element."""
    total_limit_bytes: int = TOTAL_LIMIT_BYTES
    """Bytes of the whole dump; from the first tensor that does not fit on, all are dropped."""


class DumpFile:
    """A dump while it is written. Use it in a `with` block; `totals` is final after the block."""

    def __init__(self, request: DumpRequest, run: str) -> None:
        self._request = request
        self._run = run
        self._part = request.folder / f"{VALUES}.part"
        self._records: list[TensorRecord] = []
        self._bytes = 0
        self._dropped = 0
        self._full = False
        self._open: int
        """Bytes of the tensor that was begun and not ended."""
        self._problem = ""
        self._values: BinaryIO | None = None

    def __enter__(self) -> DumpFile:
        try:
            self._part.parent.mkdir(parents=True, exist_ok=True)
            self._values = self._part.open("wb", buffering=0)
        except OSError as error:
            raise OutputError(
                f"{self._part} could not be written ({error.strerror or error}); "
                "choose another place with -o"
            ) from error
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        assert self._values is not None
        self._values.close()
        if kind is None:
            self._publish()
            return
        with suppress(OSError):
            self._part.unlink()
            self._part.parent.rmdir()

    def add(self, values: Array, **fields: Any) -> None:
        """Write one tensor's present values; `fields` are those of its record that are not here."""
        kept = min(values.size, self._request.tensor_limit_bytes // values.itemsize)
        size = kept * values.itemsize
        self._full |= self._bytes + size > self._request.total_limit_bytes
        if self._full:
            self._dropped += 1
            return
        whole = kept == values.size
        self._append(np.ascontiguousarray(values) if whole else values.flat[:kept])
        if self._full:
            self._dropped += 1
            return
        self._records.append(
            TensorRecord(
                dtype=values.dtype.name,
                shape=values.shape,
                numel=values.size,
                bin_offset=self._bytes,
                bin_size=size,
                truncated=not whole,
                **fields,
            )
        )
        self._bytes += size

    def begin(self) -> None:
        """Begin a tensor whose bytes come in pieces; `end` says what it is."""
        self._open = 0

    def append(self, stored: Array) -> None:
        """Append bytes of the tensor that was begun; where the disk is full, they are left out."""
        if not self._full:
            self._append(stored)
            self._open += stored.size

    def end(self, **fields: Any) -> None:
        """End the tensor that was begun; `fields` are those of its record that are not here."""
        if self._full:
            self._dropped += 1
            return
        self._records.append(TensorRecord(bin_offset=self._bytes, bin_size=self._open, **fields))
        self._bytes += self._open

    def drop(self, count: int) -> None:
        """Count tensors that never came here."""
        self._dropped += count

    def _append(self, values: Array) -> None:
        """Append values to the file. A full disk ends the dump and not the run."""
        assert self._values is not None
        rest = values.reshape(-1).view(np.uint8).data
        try:
            while rest:
                rest = rest[self._values.write(rest) :]
        except OSError as error:
            self._full = True
            self._problem = self._sentence(error)
            with suppress(OSError):
                self._values.truncate(self._bytes)

    def _sentence(self, error: OSError) -> str:
        return (
            f"the tensors in {self._request.folder} could not all be written "
            f"({error.strerror or error}); free some space, select fewer or lower --dump-total"
        )

    @property
    def totals(self) -> Totals:
        """Counts of what was written so far."""
        roles = Counter(record.role for record in self._records)
        stages = Counter(record.stage for record in self._records)
        return Totals(
            run=self._run,
            select=self._request.select,
            bin_bytes=self._bytes,
            count=len(self._records),
            before=stages[BEFORE],
            after=stages[AFTER],
            inputs=roles["input"],
            outputs=roles["output"],
            inouts=roles["inout"],
            truncated=sum(record.truncated for record in self._records),
            dropped=self._dropped,
            tensor_limit_bytes=self._request.tensor_limit_bytes,
            total_limit_bytes=self._request.total_limit_bytes,
            problem=self._problem,
        )

    def _publish(self) -> None:
        """Rename the values, then write the manifest: it never names values that are not there."""
        manifest = self._request.folder / MANIFEST
        try:
            manifest.unlink(missing_ok=True)
            self._part.replace(self._part.with_name(VALUES))
            self._write_manifest(manifest)
        except OSError as error:
            self._problem = self._sentence(error)
        except OutputError as error:
            self._problem = str(error)

    def _write_manifest(self, path: Path) -> None:
        """Write the head, then one line per tensor."""
        encode = msgspec.json.Encoder().encode
        with atomic_output(path) as file:
            file.write(encode(self.totals)[:-1] + b',"tensors":[')
            for number, record in enumerate(self._records):
                file.write((b",\n" if number else b"\n") + encode(record))
            file.write(b"\n]}\n")
