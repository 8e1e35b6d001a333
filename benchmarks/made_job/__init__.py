"""A made job: what its ranks do in true time, their clocks, their traces, and the truth."""
