"""Checkpoints during training."""

from sporax._src.train.checkpointing import CheckpointConfig, ModelCheckpoint

__all__ = [
    "CheckpointConfig",
    "ModelCheckpoint",
]
