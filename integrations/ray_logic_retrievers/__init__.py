"""Encode and index Ray data sets on the workers of a cluster."""

from ray_logic_retrievers.datasets import IndexReport, encode, index

__all__ = ["IndexReport", "encode", "index"]
