"""Declaration and run of operators: the table, dispatch in both modes, derivatives, index checks, mixed precision.

Reading order: `table` and `traits` (the declaration of an operator), `dispatch` (how it runs), `pullback` and
`saved_tensors` (what a backward keeps), `kernel_cache` (compiled operators of PyNative mode), `quick_kernels` and
`compiled_ahead` (how first runs wait less), `lenses` (how views write back), `vjp` (derivatives), `index_checks`, `amp`;
`arguments` and `axes` (checks that rows share); `numpy_fallback`, `any_size`, `numpy_programs` with `numpy_equations`,
`numpy_windows`, `numpy_selection`, `numpy_conversions`, `numpy_random` and `numpy_loops` (operators whose shapes keep
changing); `known_scalars`.
"""
