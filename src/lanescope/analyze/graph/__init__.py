"""Questions about the task graph: its nodes, and the critical paths through it."""
