"""Training: `model`, callbacks (`callback`, `monitor`, `checkpointing`, `summary`), `metrics`, `amp` (mixed precision), `loss_scale`."""
