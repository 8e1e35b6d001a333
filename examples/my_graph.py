"""A graph of one's own: layers of matrix products, each followed by a sum on a vector core.

lanescope run examples/my_graph.py --set layers=8 --platform a2a3
"""

from lanescope import GraphBuilder

WIDTH = 4


def graph(*, layers: int = 5) -> GraphBuilder:
    """Every layer multiplies four tiles after the sum of the layer before, then adds them up."""
    builder = GraphBuilder("my_graph")
    before: list[int] = []
    for _ in range(layers):
        tiles = [
            builder.task("MULTIPLY", kind="aic", after=before, spin_ns=5000) for _ in range(WIDTH)
        ]
        before = [builder.task("SUM", kind="aiv", after=tiles, spin_ns=2000)]
    return builder
