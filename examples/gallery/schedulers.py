"""Is one scheduler thread enough, or are three better?

Two chips that differ in one value run the same graph, five times each with lengths that vary.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import lanescope


def graph() -> lanescope.GraphBuilder:
    """256 short tasks that depend on nothing, with lengths that vary by 5 %."""
    builder = lanescope.GraphBuilder("short_tasks")
    for _ in range(256):
        builder.task("STEP", kind="aiv", spin_ns=4_000)
    builder.vary("STEP", sigma_ns=200)
    return builder


with TemporaryDirectory() as folder:
    chip = Path(folder) / "one.toml"
    value = '{ value = 1, basis = "assumed", source = "what this script asks" }'
    chip.write_text(f'base = "a2a3"\n[chip]\nschedulers = {value}\n')
    three = [lanescope.run(graph(), seed=seed) for seed in range(5)]
    one = [lanescope.run(graph(), platform=str(chip), seed=seed) for seed in range(5)]

comparison = lanescope.diff(three, one)
for group, name in (("run", "makespan"), ("core time", "scheduler"), ("function", "STEP")):
    row = comparison.row(group, name)
    print(f"{name}: {row.base_ns / 1000:.2f} µs with three, {row.new_ns / 1000:.2f} µs with one:")
    print(f"  {row.change:+.1%} (between {row.low:+.1%} and {row.high:+.1%}), {row.verdict}")
