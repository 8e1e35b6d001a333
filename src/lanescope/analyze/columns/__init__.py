"""What the questions are made of: rows in groups, unions of intervals, moments, numbered cores."""
