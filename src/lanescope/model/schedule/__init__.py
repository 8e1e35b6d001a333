"""Four figures of a program on a machine: serial, busy units, critical path, overlapped."""
