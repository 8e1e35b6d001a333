"""What recording cost, and a run's figures without it."""
