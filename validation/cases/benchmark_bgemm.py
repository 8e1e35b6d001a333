"""benchmark_bgemm of the simpler runtime: 250 groups of two products, each added to its sum.

Source of shape and lengths: huawei-csl/simpler, examples/a2a3/host_build_graph/benchmark_bgemm
(Case0: 500 products, two per group), docs/asim/calib/benchmark_bgemm.calib (means) and
docs/asim/log.md (coefficients of variation, 13 and 19 %).
"""

from __future__ import annotations

from lanescope import GraphBuilder

GEMM_NS, ADD_NS = 21_010, 10_512
SOURCE = "huawei-csl/simpler docs/asim/log.md, 2026-09-01: 13 % of the mean (GEMM), 19 % (ADD)"


def graph(groups: int = 250, products: int = 2) -> GraphBuilder:
    """Matrix products, each followed by its addition to the group's sum; lengths as recorded."""
    builder = GraphBuilder("benchmark_bgemm")
    builder.vary("GEMM", sigma_ns=0.13 * GEMM_NS, basis="published", source=SOURCE)
    builder.vary("ADD", sigma_ns=0.19 * ADD_NS, basis="published", source=SOURCE)
    for _ in range(groups):
        last: list[int] = []
        for _ in range(products):
            product = builder.task("GEMM", kind="aic", spin_ns=GEMM_NS)
            last = [builder.task("ADD", kind="aiv", spin_ns=ADD_NS, after=[product, *last])]
    return builder
