"""A file system that a URL names, opened by pyarrow, with limits on how long it is waited for.

pyarrow alone asks an S3 store that does not answer again for up to five minutes, and one of Google
for fifteen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import SplitResult, parse_qs

from lanescope.errors import InputError, UsageError
from lanescope.trace.later import pa

SCHEMES = ("s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs")
ADVICE = "check the address, the credentials and the network, then try again"
_CONNECT_S = 5.0
_SILENCE_S = 10.0
"""How long a store may send nothing before a request is given up and made again."""
_ATTEMPTS = 3
_GOOGLE_RETRY_S = 15


@dataclass(frozen=True, slots=True)
class Store:
    """An opened file system, and what stands in URLs before and behind the keys in it."""

    filesystem: Any = field(compare=False)
    root: str
    """Path of the file system to which keys are added: the bucket, or nothing."""
    base: str
    """What a URL has before the key, as it was given: scheme, credentials, bucket."""
    shown: str
    """The same without credentials, for people."""
    query: str = ""

    def path(self, key: str) -> str:
        """A key as the file system wants it."""
        return "/".join(part for part in (self.root.rstrip("/"), key) if part) or self.root


def store_of(url: SplitResult) -> Store:
    """The file system of a URL, opened once per bucket and options.

    Raises:
        UsageError: the scheme or an option is not known.
        InputError: the file system cannot be opened.
    """
    base = f"{url.scheme}://{url.netloc}"
    if url.scheme not in SCHEMES:
        raise UsageError(
            f"expected a path, or a URL that begins with file://, "
            f"{', '.join(f'{one}://' for one in SCHEMES)}, found {_shown(url)}"
        )
    return _opened(base, url.query, _shown(url))


def handed_in(filesystem: Any) -> Store:
    """A file system of the caller's, whose options stay as they are."""
    scheme = f"{filesystem.type_name}:/"
    return Store(filesystem, "", scheme, scheme)


def reason_of(error: Exception) -> str:
    """Why a store did not do as asked, in one line."""
    first = next(iter(str(error).splitlines()), "") or type(error).__name__
    at = max(first.find("AWS Error"), 0)
    return first[at:].partition(" error_info=")[0].rstrip(".")


@lru_cache(maxsize=32)
def _opened(base: str, query: str, shown: str) -> Store:
    from pyarrow import fs

    google = base.startswith(("gs://", "gcs://")) and "retry_limit_seconds" not in parse_qs(query)
    limits = [f"retry_limit_seconds={_GOOGLE_RETRY_S}"] if google else []
    options = "&".join([*([query] if query else []), *limits])
    try:
        filesystem, root = fs.FileSystem.from_uri(f"{base}/" + (f"?{options}" if options else ""))
    except pa.ArrowInvalid as error:
        problem = str(error).replace(base, shown).replace(f"?{options}", "")
        raise UsageError(f"{shown}: this URL cannot be used ({problem})") from error
    except (OSError, pa.ArrowException) as error:
        raise InputError(shown, f"cannot be opened ({reason_of(error)}); {ADVICE}") from error
    if filesystem.type_name == "s3":
        filesystem = _with_limits(filesystem)
    return Store(filesystem, root, base, shown, query)


def _with_limits(found: Any) -> Any:
    """The same S3 file system with limits, for which URLs have no options.

    Its options are what it would be pickled with. A small file is written by one request, not by
    three.
    """
    from pyarrow import fs

    _, (options,) = found.__reduce__()
    limits: dict[str, Any] = {
        "connect_timeout": _CONNECT_S,
        "request_timeout": _SILENCE_S,
        "retry_strategy": fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
    }
    if "allow_delayed_open" in options:  # early versions of pyarrow lack it
        limits["allow_delayed_open"] = True
    return fs.S3FileSystem(**(options | limits))


def _shown(url: SplitResult) -> str:
    """Scheme and bucket without credentials; Azure's container stands before the @."""
    user, at, host = url.netloc.rpartition("@")
    container = user.partition(":")[0] if url.scheme.startswith("abfs") else ""
    return f"{url.scheme}://{container}{at if container else ''}{host}"
