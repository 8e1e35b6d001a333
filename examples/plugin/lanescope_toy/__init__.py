"""A format and an analysis for lanescope in a package of their own."""
