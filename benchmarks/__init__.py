"""Measurements: the papers' tables and figures (``papers``), and the product's (``product``)."""
