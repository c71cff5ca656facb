"""Lowerings for the CPU: `conv` (with `conv_params`, `conv3d`, `grouped`, `dilated`, `unit_axis`), `argminmax`, `random_bits`."""
