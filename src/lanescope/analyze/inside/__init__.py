"""Questions about the inside of the cores: what the pipes did, and why a task was slow."""
