"""The collector on another machine than the device: an agent there, and the transport to it."""
