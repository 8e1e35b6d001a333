"""Raw chunk streams of the generation that public decoders call chip6."""

from lanescope.formats.chip6.read import RawStream, read_chip6

__all__ = ["RawStream", "read_chip6"]
