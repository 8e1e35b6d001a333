"""JSON Schemas of what commands print with `--json`, made of the types of their results."""
