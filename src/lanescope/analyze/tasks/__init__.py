"""Questions about the tasks: what each function cost, how long it took, what it counted."""
