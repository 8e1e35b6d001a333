"""Simulated chips: a deterministic discrete-event simulation that records into a real region."""
