"""Perfetto's protobuf traces, written without a protobuf library: rows of bytes made by numpy."""

from lanescope.formats.perfetto.write import write_perfetto

__all__ = ["write_perfetto"]
