"""Questions about the recording: what was captured, and what of it was lost."""
