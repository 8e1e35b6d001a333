"""Questions about traces of several runs or ranks: how long each took, and how they lie in time."""
