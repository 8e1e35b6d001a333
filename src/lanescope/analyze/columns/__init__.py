"""What the questions stand on: rows in groups, unions of intervals, moments, kinds of core."""
