"""What runs inside a worker: a function over the keys of one batch, failures as sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lanescope.errors import LanescopeError

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Failure:
    """A key without an answer."""

    key: str
    why: str
    """What happened, in one sentence."""
    tries: int
    """How often the key was tried."""


def run_batch(
    function: Callable[[str], Answer], keys: Sequence[str]
) -> list[tuple[str, Answer | Failure]]:
    """Each key with its answer, or with its failure where the key cannot be read."""
    return [(key, _answer(function, key)) for key in keys]


def _answer(function: Callable[[str], Answer], key: str) -> Answer | Failure:
    try:
        return function(key)
    except LanescopeError as error:
        return Failure(key, str(error), 1)
    except OSError as error:
        return Failure(key, f"{error.filename or key}: {error.strerror or error}", 1)
    except MemoryError:
        return Failure(key, f"{key}: the worker's memory does not hold it", 1)
