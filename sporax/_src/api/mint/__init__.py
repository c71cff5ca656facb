"""`mint`: torch's signatures.

Reading order: `namespace`, `functional`, `linalg`, `special` (tables of forwarding lines), `functions` and `random` (the rest).
"""
