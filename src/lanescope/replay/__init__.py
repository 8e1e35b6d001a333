"""A recorded run that can run again: costs read from its records, what-if, correction."""
