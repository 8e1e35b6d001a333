"""Questions about programs whose instructions units take in order, without a scheduler."""
