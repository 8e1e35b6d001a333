"""Files of Tenstorrent's tt-metal: the device log, and the report of operations.

What the files hold: docs/tt-metal.md. Sources: the page "Device Program Profiler" of
docs.tenstorrent.com/tt-metal (columns of the log, 125 zones per RISC), the header lines written by
tt_metal/impl/profiler in github.com/tenstorrent/tt-metal, and a real report from
github.com/tenstorrent/tt-perf-report, tests/data.
"""
