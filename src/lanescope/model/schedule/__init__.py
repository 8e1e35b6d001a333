"""Four figures of a program on a core: serial sum, busy units, critical path, overlapped."""
