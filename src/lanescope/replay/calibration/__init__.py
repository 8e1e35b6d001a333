"""What the controllers of a recorded run take for each thing they do."""
