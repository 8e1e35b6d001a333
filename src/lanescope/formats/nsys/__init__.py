"""Nsight Systems: SQLite exports, folders of Parquet tables, and what nsys-jax makes of them."""
