"""What is known of the simpler runtime's files: what belongs together, and how it loses records."""
