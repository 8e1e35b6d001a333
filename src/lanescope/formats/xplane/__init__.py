"""XSpace files of XLA's profiler (JAX, TensorFlow, PyTorch/XLA): devices and host threads."""
