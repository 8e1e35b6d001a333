"""Records inside the user's own CUDA kernels, which include lanescope/cuda.cuh."""

from lanescope.cuda.budget import KernelBudget, kernel_budget
from lanescope.cuda.recorder import Live, Recorder, record

__all__ = ["KernelBudget", "Live", "Recorder", "kernel_budget", "record"]
