"""Simulated times are whole picoseconds."""

PS_PER_NS = 1_000
PS_PER_S = 1_000_000_000_000
