"""Does a model fit a board, and how fast is it then: footprint, regime, tokens/s, intervals."""
