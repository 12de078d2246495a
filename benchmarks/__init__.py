"""What the figures in docs/results.md come from; `make bench` runs all of them."""
