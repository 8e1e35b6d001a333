"""The CUDA platform: a task graph inside one persistent kernel, computing real numbers on a GPU.

The code that runs on the GPU is in device/. It also compiles as plain C++, for tests without a GPU.
"""
