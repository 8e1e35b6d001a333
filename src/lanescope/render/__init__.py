"""Drawing for every room: sections with facts and tables as text or on a terminal, and SVG."""
