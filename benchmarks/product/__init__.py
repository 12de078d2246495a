"""Benchmarks of the package itself: ``python -m benchmarks.product.NAME``."""
