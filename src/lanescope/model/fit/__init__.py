"""The parts of a fit: regime of a model on a board, tokens per second, intervals, what-ifs."""
