"""Groups of options, and what a command does for each of them."""
