"""Many ranks: a job is a set of traces, one per rank, put on one clock and compared."""
