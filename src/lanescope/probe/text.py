"""Findings for people, and the raw captures as files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from lanescope.probe.capture import ProbeCapture
from lanescope.probe.result import QUESTIONS, Findings, ProbeVerdict
from lanescope.render.page import Section
from lanescope.render.plain import render_sections

_OTHER_OWNER = "Stop the other owner first (a driver's profiling?), then probe again."


def render(findings: Findings) -> str:
    """Return the answer to every question, then the configuration, ending in a newline."""
    return render_sections(findings_sections(findings))


def findings_sections(findings: Findings) -> list[Section]:
    """Return one section per question, and one with the configuration for a collector."""
    sections = [
        Section(title=QUESTIONS[name], facts=tuple(_answer(verdict)))
        for name, verdict in findings.verdicts.items()
    ]
    facts = tuple(
        (name, "not known" if value is None else _word(value))
        for name, value in findings.configuration().items()
    )
    contended = findings.answer("owner") == "contended"
    notes = (_OTHER_OWNER,) if contended else ()
    return [*sections, Section(title="What the collector should use", facts=facts, notes=notes)]


def _answer(verdict: ProbeVerdict) -> Iterator[tuple[str, str]]:
    """Yield the answer with its confidence, then what it rests on, a line each."""
    sure = "" if verdict.confidence == "none" else f" ({verdict.confidence} confidence)"
    yield "answer", verdict.answer + sure
    for number, line in enumerate(verdict.evidence):
        yield "" if number else "evidence", line


def _word(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def save_captures(findings: Findings, folder: Path) -> None:
    """Write the captures into a folder; those of an earlier probe are replaced.

    `captures.json` says what was done and seen. Each `NN-NAME.bin` holds the bytes of one area with
    its guards.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("[0-9][0-9]-*.bin"):
        old.unlink()
    rows = []
    for number, capture in enumerate(findings.captures):
        file = f"{number:02}-{capture.name}.bin"
        (folder / file).write_bytes(capture.data)
        rows.append({"file": file, **_facts(capture)})
    text = msgspec.json.format(msgspec.json.encode(rows), indent=1)
    (folder / "captures.json").write_bytes(text + b"\n")


def _facts(capture: ProbeCapture) -> dict[str, Any]:
    return {
        "name": capture.name,
        "address": capture.address,
        "base": capture.base,
        "base_after": capture.base_after,
        "buffer_bytes": capture.size,
        "steps": [step._asdict() for step in capture.steps],
        "running": capture.running._asdict(),
        "stopped": capture.stopped._asdict(),
        "counter_before": capture.counter_before,
        "counter_after": capture.counter_after,
    }
