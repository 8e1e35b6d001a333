"""Drawing for every room: sections of facts and tables, as text, on a terminal, as SVG."""
