"""Traces of the PyTorch profiler (Kineto): its JSON as it was written from 2021 to today."""
