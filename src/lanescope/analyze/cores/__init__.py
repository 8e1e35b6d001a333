"""Questions about the cores: how long they worked, what they waited for, which are unusual."""
