"""Fused optimizer primitives: LARS, momentum with scale and decay, AdamWeightDecay in half precision, AdaFactor."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.api.primitives.fused_optimizer_steps")
