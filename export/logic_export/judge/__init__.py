"""Cross-encoders: training rows, training, export and its gates."""
