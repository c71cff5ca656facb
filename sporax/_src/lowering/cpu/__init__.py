"""Lowerings for the CPU: `conv` (with `conv_params`, `conv3d`, `grouped`, `compiled`, `dilated`, `unit_axis`, `wide`), `argminmax`,
`division`, `random_bits`, `recurrent`, `normalization`, `elementwise`; and `kernels`, in C++."""
