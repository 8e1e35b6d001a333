"""Recording inside the user's own CUDA kernels: `record`, and lanescope/cuda.cuh in the kernel."""

from lanescope.cuda.budget import Budget, kernel_budget
from lanescope.cuda.recorder import Live, Recorder, record

__all__ = ["Budget", "Live", "Recorder", "kernel_budget", "record"]
