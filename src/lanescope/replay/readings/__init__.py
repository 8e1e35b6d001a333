"""What a replay needs, read from a trace: one typed part per file."""
