"""Probability distributions and bijectors.

Reading order: `rules` (how a formula becomes a method), `parametric`, `distribution`; `discrete`, `positive`, `location_scale`,
`log_normal_gumbel`; `transformed`, `bijectors`.
"""
