"""`mint`: torch's signatures. `namespace`, `functional` and `linalg` are tables; `functions` and `random` what no line says."""
