"""The token that agent and collector share, and how each shows the other that it has it.

The token never travels. Each end sends a random nonce, and proves by an HMAC over both nonces that
it knows the token. What follows is neither encrypted nor signed.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from pathlib import Path

from lanescope.errors import InputError, UsageError

VARIABLE = "LANESCOPE_TOKEN"
"""The environment variable that holds a token."""
NONCE_BYTES = 32
PROOF_BYTES = 32
_LEAST = 16
"""Fewest characters of a token."""


def new_token() -> str:
    """Return a random token."""
    return secrets.token_urlsafe(24)


def given_token(file: Path | None) -> str | None:
    """Return the token of a file, or else of the environment; None where there is neither.

    Raises:
        InputError: the file cannot be read, or others may use it.
        UsageError: the token is too short.
    """
    token = os.environ.get(VARIABLE) if file is None else _read(file)
    if token is not None and len(token) < _LEAST:
        where = VARIABLE if file is None else file
        raise UsageError(
            f"expected a token of {_LEAST} characters or more, found a shorter one in {where}"
        )
    return token


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            text = stream.read(1 << 16).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(file, f"the token cannot be read ({error})") from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(file, f"others may use the token's file; 'chmod 600 {file}' forbids it")
    return text


def proof_of(token: str, who: bytes, *nonces: bytes) -> bytes:
    """Return what shows that `who` knows the token; the nonces are the agent's, the collector's."""
    return hmac.digest(token.encode(), b"lanescope " + who + b"".join(nonces), "sha256")


def is_proof(found: bytes, token: str, who: bytes, *nonces: bytes) -> bool:
    """Say whether somebody has shown that they know the token."""
    return hmac.compare_digest(found, proof_of(token, who, *nonces))
