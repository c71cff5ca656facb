"""How operators are stated and run: the table, dispatch in both modes, derivatives, checks of indices, mixed precision.

Reading order: `table` (what a row says), `dispatch` (how it runs), `lenses` (how views write back), `vjp` (what a gradient by
integers goes by), `index_checks`, `amp`; then the kinds of views, `adapters` (with `view_docstrings`), `tensor_methods` and
`primitive`; then what families share: `arguments`, `axes`, `call_errors`.
"""
