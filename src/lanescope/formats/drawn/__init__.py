"""Timelines that lanescope drew, read back: what a bar does not say stands in a text about it.

The exporters of timelines put the text at the end of their files; `back.py` makes a trace of the
text and of the bars that an importer found.
"""

from lanescope.formats.drawn.about import KEY, About, AboutWriter
from lanescope.formats.drawn.back import DrawnRows, drawn_trace

__all__ = ["KEY", "About", "AboutWriter", "DrawnRows", "drawn_trace"]
