"""Predictions against recorded and published figures: `make validate` runs them all."""
