"""Tensor dumps: the values that tasks read and wrote, as a JSON manifest and one binary file."""
