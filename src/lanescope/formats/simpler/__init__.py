"""Files of the simpler runtime (github.com/hw-native-sys/simpler): every generation of them.

Vendor words (aicore, aicpu, l2_perf, …) stay in this package; what leaves it is a Trace.
`generation.py` tells the records files apart, `cycles.py` and `micros.py` read them, the other
readers take the companion files of a run, and `build.py` joins everything into a Trace.
"""
