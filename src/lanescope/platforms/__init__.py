"""Devices that run task graphs and record into a region."""
