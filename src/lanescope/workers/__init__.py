"""Work over many traces: processes of this machine or of a cluster, retries, failures by name."""
