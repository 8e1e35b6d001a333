"""Questions to a Trace, in groups; each is a plain function that gives a small frozen result."""
