"""Helpers of the benchmarks: search over data sets, timing, corpora to corrupt, peers."""
