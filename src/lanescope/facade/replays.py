"""A recorded run under other assumptions: what_if, and figures without the profiler's own cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

from lanescope.errors import UsageError
from lanescope.facade.opening import TraceLike, opened
from lanescope.replay import what_if as asking
from lanescope.replay.asked import AskedChanges, together
from lanescope.replay.correction import corrected as correcting
from lanescope.replay.correction.corrected import Corrected
from lanescope.replay.correction.record_costs import costs_for
from lanescope.replay.crowding import crowding_of, replay_crowded
from lanescope.replay.nearest import nearest_replica
from lanescope.replay.ranking import rank_changes, ranked
from lanescope.replay.replayed_trace import replayed_trace
from lanescope.replay.what_if import WhatIf
from lanescope.trace.places import place_of
from lanescope.trace.store import save


def what_if(
    trace: TraceLike,
    *,
    scale: Mapping[str, float] | None = None,
    cores: Mapping[str, int] | None = None,
    schedulers: int | None = None,
    pre_dispatch: int | None = None,
    dispatch_cost: float | None = None,
    submit_scale: float | None = None,
    drop_edge: Sequence[str] = (),
    buffers: int | tuple[int, int | None] | None = None,
    without_preemption: bool = False,
    rank: bool = False,
    anyway: bool = False,
    output: str | PathLike[str] | None = None,
) -> WhatIf:
    """Replays a recorded run with something changed and says how long it would take.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files; level
            2 or higher, with its task graph.
        scale: Function to how many times as long its runs take, such as {"QK": 0.5}.
        cores: Kind of core to how many there are, such as {"aiv": 64}.
        schedulers: How many scheduler threads there are.
        pre_dispatch: How many tasks a core may hold beside the one it runs.
        dispatch_cost: Nanoseconds that a scheduler takes to give a task to a core.
        submit_scale: How many times as long the orchestrator takes per submit.
        drop_edge: Edges that are left out: "A:B", each a task id or a function, or "implied" for
            those that follow from others.
        buffers: Recording buffers per producer, or a pair with the records in each.
        without_preemption: Leaves out what threads waited while they were off the processor.
        rank: Also tries usual changes, in classes of what has to be done for them.
        anyway: Predicts also where the unchanged replay is more than 10 % off.
        output: Stores the changed replay as a trace, NAME.lanes; a path or a URL.

    Returns:
        How far the unchanged replay is from the recording, and a prediction with an interval for
        all changes together. With `rank` also a ranking: classes of changes with their predictions,
        best first, and the names of those that have no effect. Where the unchanged replay is more
        than 10 % off there is neither, `refused` says why, and nothing is stored.

    Raises:
        UsageError: A change names what the trace does not have.
        LanescopeError: The trace lacks dispatch and finish, or the task graph.

    Examples:
        >>> answer = lanescope.what_if("examples/small_run", scale={"QK": 0.5})
        >>> answer.predictions[0].name
        'QK x0.5'
    """
    target = None if output is None else place_of(output)
    if target is not None and target.suffix != ".lanes":
        raise UsageError(f"expected -o NAME.lanes, found {target}")
    asked = AskedChanges(
        scale=scale or {},
        cores=cores or {},
        schedulers=schedulers,
        pre_dispatch=pre_dispatch,
        dispatch_cost=dispatch_cost,
        submit_scale=submit_scale,
        drop_edge=drop_edge,
        without_preemption=without_preemption,
        buffers=(buffers, None) if isinstance(buffers, int) else buffers,
    )
    replica = nearest_replica(opened(trace))
    changes = asked.changes(replica)
    change = together(changes)
    tried = rank_changes(replica) if rank else []
    wanted = [*([change] if changes else []), *tried]
    answer = asking.what_if(replica, wanted, anyway=anyway)
    if target is not None and not answer.refused:
        changed = change.apply(replica)
        note = (
            f"A replay ({change.name}), not a recording; the unchanged replay is "
            f"{100 * answer.honesty:+.2f} % off the recorded makespan."
        )
        made = replay_crowded(changed, crowding_of(replica))
        save(replayed_trace(changed, made, name=target.stem, note=note), target)
    return answer if answer.refused else ranked(answer, tried)


def corrected(trace: TraceLike, costs: str | PathLike[str] | None = None) -> Corrected:
    """Gives the timeline's figures without the profiler's own cost, each with an interval.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files.
        costs: A file of `lanescope bench --fit --save`; simulated runs know their own costs.

    Returns:
        What each kind of record cost, and every figure as recorded and as corrected.

    Raises:
        LanescopeError: The run does not know what recording cost it, and no file was given.
        InputError: The file holds no costs.

    Examples:
        >>> trace = lanescope.run("vector")
        >>> lanescope.corrected(trace).figures[0].name
        'makespan'
    """
    whole = opened(trace)
    return correcting.corrected(whole, costs_for(whole, None if costs is None else Path(costs)))
