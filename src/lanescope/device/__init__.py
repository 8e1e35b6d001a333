"""What host and device agree on: flags, layouts, the region, and how the host reaches it."""
