"""On a real GPU: kernels in functions of torch.compile, in CUDA graphs, and on two streams."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.triton.gpu import dealt, order, require_whole, span, torch

import lanescope.cuda
from lanescope import Trace

pytestmark = [
    pytest.mark.gpu,
    # PyTorch warns of its own old functions while it compiles.
    pytest.mark.filterwarnings("default"),
]
TASKS, CTAS, ROUNDS = 1000, 8, 25


def launch(name: str, *given: Any, ctas: int = CTAS) -> None:
    from tests.triton import kernels

    import lanescope.triton

    libraries = lanescope.triton.extern_libs()
    getattr(kernels, name)[(ctas,)](*given, num_warps=1, extern_libs=libraries)


def numbers(count: int = TASKS) -> Any:
    return torch().zeros(count, dtype=torch().int32, device="cuda")


def captured(name: str, *given: Any) -> Any:
    """A CUDA graph of a kernel, which was launched once before: a capture must not compile."""
    launch(name, *given)
    torch().cuda.synchronize()
    graph = torch().cuda.CUDAGraph()
    with torch().cuda.graph(graph):
        launch(name, *given)
    return graph


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_an_operator_in_a_compiled_function_records(mode: str) -> None:
    """In the second mode PyTorch makes CUDA graphs by itself."""
    torch()
    from tests.triton.compiling import example

    model = example("compiled").Layer(512, 256, mode)
    plain = model.run()
    traces = []
    for _ in range(2):  # the same code, and another recording
        trace, recorded = model.recorded(ROUNDS)
        assert torch().equal(plain, recorded)
        traces.append(trace)
    model.run()  # records nothing
    units = torch().cuda.get_device_properties(0).multi_processor_count
    for trace in traces:
        require_whole(trace)
        assert order(trace) == dealt(model.tasks, min(units, model.tasks), times=ROUNDS)
        assert trace.text("functions", "name") == ["gate"]


def test_a_function_that_gets_the_handle_as_a_number_records() -> None:
    module = torch()

    def work(x: Any, func: int, handle: int) -> Any:
        out = module.empty_like(x)
        launch("work", out, TASKS, func, 0, 1, handle)
        return out

    schema = "(Tensor x, int func, int handle) -> Tensor"
    operator = module.library.custom_op(
        "lanescope_test::work", work, mutates_args=(), schema=schema
    )
    operator.register_fake(lambda x, func, handle: module.empty_like(x))
    compiled = module.compile(lambda *given: operator(*given) * 2, fullgraph=True)
    plain = compiled(numbers(), 0, 0)
    for _ in range(3):
        with lanescope.cuda.record(cores=CTAS) as rec:
            func = rec.function("even")
            rec.function("odd")
            assert module.equal(plain, compiled(numbers(), func, rec.handle))
        require_whole(rec.trace)
        assert order(rec.trace) == dealt(TASKS, CTAS)


def test_a_captured_kernel_records_in_every_replay() -> None:
    out = numbers()
    with lanescope.cuda.record(cores=CTAS, core_swimlane=True) as rec:
        ids = (rec.function("even"), rec.mark("outer"), rec.mark("inner"))
        rec.function("odd")
        graph = captured("work", out, TASKS, *ids, rec.handle)
        for _ in range(ROUNDS):
            graph.replay()
    trace = rec.trace
    require_whole(trace)
    assert order(trace) == dealt(TASKS, CTAS, times=1 + ROUNDS)
    assert len(trace.marks) == (1 + ROUNDS) * 2 * TASKS
    pairs = zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True)
    assert {*pairs} == {(task - CTAS, task) for task in range(CTAS, TASKS)}
    for core in range(CTAS):
        rows = trace.tasks["core"] == core
        assert np.all(trace.tasks["start_ns"][rows][1:] >= trace.tasks["end_ns"][rows][:-1])


def test_a_graph_whose_handle_lies_in_memory_serves_several_recordings() -> None:
    out, handle_at = numbers(), torch().zeros(1, dtype=torch().int64, device="cuda")
    graph = captured("work_from", out, TASKS, 0, handle_at)
    graph.replay()  # records nothing
    for rounds in (ROUNDS, 3):
        with lanescope.cuda.record(cores=CTAS) as rec:
            rec.function("step")
            handle_at.fill_(rec.handle)
            for _ in range(rounds):
                graph.replay()
            handle_at.zero_()
        graph.replay()
        require_whole(rec.trace)
        assert order(rec.trace) == dealt(TASKS, CTAS, times=rounds)
    torch().cuda.synchronize()
    assert out.tolist() == list(range(1, TASKS + 1))


LONG, WARM = 20_000, 160
"""Tasks of each CTA: of kernels that take some 10 ms, and of launches that only compile."""


def beside(first: int, second: int) -> None:
    """Two kernels at once, each with its handle. The first one's has two launches more."""
    sinks = [torch().zeros(CTAS * 32, device="cuda") for _ in range(2)]
    for sink in sinks:
        launch("chain", sink, WARM, 0, first)
    streams = [torch().cuda.Stream() for _ in range(2)]
    torch().cuda.synchronize()
    for stream, sink, handle in zip(streams, sinks, (first, second), strict=True):
        with torch().cuda.stream(stream):
            launch("chain", sink, LONG, 0, handle)
    torch().cuda.synchronize()


def tasks_of(trace: Trace, core: int) -> list[int]:
    """Tasks of a core in the order of their starts."""
    return [task for at, task in order(trace) if at == core]


def test_kernels_on_two_streams_record_at_once() -> None:
    torch()
    with lanescope.cuda.record(cores=(CTAS, CTAS)) as rec:
        rec.function("chain")
        beside(*rec.handles)
    trace = rec.trace
    require_whole(trace)
    for cta in range(CTAS):
        warm, long = (list(range(cta, count * CTAS, CTAS)) for count in (WARM, LONG))
        assert tasks_of(trace, cta) == [*warm, *warm, *long]
        assert tasks_of(trace, CTAS + cta) == long
    first, second = (span(trace, cores=range(at, at + CTAS)) for at in (0, CTAS))
    assert second[0] < first[1], "the kernels did not run at once"


def test_with_one_handle_the_second_kernel_is_refused_and_said() -> None:
    torch()
    with lanescope.cuda.record(cores=CTAS) as rec:
        beside(rec.handle, rec.handle)
    (note,) = [note for note in rec.trace.meta.notes if "asked" in note]
    assert note.startswith(f"Kernels asked {CTAS} times for a lane")
    assert "record(cores=(64, 64))" in note
    assert len(rec.trace.tasks) == CTAS * (2 * WARM + LONG)
    assert all(entry.closes for entry in rec.trace.meta.ledger)


def test_two_recordings_at_once_have_a_stream_each() -> None:
    torch()
    with (
        lanescope.cuda.record(cores=CTAS, name="left") as left,
        lanescope.cuda.record(cores=CTAS, name="right") as right,
    ):
        beside(left.handle, right.handle)
    for rec, tasks in ((left, 2 * WARM + LONG), (right, LONG)):
        require_whole(rec.trace)
        assert len(rec.trace.tasks) == CTAS * tasks
    ends = []
    for trace in (left.trace, right.trace):
        assert trace.meta.host_clock is not None
        ends.append([trace.meta.host_clock.host_ns + at for at in span(trace, cores=range(CTAS))])
    assert ends[1][0] < ends[0][1], "by the host's clock the kernels did not run at once"
