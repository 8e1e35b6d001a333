"""One decoder layer of a transformer, as it makes one token for each sequence of a batch.

norm ─► q, k, v ─► attention per head ─► output ─► norm ─► gate, up ─► multiply ─► down
                   (scores, softmax, values)

Projections are cut into tiles of the output's columns, attention into heads.
"""

from __future__ import annotations

from collections.abc import Sequence

from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.kernels import matmul_kernel, softmax_kernel, vector_kernel


def decode_layer(
    *,
    batch: int = 16,
    hidden: int = 4096,
    heads: int = 32,
    context: int = 2048,
    inner: int = 11008,
    tile: int = 512,
) -> TaskGraph:
    """A decoder layer for one token per sequence; the default shape is that of a 7-billion model.

    The shape (hidden 4096, 32 heads, inner 11008) is LLaMA-7B's (arXiv 2302.13971, table 2, and
    its released configuration); batch, context and tile are our choice.
    """
    builder = GraphBuilder("decode_layer")
    size = hidden // heads

    def project(name: str, after: Sequence[int], depth: int, columns: int) -> list[int]:
        kernel = matmul_kernel(batch, min(tile, columns), depth)
        count = -(-columns // tile)
        return [builder.task(name, kind="aic", after=after, kernel=kernel) for _ in range(count)]

    def elementwise(name: str, after: Sequence[int], columns: int) -> int:
        return builder.task(name, kind="aiv", after=after, kernel=vector_kernel(batch * columns))

    first = elementwise("norm", [], hidden)
    query, key, value = (project(n, [first], hidden, hidden) for n in ("q", "k", "v"))
    outputs = []
    for head in range(heads):
        at = head * size // tile
        scores = builder.task(
            "scores",
            kind="aic",
            after=[query[at], key[at]],
            kernel=matmul_kernel(batch, context, size),
        )
        soft = builder.task(
            "softmax", kind="aiv", after=[scores], kernel=softmax_kernel(batch, context)
        )
        outputs.append(
            builder.task(
                "values",
                kind="aic",
                after=[soft, value[at]],
                kernel=matmul_kernel(batch, size, context),
            )
        )
    attended = project("output", outputs, hidden, hidden)
    second = elementwise("norm", attended, hidden)
    gate, up = (project(name, [second], hidden, inner) for name in ("gate", "up"))
    multiplied = elementwise("multiply", [*gate, *up], inner)
    project("down", [multiplied], inner, hidden)
    return builder.graph()
