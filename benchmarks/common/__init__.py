"""Helpers of the benchmarks: search over data sets, baselines, statistics, output."""
