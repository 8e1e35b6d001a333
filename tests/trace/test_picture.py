"""The small picture of a trace: lanes, sizes, and names that cannot become markup."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from lanescope.trace import MISSING, Meta, Table, Trace, Words, open_lazily, save
from lanescope.trace.picture import Band, lanes, picture
from lanescope.trace.table import LazyColumns

META = Meta(name="x", tool="test", origin="measured")


def traced(core: list[int], start_ns: list[int], end_ns: list[int], kinds: list[str]) -> Trace:
    words = Words()
    tasks = {"core": np.array(core, np.int32), "start_ns": start_ns, "end_ns": end_ns}
    cores = {"core": np.arange(len(kinds), dtype=np.int32), "kind": words.codes(kinds)}
    return Trace(
        meta=META,
        tasks=Table.build("tasks", tasks),
        cores=Table.build("cores", cores),
        words=words.freeze(),
    )


def paths(svg: str) -> list[tuple[str, str]]:
    """Shape and colour of every lane."""
    return re.findall(r'<path d="(.*?)" fill="(.*?)"/>', svg)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.text]


def test_a_few_cores_get_a_lane_each_in_the_order_of_their_kinds() -> None:
    assert lanes({0: "aic", 1: "aiv", 2: "aic"}) == [
        Band("aic", (0,)),
        Band("aic", (2,)),
        Band("aiv", (1,)),
    ]


def test_many_cores_share_lanes_with_their_own_kind() -> None:
    kinds = {core: "aic" if core < 24 else "aiv" for core in range(72)}
    shared = lanes(kinds)
    assert [lane.cores for lane in shared[:2]] == [(0, 1, 2), (3, 4, 5)]
    assert [lane.kind for lane in shared] == ["aic"] * 8 + ["aiv"] * 16


def test_lanes_have_as_few_cores_as_32_of_them_allow() -> None:
    """11 kinds of 7 cores: two cores a lane are 44 lanes, three are 33, and four are 22."""
    kinds = {core: f"kind {core // 7}" for core in range(77)}
    shared = lanes(kinds)
    assert len(shared) == 22
    assert [len(lane.cores) for lane in shared[:2]] == [4, 3]
    assert len(lanes(dict.fromkeys(range(32), "sm"))) == 32
    assert [len(lane.cores) for lane in lanes(dict.fromkeys(range(33), "sm"))][-1] == 1


def test_more_kinds_than_lanes_are_cut() -> None:
    assert len(lanes({core: f"kind {core}" for core in range(100)})) == 32
    assert len(lanes(dict.fromkeys(range(100_000), "sm"))) <= 32


def test_many_cores_of_many_kinds_get_their_lanes_at_once() -> None:
    """Trying every number of cores per lane in turn would take minutes here."""
    kinds = {core: f"kind {core}" if core < 40_000 else "sm" for core in range(80_000)}
    assert [len(lane.cores) for lane in lanes(kinds)] == [1] * 32


def test_a_lane_is_as_high_as_its_core_was_busy() -> None:
    """Core 0 is busy in the first half of 160 ns, core 1 all the time."""
    svg = picture(traced([0, 1], [0, 0], [80, 160], ["aic", "aiv"]))
    assert paths(svg) == [
        ("M130 12v-12h320v12h320V12z", "#4382c9"),
        ("M130 26v-12h640V26z", "#c47a1c"),
    ]
    assert texts(svg) == [
        "Busy over time, a lane per core",
        "aic, 1 core",
        "aiv, 1 core",
        "0 ns",
        "busy over time, a lane per core",
        "160 ns",
    ]


def test_half_busy_is_half_as_high_and_little_is_not_nothing() -> None:
    """Bins of 100 ns: the first is busy for 50 ns and the last for 1 ns."""
    few = picture(traced([0, 0], [0, 15_999], [50, 16_000], ["aic"]))
    assert paths(few)[0][0] == "M130 12v-6h4v6h632v-1h4V12z"


def test_a_lane_of_two_cores_is_full_when_both_are_busy() -> None:
    shared = picture(traced([0], [0], [160], ["aic"] * 64))
    assert paths(shared)[0][0] == "M130 12v-6h640V12z"


def test_cores_that_only_tasks_name_are_drawn_last() -> None:
    svg = picture(traced([7, 0], [0, 0], [10, 10], ["aic"]))
    assert [text for text in texts(svg) if "core" in text and "," in text][1:3] == [
        "aic, 1 core",
        "(unknown), 1 core",
    ]


def test_one_core_is_not_two_cores_and_a_kind_is_named_once() -> None:
    svg = picture(traced([0, 1, 2], [0, 0, 0], [10, 10, 10], ["aic", "aiv", "aiv"]))
    assert texts(svg)[1:3] == ["aic, 1 core", "aiv, 2 cores"]
    shared = picture(traced([0], [0], [10], ["a_long_kind_of_core"] * 64))
    assert texts(shared)[0] == "Busy over time, a lane per 2 cores"
    assert texts(shared)[1:2] == ["a_long_ki…, 64 cores"]


def test_names_are_text_and_not_markup() -> None:
    svg = picture(traced([0], [0], [10], ["<b>&\x00"]))
    assert "<b>" not in svg
    assert "<b>&\N{REPLACEMENT CHARACTER}, 1 core" in texts(svg)


def test_nothing_ran_nothing_is_drawn() -> None:
    assert picture(Trace(meta=META)) == ""
    assert picture(traced([0], [MISSING], [MISSING], ["aic"])) == ""
    assert picture(traced([-(2**31)], [0], [10], ["aic"])) == ""


def test_a_moment_without_length_is_drawn() -> None:
    assert paths(picture(traced([0], [5], [5], ["aic"]))) == [("M130 12h640V12z", "#4382c9")]


def test_the_worst_picture_stays_small() -> None:
    """Every bin of every lane differs from its neighbours."""
    rng = np.random.default_rng(3)
    count = 200_000
    start = rng.integers(0, 10**12, count)
    length = rng.integers(0, 2, count) * rng.integers(1, 2 * 10**8, count)
    kinds = [f"&&&&&&&&&&&&{core}" for core in range(32)]
    core = rng.integers(0, 32, count)
    svg = picture(traced(core.tolist(), start.tolist(), (start + length).tolist(), kinds))
    assert max(shape.count("v") for shape, _ in paths(svg)) > 100
    assert len(svg.encode()) < 60_000


def test_a_lazily_opened_trace_reads_three_columns_for_it(tmp_path: Path) -> None:
    trace = traced([0, 1], [0, 0], [80, 160], ["aic", "aiv"])
    save(trace, tmp_path / "x.lanes")
    lazy = open_lazily(tmp_path / "x.lanes")
    assert picture(lazy) == picture(trace)
    assert isinstance(lazy.tasks.columns, LazyColumns)
    assert set(lazy.tasks.columns._kept) == {"core", "start_ns", "end_ns"}


def test_the_whole_picture_of_two_cores() -> None:
    """160 bins of 10 ns, 4 pixels each: core 0 is busy in the first half, core 1 for 5 ns twice.

    Tasks of one core that overlap are not busier than busy.
    """
    trace = traced([0, 0, 1, 1], [0, 100, 0, 1595], [800, 500, 5, 1600], ["aic", "aiv"])
    text = 'text-anchor="{}">{}</text>'
    assert picture(trace) == "".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" width="770" height="46" ',
            'viewBox="0 0 770 46" role="img" style="max-width:100%">',
            "<title>Busy over time, a lane per core</title>",
            '<g font-size="11" font-family="sans-serif" fill="currentColor">',
            '<text x="124" y="10" ' + text.format("end", "aic, 1 core"),
            '<text x="124" y="24" ' + text.format("end", "aiv, 1 core"),
            '<rect x="130" y="0" width="640" height="12" fill-opacity=".07"/>',
            '<path d="M130 12v-12h320v12h320V12z" fill="#4382c9"/>',
            '<rect x="130" y="14" width="640" height="12" fill-opacity=".07"/>',
            '<path d="M130 26v-6h4v6h632v-6h4V26z" fill="#c47a1c"/>',
            '<text x="130" y="41" ' + text.format("start", "0 ns"),
            '<text x="450" y="41" ' + text.format("middle", "busy over time, a lane per core"),
            '<text x="770" y="41" ' + text.format("end", "1,600 ns"),
            "</g></svg>",
        ]
    )
