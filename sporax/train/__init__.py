"""Training: Model, callbacks, metrics, checkpoints."""

from sporax.train import amp, callback, loss_scale_manager, metrics, model, serialization
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
from sporax._src.checkpoint.serialization import load_checkpoint, load_param_into_net, save_checkpoint
from sporax._src.train.model import Model
from sporax._src.train.amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from sporax._src.train.metrics import Accuracy, EvaluationBase, Loss, Metric, get_metric_fn, names
from sporax._src.train.amp import build_train_network

__all__ = [
    "Accuracy",
    "Callback",
    "CallbackList",
    "CheckpointConfig",
    "DynamicLossScaleManager",
    "EvaluationBase",
    "FixedLossScaleManager",
    "History",
    "InternalCallbackParam",
    "LambdaCallback",
    "LearningRateScheduler",
    "Loss",
    "LossMonitor",
    "LossScaleManager",
    "Metric",
    "Model",
    "ModelCheckpoint",
    "RunContext",
    "TimeMonitor",
    "amp",
    "build_train_network",
    "callback",
    "get_metric_fn",
    "load_checkpoint",
    "load_param_into_net",
    "loss_scale_manager",
    "metrics",
    "model",
    "names",
    "save_checkpoint",
    "serialization",
]
