"""Questions about two sets of runs: what got slower or faster, what is new or gone."""
