"""Platforms run task graphs and record them: simulated chips, real threads, a GPU."""
