"""Weights from PyTorch to MindSpore's layers and back.

Read `convert`, then `entries`, `match` and `carry`, then the tables `layers` and `optimizer_rows`.
"""
