"""Benchmark helpers: search over data sets, baselines, statistics, output."""
