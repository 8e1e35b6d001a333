"""What differs between two predictions."""

from __future__ import annotations

from tests.model.schedule.counted import SHORTER, TEXT, predicted

from lanescope.model.schedule.difference import CycleChange, difference


def test_figures_are_the_seconds_less_the_firsts() -> None:
    change = difference(predicted(), predicted(SHORTER))
    assert change.figures["serial"] == -2 * 72 - 2
    assert change.busy["matrix"] == -144
    assert change.opcodes == (
        CycleChange("M_MM", (6, 4), (432, 288)),
        CycleChange("C_LOOP_END", (8, 6), (8, 6)),
    )
    assert change.regions == (CycleChange("product", (17, 13), (443, 297)),)
    assert [one.more_cycles for one in change.opcodes] == [-144, -2]


def test_figures_of_every_sort_are_subtracted() -> None:
    """A prefetch moves 8192 bytes; another one waits until the first has arrived."""
    line = "H_PREFETCH_M gp0, gp0, a0, 1, 0\n"
    first, second = predicted(2 * line), predicted(3 * line)
    assert first.traffic.traffic_bytes == 2 * 8192
    assert first.overlapped is not None and second.overlapped is not None
    assert difference(first, second).figures == {
        "serial": first.serial // 2,
        "instructions": 1,
        "traffic_bytes": 8192,
        "overlapped": second.overlapped.cycles - first.overlapped.cycles,
        "critical_path": second.overlapped.critical_path - first.overlapped.critical_path,
    }


def test_its_dict_leaves_the_predictions_out() -> None:
    change = difference(predicted(), predicted(SHORTER)).to_dict()
    assert list(change) == ["figures", "busy", "opcodes", "sections", "regions"]
    assert change["regions"] == [
        {"name": "product", "instructions": [17, 13], "cycles": [443, 297]}
    ]


def test_equal_predictions_differ_in_nothing() -> None:
    same = difference(predicted(), predicted())
    assert (same.opcodes, same.sections, same.regions) == ((), (), ())
    assert set(same.figures.values()) == {0}
    assert "nothing, by opcode or section" in same.text()


def test_its_text_has_a_table_per_grouping_that_differs() -> None:
    text = difference(predicted(), predicted(SHORTER)).text(top=1)
    assert "What differs, by opcode (1 of 2)" in text
    assert "What differs, by region" in text


def test_it_prints_itself_without_its_tables() -> None:
    text = repr(difference(predicted(), predicted(SHORTER)))
    assert "figures=" in text
    assert not any(f"{name}=" in text for name in ("opcodes", "sections", "regions"))


def test_opcodes_that_cost_nothing_differ_by_their_number() -> None:
    one, two = (predicted("V_RED_SUM f0, gp0\n" * n + TEXT) for n in (1, 2))
    (change,) = difference(one, two).opcodes
    assert (change.name, change.instructions) == ("V_RED_SUM", (3, 4))
    assert change.more_cycles == 0


def test_an_opcode_of_one_prediction_alone_is_compared_with_nothing() -> None:
    line = "M_MM 0, gp0, gp0\n"
    none, one = predicted("S_LUI_INT gp1, 1\n"), predicted("S_LUI_INT gp1, 1\n" + line)
    for before, after, counts, cycles in (
        (none, one, (0, 1), (0, 72)),
        (one, none, (1, 0), (72, 0)),
    ):
        (change,) = difference(before, after).opcodes
        assert (change.name, change.instructions, change.cycles) == ("M_MM", counts, cycles)
