"""From sentence-transformers models to ONNX bundles: graphs, compression, parity, calibration."""
