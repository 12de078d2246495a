"""From sentence-transformers models to ONNX bundles: graphs, compression, parity, calibration.

A bundle is a folder of graphs. A head makes one named vector; heads may share a trunk, their lowest
layers. Parity means that a bundle's vectors equal those of the original model, up to a limit.
Calibration finds the constants that turn a head's scores into decisions.
"""
