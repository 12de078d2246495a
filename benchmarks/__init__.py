"""The benchmarks behind docs/results.md; `make bench` runs all of them."""
