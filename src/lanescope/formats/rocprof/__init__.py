"""rocprofv3 of ROCm: its JSON, and the rocpd database."""
