"""Whether a stored trace is still what was written: the file checksums.json with sizes and hashes.

    checksums.json   {"files": {"tasks.parquet": {"bytes": …, "sha256": …, "footer_crc32": …,
                                                  "rows": …}, …}}

Opening a trace checks what is cheap: the size of every file, a table's footer, and every page that
is read, by its own checksum. `damaged_files` reads everything. Traces of 0.1.0 have none of this
and are opened without.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from lanescope.errors import InputError
from lanescope.render.names import file_name
from lanescope.trace.later import pa
from lanescope.trace.places import Place, PlaceLike, place_of, reading

CHECKSUMS = "checksums.json"
_BLOCK = 1 << 23
_TAIL = 8
"""Bytes behind a Parquet footer: its length, and the word PAR1."""
_LARGEST_FOOTER = 1 << 26


class StoredFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one file of a stored trace was when it was written."""

    bytes: int
    sha256: str
    footer_crc32: int | None = None
    """Of a table: checksum of the part that says where the columns are."""
    rows: int | None = None
    """Of a table: how many rows it has. None where an earlier version wrote it."""


class Checksums(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The files of a stored trace, by name."""

    files: dict[str, StoredFile]

    def require_whole(self, file: Place, stream: Any) -> None:
        """Raise InputError where a table's opened file has another size or another footer.

        What is in memory already is compared whole.
        """
        written = self.files.get(file.name)
        if written is None:
            return
        size = stream.size()
        if size != written.bytes:
            problem = f"is damaged (it has {size:,} bytes, {written.bytes:,} were written)"
            raise InputError(file, f"{problem}; {_advice(file)}")
        if written.footer_crc32 is not None and _footer_crc32(stream) != written.footer_crc32:
            raise InputError(file, f"is damaged (its footer changed); {_advice(file)}")
        if isinstance(stream, pa.BufferReader) and _sha256(stream) != written.sha256:
            raise InputError(file, f"is damaged (its content changed); {_advice(file)}")
        stream.seek(0)

    def has_no_rows(self, file: Place) -> bool:
        """Whether a table is known to be empty without a look at its file."""
        written = self.files.get(file.name)
        return written is not None and written.rows == 0


def write_checksums(folder: Path, rows: Mapping[str, int]) -> None:
    """Write the checksums of all files that are in a folder; `rows` is by name of a table."""
    files = {file.name: _stored(file, rows.get(file.stem)) for file in sorted(folder.iterdir())}
    encoded = msgspec.json.format(msgspec.json.encode(Checksums(files)), indent=2)
    (folder / CHECKSUMS).write_bytes(encoded + b"\n")


def read_checksums(folder: PlaceLike) -> Checksums:
    """The checksums of a stored trace; an empty one for a trace that is older than checksums."""
    file = place_of(folder) / CHECKSUMS
    try:
        return msgspec.json.decode(file.read_bytes(), type=Checksums)
    except (FileNotFoundError, NotADirectoryError):
        return Checksums({})
    except OSError as error:
        raise InputError(file, f"cannot be read ({error.strerror})") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(file, f"is damaged ({error}); {_advice(file)}") from error


def changed_meta(checksums: Checksums, text: bytes) -> str:
    """A sentence where meta.json is not what was written; it may have been edited by hand."""
    written = checksums.files.get("meta.json")
    if written is None or hashlib.sha256(text).hexdigest() == written.sha256:
        return ""
    return "meta.json was changed after the trace was written."


def damaged_files(folder: PlaceLike, checksums: Checksums | None = None) -> dict[str, str]:
    """Name of each file that is not what was written → what is wrong with it. Reads every byte.

    Raises:
        InputError: the folder has no checksums that can be read.
    """
    place = place_of(folder)
    checksums = read_checksums(place) if checksums is None else checksums
    if not checksums.files:
        raise InputError(place, "has no checksums: lanescope 0.1 wrote it, so nothing can be said")
    found = {}
    for name, written in checksums.files.items():
        own = name == file_name(name)
        problem = _damage(place / name, written) if own else "is not in the trace's own folder"
        if problem:
            found[name] = problem
    return found


def _damage(file: Place, written: StoredFile) -> str:
    """What is wrong with a file; nothing where it is what was written."""
    if file.local is not None and not file.local.is_file():
        return "is missing"
    try:
        stream = file.open()
    except FileNotFoundError:
        return "is missing"
    with stream, reading(file):
        if (size := stream.size()) != written.bytes:
            return f"has {size:,} bytes, {written.bytes:,} were written"
        same = _sha256(stream) == written.sha256
    return "" if same else "has the right size and another content"


def _stored(file: Path, rows: int | None) -> StoredFile:
    with Place(str(file)).open_unmapped() as stream:
        footer = _footer_crc32(stream) if file.suffix == ".parquet" else None
        return StoredFile(stream.size(), _sha256(stream), footer, rows)


def _sha256(stream: Any) -> str:
    stream.seek(0)
    digest = hashlib.sha256()
    while block := stream.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _footer_crc32(stream: Any) -> int:
    """Checksum of a Parquet file's footer; of its last bytes where it has none."""
    size = stream.size()
    stream.seek(max(size - _TAIL, 0))
    tail = stream.read(_TAIL)
    length = min(int.from_bytes(tail[:4], "little"), _LARGEST_FOOTER)
    stream.seek(max(size - _TAIL - length, 0))
    return zlib.crc32(stream.read(length + _TAIL))


def _advice(file: Place) -> str:
    again = "" if file.local is not None else "if it was just replaced, read it again; else "
    return f"{again}import the source again, or take a copy"
