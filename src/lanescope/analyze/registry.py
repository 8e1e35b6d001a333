"""The analyses of every report. This is the sole place where an analysis is registered.

Their order is that of the keys in the report's JSON; `Analysis.place` orders the sections.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from lanescope.analyze.analysis import Analysis
from lanescope.analyze.controllers.peer_section import PEER
from lanescope.analyze.controllers.queues import QUEUES
from lanescope.analyze.controllers.threads_section import CONTROLLERS
from lanescope.analyze.cores.makespan import MAKESPAN
from lanescope.analyze.cores.suspects import SUSPECTS
from lanescope.analyze.cores.verdict import VERDICT
from lanescope.analyze.graph.critical_section import CRITICAL
from lanescope.analyze.inside.instances import SLOWEST
from lanescope.analyze.inside.pipes import INSIDE
from lanescope.analyze.recording.captured import CAPTURE
from lanescope.analyze.recording.losses import LOSSES
from lanescope.analyze.tasks.counters import COUNTERS
from lanescope.analyze.tasks.functions_section import FUNCTIONS

ANALYSES: tuple[Analysis[Any], ...] = (
    VERDICT,
    SUSPECTS,
    CRITICAL,
    CAPTURE,
    LOSSES,
    MAKESPAN,
    FUNCTIONS,
    INSIDE,
    SLOWEST,
    CONTROLLERS,
    QUEUES,
    COUNTERS,
    PEER,
)


@cache
def analyses() -> tuple[Analysis[Any], ...]:
    """The analyses of lanescope, then those of other installed packages."""
    return ANALYSES
