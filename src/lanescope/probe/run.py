"""The probe: seven questions about an engine, each answered by one experiment or more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lanescope.chunks.layout import BURST_BYTES
from lanescope.device import perfmon
from lanescope.probe.addresses import LARGE_BYTES, find_address
from lanescope.probe.capture import ProbeBench, base_of, changed
from lanescope.probe.device import BringUp, ProbeStopped, Step
from lanescope.probe.forms import CHUNKS_PER_BURST, FORMS, Trial, trials
from lanescope.probe.result import QUESTIONS, Findings, ProbeVerdict, cannot_tell
from lanescope.probe.wraps import fitting, went_past_the_end
from lanescope.trace.pipes import PIPES

SMALL_BYTES = 3 * BURST_BYTES
"""A buffer that kernels are meant to fill."""
LENGTHS = (8, 13, 18, 23)
"""Numbers of steps of the kernels that run past the end of the small buffer."""
LOOKS = 6
"""Kernels after which the base address is read, to find another owner."""


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """Which experiments are allowed."""

    wrap: bool = True
    """Whether the engine may be made to run past the end of a small buffer."""


def probe_engine(device: BringUp, options: ProbeOptions | None = None) -> Findings:
    """Finds out by experiments how a core's trace engine behaves.

    Args:
        device: The core under test: an object like `lanescope.probe.BringUp`.
        options: Which experiments are allowed; all of them without it.

    Returns:
        An answer per question with what it rests on, and the configuration that follows. Later
        experiments use the answers of earlier ones. Where the device was lost on the way, `problem`
        says why, and the questions that were left have no answer.

    Raises:
        LanescopeError: The device raises one that is not a `lanescope.probe.ProbeStopped`.

    Examples:
        >>> from lanescope.platforms.sim.bringup import SimulatedCore
        >>> from lanescope.platforms.sim.chip import load_chip
        >>> from lanescope.platforms.sim.engine import Behaviour
        >>> lanescope.probe_engine(SimulatedCore(load_chip("a5"), Behaviour())).complete
        True
    """
    bench = ProbeBench(device)
    verdicts: dict[str, ProbeVerdict] = {}
    problem = ""
    try:
        for verdict in _ask(bench, options or ProbeOptions()):
            verdicts[verdict.question] = verdict
    except ProbeStopped as error:
        problem = str(error)
    for question in QUESTIONS:
        verdicts.setdefault(question, cannot_tell(question, "the probe ended before this question"))
    return Findings(verdicts, tuple(bench.captures), problem)


def _ask(bench: ProbeBench, options: ProbeOptions) -> Iterator[ProbeVerdict]:
    """Answer one question after the other; later ones use what earlier ones found."""
    address, stream, space = find_address(bench, shape(bench.device))
    yield address
    yield stream
    if space is None:
        why = "no base address is known to be safe and to reach a buffer"
        yield from (cannot_tell(name, why) for name in ("form", "fixp_code", "buffer", "cache"))
    else:
        form, trial = _form(bench, space)
        yield form
        yield _fixp_code(bench.device, trial)
        yield _buffer(bench, space, trial, options)
        yield _cache(bench, space)
    yield _owner(bench)


def shape(device: BringUp) -> list[Step]:
    """Return a kernel whose steps have different lengths, on pipes that the core has."""
    wanted = [Step("scalar", 400, 1), Step("mte2", 1500, 2), Step("fixp", 900, 3)]
    return [step for step in wanted if step.pipe in device.pipes]


def ladder(steps: int) -> list[Step]:
    """Return a long kernel whose steps run on scalar and mte2 in turn."""
    return [Step(("scalar", "mte2")[n % 2], 100 + 10 * n, 4 + n) for n in range(steps)]


# ---- the questions ---------------------------------------------------------------------------


def _form(bench: ProbeBench, space: str) -> tuple[ProbeVerdict, Trial | None]:
    """Find the one form whose decoding is the kernel that ran."""
    capture = bench.steady("form", shape(bench.device), address=space, size=LARGE_BYTES)
    if capture is None or not capture.written:
        return cannot_tell("form", "nothing was captured"), None
    tried = trials(capture, bench.device.clocks)
    evidence = tuple(
        f"{trial.form}: {'; '.join(trial.against) or 'decodes to the kernel that ran'}"
        for trial in tried
    )
    fits = [trial for trial in tried if not trial.against]
    if len(fits) != 1:
        return cannot_tell("form", *evidence), None
    return ProbeVerdict("form", fits[0].form, evidence, "high"), fits[0]


def _fixp_code(device: BringUp, trial: Trial | None) -> ProbeVerdict:
    if "fixp" not in device.pipes:
        return cannot_tell("fixp_code", "no kernel can use fixp on this core; try a cube core")
    if trial is None:
        return cannot_tell("fixp_code", "the form of chunks is not known")
    marks = trial.decoded.marks
    codes = sorted(set(marks.ctrl[marks.pipe == PIPES.index("fixp")].tolist()))
    if len(codes) != 1:
        return cannot_tell("fixp_code", f"marks on fixp have the codes {codes}")
    [code] = codes
    return ProbeVerdict("fixp_code", str(code), (f"every mark on fixp has code {code}",), "high")


def _buffer(
    bench: ProbeBench, space: str, trial: Trial | None, options: ProbeOptions
) -> ProbeVerdict:
    """Run kernels that do not fit into a small buffer; see which hypothesis predicts them all."""
    if not options.wrap:
        return cannot_tell("buffer", "no experiment was allowed to run past a buffer's end")
    runs = [
        bench.steady(f"wrap-{steps}", ladder(steps), address=space, size=SMALL_BYTES)
        for steps in LENGTHS
    ]
    captures = [capture for capture in runs if capture is not None]
    if not all(capture.guards_intact for capture in captures):
        return cannot_tell("buffer", "bytes outside the buffer changed: do not use this engine")
    forms = FORMS if trial is None else (trial.form,)
    answers = set()
    for per_burst in {CHUNKS_PER_BURST[form] for form in forms}:
        if sum(went_past_the_end(capture, per_burst) for capture in captures) >= 2:
            answers |= {wrap.name for wrap in fitting(captures, per_burst)}
    evidence = [
        f"{len(capture.steps)} steps into {capture.size} bytes: {capture.running.created} created, "
        f"{capture.running.written} written, write pointer {capture.running.pointer}"
        for capture in captures
    ]
    evidence.append(_clearing(bench.device))
    if len(answers) != 1:
        why = f"{len(answers)} explanations fit" if answers else "no explanation fits"
        return cannot_tell("buffer", *evidence, why)
    return ProbeVerdict("buffer", answers.pop(), tuple(evidence), "high")


def _clearing(device: BringUp) -> str:
    """Clear both counters, and say whether that worked."""
    device.write(perfmon.SAMP_CRT_CLR, 1)
    device.write(perfmon.SAMP_WRT, 0)
    left = device.read(perfmon.SAMP_CRT), device.read(perfmon.SAMP_WRT)
    return (
        "both counters clear as published"
        if left == (0, 0)
        else f"after clearing, created is {left[0]} and written is {left[1]}"
    )


def _cache(bench: ProbeBench, space: str) -> ProbeVerdict:
    """Read a buffer before the engine writes to it, so that a cache holds old bytes; read again."""
    device = bench.device
    for _ in range(3):
        area = bench.area(LARGE_BYTES, space)
        device.peek(area)
        capture = bench.run("cache", shape(device), address=space, area=area)
        if capture.undisturbed and capture.stopped.written:
            break
    else:
        return cannot_tell("cache", "nothing was captured undisturbed")
    if changed(capture.window):
        seen = "bytes that had been read before were new when read again"
        return ProbeVerdict("cache", "coherent", (seen,), "medium")
    stale = f"the old bytes were read again, although {capture.stopped.written} chunks were written"
    if not device.can_invalidate:
        return cannot_tell("cache", stale, "there is no way to invalidate the cache here")
    device.invalidate(area)
    if not changed(device.peek(area)):
        return cannot_tell("cache", stale, "an invalidate did not change that")
    return ProbeVerdict(
        "cache", "needs invalidate", (stale, "after an invalidate they were new"), "high"
    )


def _owner(bench: ProbeBench) -> ProbeVerdict:
    """Set a base address, run kernels, and see whether it stays."""
    device = bench.device
    others = [capture.base_after for capture in bench.captures if not capture.undisturbed]
    looks = len(bench.captures)
    area = device.allocate(LARGE_BYTES)
    device.write(perfmon.BASE_L, area.virtual & perfmon.WORD)
    device.write(perfmon.BASE_H, area.virtual >> 32)
    for _ in range(LOOKS):
        device.run_kernel(shape(device))
        looks += 1
        if base_of(device) != area.virtual:
            others.append(base_of(device))
            break
    if others:
        seen = f"base address became {others[0]:#x}, which was not set here ({len(others)} times)"
        return ProbeVerdict("owner", "contended", (seen,), "high")
    return ProbeVerdict(
        "owner", "exclusive", (f"it stayed as it was set in {looks} looks",), "medium"
    )
