"""The tables with the peer's figures, whole."""

from __future__ import annotations

from lanescope.analyze.analysis import Answers
from lanescope.analyze.controllers.peer import PeerKind, PeerOverhead, Quantiles
from lanescope.analyze.controllers.peer_section import PEER, peer_sections
from lanescope.render.plain import render_sections

TEXT = """\
Overhead as the simpler runtime's tools define it
  window           200 ns (first start to last end)
  all overhead     5.0% of it
  has overhead     10.0% of it
  switch bound     2 ns to 2 ns
  static CPM path  150 ns, 75.0% of it, in 3 tasks

  cores  used  overhead  switches  each ns  least/core ns  mean/core ns  most/core ns
  -----  ----  --------  --------  -------  -------------  ------------  ------------
  aiv       2     10.0%         4      2.5              2           5.0             8

  cores  with work ready
  -----  ---------------
  aiv              60.0%

Head and tail by the same tools
        p10 ns  p25 ns  p50 ns  p75 ns  p90 ns  p95 ns  p99 ns  max ns  mean ns
  ----  ------  ------  ------  ------  ------  ------  ------  ------  -------
  head       1       2       3       4       5       6       7       8      4.5
  tail       0       0       0       0       0       0       0       1      0.5
  Head: start after dispatch or after the core's last task, whichever is later. Tail: from end to
  finish.
"""


def test_both_tables() -> None:
    peer = PeerOverhead(
        window_ns=200,
        kinds=(PeerKind("aiv", 2, 20, 4, 10, 2, 8, 6),),
        all_overhead_ns=10,
        has_overhead_ns=20,
        head=Quantiles(2, (1, 2, 3, 4, 5, 6, 7), 8, 9),
        tail=Quantiles(2, (0,) * 7, 1, 1),
        static_cpm_ns=150,
        static_cpm_tasks=3,
    )
    assert render_sections(peer_sections(peer)) == TEXT


def test_a_kind_without_switches_has_no_share_of_them() -> None:
    none = Quantiles(1, (0,) * 7, 0, 0)
    peer = PeerOverhead(0, (PeerKind("aic", 1, 0, 0, 0, 0, 0, 0),), 0, 0, none, none, 0, 1)
    columns = {column.title: column.cells for column in peer_sections(peer)[0].columns}
    assert (columns["with work ready"], columns["each"]) == ((None,), (0.0,))


def test_no_figures_give_no_sections() -> None:
    assert PEER.sections(None, Answers({})) == []
