"""Callbacks."""

from sporax._src.train.callback import (
    Callback,
    CallbackList,
    History,
    InternalCallbackParam,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    RunContext,
    TimeMonitor,
)
from sporax._src.train.checkpointing import CheckpointConfig, ModelCheckpoint

__all__ = [
    "Callback",
    "CallbackList",
    "CheckpointConfig",
    "History",
    "InternalCallbackParam",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "RunContext",
    "TimeMonitor",
]
