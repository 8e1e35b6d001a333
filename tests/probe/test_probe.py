"""The probe against simulated cores of every behaviour: it is told of none of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, cast

import pytest

from lanescope.device import perfmon
from lanescope.device.perfmon import POINTERS, SPACES
from lanescope.platforms.sim.bringup import SimulatedCore, Surroundings
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.engine import FORMS, Behaviour
from lanescope.probe import CANNOT_TELL, Findings, probe_engine
from lanescope.probe.run import ProbeOptions, _clearing

CHIP = load_chip("a5")
BUFFERS = [("linear", "byte_offset"), *(("ring", pointer) for pointer in POINTERS)]
BEHAVIOURS = [
    Behaviour(address=address, wrap=wrap, pointer=pointer, coherent=coherent, form=form,
              fixp_code=code)
    for address, (wrap, pointer), coherent, form, code in product(
        SPACES, BUFFERS, (True, False), FORMS, (6, 10)
    )
]  # fmt: skip
CONTENDED = Surroundings(owner_period=3)
STREAMS = {"virtual": "shared", "engine": "own", "physical": "untranslated"}


def truth(behaviour: Behaviour, surroundings: Surroundings) -> dict[str, str]:
    return {
        "address": "physical" if behaviour.address == "physical" else "virtual",
        "stream": STREAMS[behaviour.address],
        "form": behaviour.form,
        "fixp_code": str(behaviour.fixp_code),
        "buffer": f"{behaviour.wrap}, {behaviour.pointer}",
        "cache": "coherent" if behaviour.coherent else "needs invalidate",
        "owner": "contended" if surroundings.owner_period else "exclusive",
    }


def answers(findings: Findings) -> dict[str, str]:
    return {question: verdict.answer for question, verdict in findings.verdicts.items()}


@pytest.mark.parametrize("address", SPACES)
@pytest.mark.parametrize("owner", ["exclusive", "contended"])
def test_the_right_verdict_on_every_combination(owner: str, address: str) -> None:
    own = [behaviour for behaviour in BEHAVIOURS if behaviour.address == address]
    assert len(own) == 4 * 2 * 3 * 2
    around = CONTENDED if owner == "contended" else Surroundings()
    for behaviour in own:
        findings = probe_engine(SimulatedCore(CHIP, behaviour, around))
        assert answers(findings) == truth(behaviour, around), behaviour
        assert findings.complete
        assert all(verdict.evidence for verdict in findings.verdicts.values())


# ---- evidence removed ------------------------------------------------------------------------


def differing(
    behaviour: Behaviour,
    around: Surroundings,
    *,
    kind: str = "aic",
    options: ProbeOptions | None = None,
) -> dict[str, str]:
    """Answers that are not the truth."""
    found = answers(probe_engine(SimulatedCore(CHIP, behaviour, around, kind=kind), options))
    right = truth(behaviour, around)
    return {question: answer for question, answer in found.items() if answer != right[question]}


@pytest.mark.parametrize("behaviour", BEHAVIOURS[::7], ids=str)
def test_without_an_invalidate_stale_bytes_prove_nothing(behaviour: Behaviour) -> None:
    wrong = differing(behaviour, Surroundings(can_invalidate=False))
    assert wrong == ({} if behaviour.coherent else {"cache": CANNOT_TELL})


@pytest.mark.parametrize("behaviour", BEHAVIOURS[::7], ids=str)
def test_a_core_without_fixp_does_not_tell_its_code(behaviour: Behaviour) -> None:
    assert differing(behaviour, Surroundings(), kind="aiv") == {"fixp_code": CANNOT_TELL}


@pytest.mark.parametrize("behaviour", BEHAVIOURS[::7], ids=str)
def test_a_buffer_that_never_wraps_does_not_tell_how(behaviour: Behaviour) -> None:
    wrong = differing(behaviour, Surroundings(), options=ProbeOptions(wrap=False))
    assert wrong == {"buffer": CANNOT_TELL}


@pytest.mark.parametrize("behaviour", BEHAVIOURS[::7], ids=str)
def test_where_both_addresses_are_the_same_neither_is_right(behaviour: Behaviour) -> None:
    wrong = differing(behaviour, Surroundings(same_addresses=True))
    own = behaviour.address == "engine"
    assert wrong == ({} if own else {"address": CANNOT_TELL, "stream": CANNOT_TELL})


def evidence(findings: Findings, question: str) -> tuple[str, ...]:
    return findings.verdicts[question].evidence


@pytest.mark.parametrize("behaviour", BEHAVIOURS[::7], ids=str)
def test_a_physical_address_that_nobody_tells_is_an_answer(behaviour: Behaviour) -> None:
    findings = probe_engine(SimulatedCore(CHIP, behaviour, Surroundings(tells_physical=False)))
    if behaviour.address != "physical":
        assert answers(findings) == truth(behaviour, Surroundings())
        return
    assert {q for q, v in findings.verdicts.items() if v.answer != CANNOT_TELL} == {"owner"}
    last = evidence(findings, "address")[-1]
    assert last == "physical: this chip offers no physical address"


def test_without_a_physical_address_a_virtual_one_is_less_sure() -> None:
    findings = probe_engine(SimulatedCore(CHIP, surroundings=Surroundings(tells_physical=False)))
    assert findings.verdicts["address"].confidence == "medium"
    assert evidence(findings, "stream")[-1] == (
        "this chip offers no physical address, which may be the same"
    )


def test_a_stream_of_its_own_is_asked_for_apart() -> None:
    own = Behaviour(address="engine")
    findings = probe_engine(SimulatedCore(CHIP, own, Surroundings(can_map=False)))
    seen = evidence(findings, "stream")
    assert seen[0].endswith("18 written, its pattern is untouched")
    assert seen[1] == "engine: this chip offers no address of a stream of the engine's own"
    assert seen[2].startswith("physical 0x20") and seen[2].endswith("its pattern is untouched")
    assert {q for q, v in findings.verdicts.items() if v.answer != CANNOT_TELL} == {"owner"}


@pytest.mark.parametrize("behaviour", BEHAVIOURS[::7], ids=str)
def test_an_owner_that_never_lets_go_leaves_only_that_answer(behaviour: Behaviour) -> None:
    wrong = differing(behaviour, Surroundings(owner_period=1))
    assert set(wrong.values()) == {CANNOT_TELL}
    assert "owner" not in wrong and {"address", "form", "buffer", "cache"} <= wrong.keys()


class Scrambled(SimulatedCore):
    """Writes something that no hypothesis knows."""

    def peek(self, buffer: object) -> bytes:
        from lanescope.probe.capture import PATTERN

        data = super().peek(buffer)  # type: ignore[arg-type]
        blocks = [data[at : at + 32] for at in range(0, len(data), 32)]
        return b"".join(b if b == PATTERN else bytes(255 - x for x in b) for b in blocks)


def test_an_unknown_form_is_not_taken_for_a_known_one() -> None:
    behaviour = Behaviour(wrap="ring", pointer="byte_count")
    found = answers(probe_engine(Scrambled(CHIP, behaviour)))
    assert (found["form"], found["fixp_code"]) == (CANNOT_TELL, CANNOT_TELL)
    assert found["buffer"] in ("ring, byte_count", CANNOT_TELL)


class OtherCounter(SimulatedCore):
    """Its stamps are of another counter than the one that can be read."""

    def counter(self) -> int:
        return super().counter() + 10**9


def test_stamps_of_another_counter_are_not_believed() -> None:
    verdict = probe_engine(OtherCounter(CHIP)).verdicts["form"]
    assert verdict.answer == CANNOT_TELL
    assert verdict.evidence[0] == (
        "chip6: no single start stamp between the two readings of the system counter"
    )


class Dead(SimulatedCore):
    """Its engine makes nothing."""

    def run_kernel(self, steps: object) -> None:
        pass


def test_an_engine_that_writes_nothing_tells_nothing() -> None:
    findings = probe_engine(Dead(CHIP))
    assert {q for q, v in findings.verdicts.items() if v.answer != CANNOT_TELL} == {"owner"}
    assert not findings.complete


class Spilling(SimulatedCore):
    """Writes past the end of its buffer."""

    def peek(self, buffer: object) -> bytes:
        data = bytearray(super().peek(buffer))  # type: ignore[arg-type]
        data[-10] ^= 0xFF
        return bytes(data)


def test_bytes_outside_the_buffer_are_seen() -> None:
    verdict = probe_engine(Spilling(CHIP)).verdicts["buffer"]
    assert verdict.answer == CANNOT_TELL
    assert "bytes outside the buffer changed" in verdict.evidence[0]


# ---- what follows from it --------------------------------------------------------------------


def test_the_configuration_is_what_the_collector_needs() -> None:
    behaviour = Behaviour(
        address="physical", wrap="ring", pointer="burst_index", coherent=False, fixp_code=6
    )
    found = probe_engine(SimulatedCore(CHIP, behaviour)).configuration()
    assert found == {
        "address": "physical",
        "stream": "untranslated",
        "wrap": "ring",
        "pointer": "burst_index",
        "invalidate": True,
        "form": "chip6",
        "fixp_code": 6,
        "exclusive": True,
    }


def test_what_could_not_be_told_is_left_open() -> None:
    core = SimulatedCore(CHIP, replace(BEHAVIOURS[0]), kind="aiv")
    found = probe_engine(core, ProbeOptions(wrap=False)).configuration()
    assert (found["wrap"], found["pointer"], found["fixp_code"]) == (None, None, None)


def test_every_experiment_is_kept() -> None:
    captures = probe_engine(SimulatedCore(CHIP)).captures
    names = [capture.name for capture in captures]
    assert names == [
        *("address-virtual", "form"),
        *("wrap-8", "wrap-13", "wrap-18", "wrap-23", "cache"),
    ]
    physical = probe_engine(SimulatedCore(CHIP, Behaviour(address="physical"))).captures
    assert [(capture.name, capture.address) for capture in physical[:4]] == [
        ("address-virtual", "virtual"),
        ("address-engine", "engine"),
        ("address-physical", "physical"),
        ("form", "physical"),
    ]
    assert all(capture.address == "physical" for capture in physical[2:])
    assert captures[1].written.startswith(captures[1].window[:32]) and captures[1].guards_intact


@pytest.mark.parametrize(
    ("created", "written", "said"),
    [
        (0, 0, "both counters clear as published"),
        (7, 0, "after clearing, created is 7 and written is 0"),
        (0, 9, "after clearing, created is 0 and written is 9"),
    ],
)
def test_counters_that_do_not_clear_are_told(created: int, written: int, said: str) -> None:
    class Counters:
        def __init__(self) -> None:
            self.writes: list[tuple[int, int]] = []

        def write(self, offset: int, value: int) -> None:
            self.writes.append((offset, value))

        def read(self, offset: int) -> int:
            return {perfmon.SAMP_CRT: created, perfmon.SAMP_WRT: written}[offset]

    device = Counters()
    assert _clearing(cast(Any, device)) == said
    assert device.writes == [(perfmon.SAMP_CRT_CLR, 1), (perfmon.SAMP_WRT, 0)]
