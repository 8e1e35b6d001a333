"""Whether a stored trace is still what was written: the file checksums.json with sizes and hashes.

    checksums.json   {"files": {"tasks.parquet": {"bytes": …, "sha256": …, "footer_crc32": …}, …}}

Opening a trace checks what is cheap: the size of every file, a table's footer, and every page that
is read, by its own checksum. `damaged_files` reads everything. Traces of 0.1.0 have none of this
and are opened without.
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

import msgspec

from lanescope.errors import InputError

CHECKSUMS = "checksums.json"
_BLOCK = 1 << 20
_TAIL = 8
"""Bytes behind a Parquet footer: its length, and the word PAR1."""
_LARGEST_FOOTER = 1 << 26
_ADVICE = "import the source again, or take a copy"


class StoredFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one file of a stored trace was when it was written."""

    bytes: int
    sha256: str
    footer_crc32: int | None = None
    """Of a table: checksum of the part that says where the columns are."""


class Checksums(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The files of a stored trace, by name."""

    files: dict[str, StoredFile]

    def require_whole(self, file: Path) -> None:
        """Raise InputError where a table's file is shorter or longer, or its footer changed."""
        written = self.files.get(file.name)
        if written is None or not file.exists():
            return
        size = file.stat().st_size
        if size != written.bytes:
            problem = f"is damaged (it has {size:,} bytes, {written.bytes:,} were written)"
            raise InputError(file, f"{problem}; {_ADVICE}")
        if written.footer_crc32 is not None and _footer_crc32(file) != written.footer_crc32:
            raise InputError(file, f"is damaged (its footer changed); {_ADVICE}")


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files that are in a folder."""
    files = {file.name: _stored(file) for file in sorted(folder.iterdir())}
    encoded = msgspec.json.format(msgspec.json.encode(Checksums(files)), indent=2)
    (folder / CHECKSUMS).write_bytes(encoded + b"\n")


def read_checksums(folder: Path) -> Checksums:
    """The checksums of a stored trace; an empty one for a trace that is older than checksums."""
    file = folder / CHECKSUMS
    try:
        return msgspec.json.decode(file.read_bytes(), type=Checksums)
    except FileNotFoundError:
        return Checksums({})
    except OSError as error:
        raise InputError(file, f"cannot be read ({error.strerror})") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(file, f"is damaged ({error}); {_ADVICE}") from error


def changed_meta(folder: Path, checksums: Checksums, text: bytes) -> str:
    """A sentence where meta.json is not what was written; it may have been edited by hand."""
    written = checksums.files.get("meta.json")
    if written is None or hashlib.sha256(text).hexdigest() == written.sha256:
        return ""
    return "meta.json was changed after the trace was written."


def damaged_files(folder: Path) -> dict[str, str]:
    """Name of each file that is not what was written → what is wrong with it. Reads every byte.

    Raises:
        InputError: the folder has no checksums that can be read.
    """
    checksums = read_checksums(folder)
    if not checksums.files:
        raise InputError(folder, "has no checksums: lanescope 0.1 wrote it, so nothing can be said")
    found = {}
    for name, written in checksums.files.items():
        file = folder / name
        if not file.is_file():
            found[name] = "is missing"
        elif (size := file.stat().st_size) != written.bytes:
            found[name] = f"has {size:,} bytes, {written.bytes:,} were written"
        elif _sha256(file) != written.sha256:
            found[name] = "has the right size and another content"
    return found


def _stored(file: Path) -> StoredFile:
    footer = _footer_crc32(file) if file.suffix == ".parquet" else None
    return StoredFile(file.stat().st_size, _sha256(file), footer)


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _footer_crc32(file: Path) -> int:
    """Checksum of a Parquet file's footer; of its last bytes where it has none."""
    with file.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(size - _TAIL, 0))
        tail = stream.read(_TAIL)
        length = min(int.from_bytes(tail[:4], "little"), _LARGEST_FOOTER)
        stream.seek(max(size - _TAIL - length, 0))
        return zlib.crc32(stream.read(length + _TAIL))
