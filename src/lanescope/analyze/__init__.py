"""Questions about a trace, in groups. Each is a function that returns a small frozen result."""
