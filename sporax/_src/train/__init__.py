"""Training: `model`, callbacks (`callback`, `monitor`, `checkpointing`, `summary`), `metrics`, `amp`, `loss_scale`."""
