"""A simulated NPU: a deterministic discrete-event model that records into a real region."""
