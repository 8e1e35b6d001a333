"""The CUDA platform: a task graph inside one persistent kernel, computing real numbers on a GPU.

What runs on the GPU is in device/; the same code compiles as plain C++ for tests without one.
"""
