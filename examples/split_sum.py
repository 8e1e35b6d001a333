"""A large product in tiles: a cube core multiplies each, then a vector core adds it to a sum.

lanescope run examples/split_sum.py --set sums=8
"""

from lanescope import GraphBuilder


def graph(*, tiles: int = 192, sums: int = 1) -> GraphBuilder:
    """Tiles go to `sums` partial sums in turn, and MERGE adds these up in the end.

    An ADD reads what the last ADD of the same sum wrote, so it has to wait for it.
    """
    builder = GraphBuilder("split_sum")
    last: dict[int, int] = {}
    for tile in range(tiles):
        number = tile % sums
        product = builder.task("MULTIPLY", kind="aic", spin_ns=40_000)
        after = [product, last[number]] if number in last else [product]
        last[number] = builder.task("ADD", kind="aiv", after=after, spin_ns=3_000)
    builder.task("MERGE", kind="aiv", after=list(last.values()), spin_ns=1_000 * sums)
    builder.vary("MULTIPLY", sigma_ns=400)
    builder.vary("ADD", sigma_ns=100)
    return builder
