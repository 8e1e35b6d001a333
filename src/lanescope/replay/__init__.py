"""A recorded run that can run again: its costs, what-if questions, figures without the profiler."""
