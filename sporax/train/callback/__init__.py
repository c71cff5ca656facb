"""Callbacks."""

from sporax._src.train.backup import BackupAndRestore, OnRequestExit
from sporax._src.train.callback import (
    Callback,
    CallbackList,
    History,
    InternalCallbackParam,
    LambdaCallback,
    LearningRateScheduler,
    RunContext,
)
from sporax._src.train.callback import CallbackList as _CallbackManager
from sporax._src.train.callback import CallbackList as _ListCallback
from sporax._src.train.callback import InternalCallbackParam as _InternalCallbackParam
from sporax._src.train.checkpointing import CheckpointConfig, ModelCheckpoint
from sporax._src.train.monitor import LossMonitor, TimeMonitor
from sporax._src.train.plateau import EarlyStopping, ReduceLROnPlateau
from sporax._src.train.summary import SummaryCollector

__all__ = [
    "SummaryCollector",
    "BackupAndRestore",
    "Callback",
    "CallbackList",
    "CheckpointConfig",
    "EarlyStopping",
    "History",
    "InternalCallbackParam",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "OnRequestExit",
    "ReduceLROnPlateau",
    "RunContext",
    "TimeMonitor",
    "_CallbackManager",
    "_InternalCallbackParam",
    "_ListCallback",
]
