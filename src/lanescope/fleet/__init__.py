"""Many traces: an index of their measures, and what it answers without reading them again."""
