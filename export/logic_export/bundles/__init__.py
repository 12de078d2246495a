"""From sentence-transformers models to ONNX bundles: graphs, compression, parity, calibration.

A bundle is a folder of graphs. A head makes one named vector; heads may share a trunk, their lowest
layers. Parity means that a bundle's vectors equal the original model's, up to a limit.
"""
