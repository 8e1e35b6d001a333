"""Tensor dumps: what tasks read and wrote, a JSON manifest and one file with all values."""
