"""Chrome Trace Event JSON: the format every viewer takes, as a source and as an export."""
