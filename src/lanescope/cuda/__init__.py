"""Recording inside the user's own CUDA kernels: `record`, and lanescope/cuda.cuh in the kernel."""

from lanescope.cuda.recorder import Live, Recorder, record

__all__ = ["Live", "Recorder", "record"]
