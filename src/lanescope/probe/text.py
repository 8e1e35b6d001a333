"""Findings for people, and the raw captures as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from lanescope.probe.capture import ProbeCapture
from lanescope.probe.result import QUESTIONS, Findings


def render(findings: Findings) -> str:
    """Question by question, then the configuration."""
    lines = []
    for name, verdict in findings.verdicts.items():
        sure = "" if verdict.confidence == "none" else f"  ({verdict.confidence} confidence)"
        lines.append(f"{QUESTIONS[name]}\n  {verdict.answer}{sure}")
        lines += [f"    {line}" for line in verdict.evidence]
    lines.append("\nWhat the collector should use")
    for name, value in findings.configuration().items():
        lines.append(f"  {name:<11}{'not known' if value is None else _word(value)}")
    if findings.answer("owner") == "contended":
        lines.append("  Stop the other owner first (a driver's profiling?), then probe again.")
    return "\n".join(lines)


def _word(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def as_dict(findings: Findings) -> dict[str, Any]:
    verdicts = {
        name: {
            "question": QUESTIONS[name],
            "answer": verdict.answer,
            "confidence": verdict.confidence,
            "evidence": list(verdict.evidence),
        }
        for name, verdict in findings.verdicts.items()
    }
    return {
        "verdicts": verdicts,
        "configuration": findings.configuration(),
        "complete": findings.complete,
    }


def save_captures(findings: Findings, folder: Path) -> None:
    """`captures.json` says what was done and seen, NN-NAME.bin are the bytes with their guards;
    those of an earlier probe are replaced."""
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
