"""How a row of the table is shown to users.

Reading order: `primitive` (classes: `ops.MatMul()(a, b)`), `tensor_methods`, `adapters` (signatures that forward to a row),
`docstrings`, `call_errors` (why a call did not fit).
"""
