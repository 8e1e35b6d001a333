"""paged_attention with real numbers: queries against pages of keys and values.

Each request has 16 rows of queries. Each of its groups is a page of 64 tokens, which a block table
names. Requests share pages, as they do where prompts begin alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from lanescope.device.layouts import constant
from lanescope.native import Array
from lanescope.platforms.cuda.program import Check, compared, empty_works, passes_of
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.paged_attention import STEPS, paged_attention
from lanescope.workloads.seeded import small_numbers

PAGES = 64
"""Most pages of keys and values."""
TOLERANCE = 1e-5
"""Largest difference that is right, relative to the largest result: float32 sums of 64 products
are added in another order than numpy's."""


def is_attention(graph: TaskGraph) -> bool:
    """Say whether the graph is one of paged_attention, whatever the lengths of its tasks."""
    if graph.functions != STEPS or not len(graph) or graph.scopes is None:
        return False
    groups = int(graph.scopes[0][1] - graph.scopes[0][0]) // len(STEPS)
    if not groups or len(graph) % (groups * len(STEPS)):
        return False
    same = paged_attention(batches=len(graph) // (groups * len(STEPS)), groups=groups)
    return all(
        np.array_equal(getattr(graph, column), getattr(same, column))
        for column in ("func", "pred", "succ")
    )


class Attention:
    """The program of paged_attention: QK, SF, PV and UP for each group of each request."""

    def __init__(self, graph: TaskGraph) -> None:
        assert graph.scopes is not None  # is_attention() saw to that
        self._graph = graph
        self.groups = int(graph.scopes[0][1] - graph.scopes[0][0]) // len(STEPS)
        self.batches = len(graph) // (self.groups * len(STEPS))
        heads, depth = constant("LS_MEGA_HEADS"), constant("LS_MEGA_DEPTH")
        tokens = constant("LS_MEGA_TOKENS")
        self._shape = (heads, depth)
        self._sums = 2 * heads
        count = self.batches * self.groups
        pages = min(PAGES, count)
        # A step that has no common factor with the number of pages visits all of them.
        self.table = (np.arange(count) * 37 % pages).reshape(self.batches, self.groups)
        self.tensors: Mapping[str, Array] = {
            "queries": _numbers((self.batches, heads, depth), 1),
            "keys": _numbers((pages, tokens, depth), 2),
            "values": _numbers((pages, tokens, depth), 3),
            "scores": _poison(count, heads * tokens),
            "probabilities": _poison(count, heads * tokens + self._sums),
            "parts": _poison(count, heads * depth),
            "states": _poison(count, heads * depth + self._sums),
        }

    def works(self, address: Callable[[str], int]) -> Array:
        """Return a row of ls_mega_work for each task."""
        works = empty_works(len(self._graph))
        count = self.batches * self.groups
        number = np.arange(count, dtype=np.uint64)
        page = self.table.ravel().astype(np.uint64)

        def row(name: str, index: Array) -> Array:
            size = self.tensors[name][0].nbytes
            addresses: Array = np.uint64(address(name)) + index * np.uint64(size)
            return addresses

        qk, sf, pv, up = (works[step :: len(STEPS)] for step in range(len(STEPS)))
        for rows, op in zip((qk, sf, pv, up), STEPS, strict=True):
            rows["op"] = constant(f"LS_MEGA_{op}")
        qk["in"][:, 0] = row("queries", number // np.uint64(self.groups))
        qk["in"][:, 1] = row("keys", page)
        qk["out"] = sf["in"][:, 0] = row("scores", number)
        sf["out"] = pv["in"][:, 0] = row("probabilities", number)
        pv["in"][:, 1] = row("values", page)
        pv["out"] = up["in"][:, 0] = row("parts", number)
        up["in"][:, 1] = sf["out"] + np.uint64(self.tensors["scores"][0].nbytes)
        up["out"] = row("states", number)
        has_before = number % np.uint64(self.groups) != 0
        up["in"][:, 2] = np.where(has_before, row("states", number) - np.uint64(self._stride), 0)
        up["size"][:, 0] = has_before
        works["passes"] = passes_of(self._graph.amount)
        return works

    @property
    def _stride(self) -> int:
        return int(self.tensors["states"][0].nbytes)

    def check(self, read: Callable[[str], Array]) -> Check:
        """Compare the device's attention with numpy's."""
        last = read("states").reshape(self.batches, self.groups, -1)[:, -1]
        heads, depth = self._shape
        sums = last[:, heads * depth + heads :]
        computed = last[:, : heads * depth].reshape(-1, heads, depth) / sums[:, :, None]
        return compared(computed, self.reference(), tolerance=TOLERANCE, what="the attention")

    def reference(self) -> Array:
        """Return the attention in float64: softmax over all tokens of a request at once."""
        queries, keys, values = (
            self.tensors[name].astype(np.float64) for name in ("queries", "keys", "values")
        )
        depth = self._shape[1]
        parts = []
        for first in range(0, self.batches, 1024):
            table = self.table[first : first + 1024]
            own = keys[table].reshape(len(table), -1, depth)
            scores = queries[first : first + 1024] @ own.transpose(0, 2, 1) / np.sqrt(depth)
            weights = np.exp(scores - scores.max(axis=2, keepdims=True))
            weights /= weights.sum(axis=2, keepdims=True)
            parts.append(weights @ values[table].reshape(len(table), -1, depth))
        return np.concatenate(parts)


def _numbers(shape: tuple[int, ...], seed: int) -> Array:
    """Return multiples of 1/8 from -1 to 1."""
    numbers: Array = small_numbers(shape, np.float32, seed) / np.float32(8)
    return numbers


def _poison(rows: int, columns: int) -> Array:
    """Return NaNs, so that a value which the device does not write is noticed."""
    return np.full((rows, columns), np.nan, np.float32)
