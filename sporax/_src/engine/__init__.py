"""How operators are stated and run: the table, dispatch in both modes, derivatives, checks of indices, mixed precision.

Reading order: `table` (what a row says), `dispatch` (how it runs), `kernel_cache` (compiled operators of PyNative mode),
`lenses` (how views write back), `vjp` (derivatives), `index_checks`, `amp`; `arguments` and `axes` (checks that rows share);
`numpy_fallback` and `numpy_programs` (operators that meet ever new shapes), `known_scalars`.
"""
