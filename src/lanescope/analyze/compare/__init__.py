"""Questions to two sides of runs: what got slower, faster, new or gone."""
