"""Which core is the straggler, and what does it cost?

The run is a recorded one, read as its runtime left it; core 6 was made to take 1.5 times as long.
"""

from pathlib import Path

import lanescope

RUN = Path(__file__).parents[1] / "slow_core"

suspects = lanescope.report(RUN).suspects
for core in suspects.slow_cores:
    print(f"{core.name} is slow: {core.ratio:.2f} times the median over {core.runs} runs,")
    print(f"  {core.extra_ns / 1000:.1f} µs more in all, {core.share:.1%} of the run")
for late in suspects.late_cores:
    print(f"{late.name} picks up its tasks late: {late.pick_up_ns:.0f} ns, {late.ratio:.1f} times")
if not (suspects.slow_cores or suspects.late_cores):
    print("No core stands out.")
