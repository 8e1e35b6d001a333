"""How small may the recording buffers be before producers wait for the host?

Every size records the same run. A stall is a time in which a producer waited for a free buffer.
"""

import lanescope

BUFFERS = 2

chosen = None
for records in (2, 4, 8, 16, 32, 64):
    trace = lanescope.run("paged_attention", buffer_records=records, buffers=BUFFERS)
    report = lanescope.report(trace)
    length = report.makespan.window.length_ns / 1000
    stalls, waited = report.losses.stalls, report.losses.stall_ns / 1000
    print(f"{records:3} records: {length:8.2f} µs, {stalls:3} stalls, {waited:7.2f} µs waited")
    if chosen is None and not stalls:
        chosen = records
print(f"{chosen} records per buffer are enough." if chosen else "None of these is large enough.")
