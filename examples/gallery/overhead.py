"""How much may be recorded if the run must not take more than 2 % longer?

Runs with and without recording take turns, with lengths that vary. A level is allowed where the
upper end of the interval of what it adds (95 %) is within the limit.
"""

import lanescope

LIMIT = 2.0

cost = lanescope.bench(
    "paged_attention", platform="a2a3", protocols=["producer-rotated"], rounds=15
)
off, *levels = cost.results
allowed = 0
for result in levels:
    unit = off.makespan_ns.mean / 100
    added, high = result.to_off_ns.mean / unit, result.to_off_ns.high / unit
    told = "allowed" if high <= LIMIT else "too much"
    print(f"level {result.configuration.level}: {added:+.2f} %, at most {high:+.2f} %: {told}")
    if high <= LIMIT:
        allowed = result.configuration.level
print(f"Record at level {allowed}.")
