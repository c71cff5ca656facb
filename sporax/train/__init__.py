"""Training: Model, callbacks, metrics, checkpoints."""

from sporax._src.checkpoint.serialization import load_checkpoint, load_param_into_net, save_checkpoint
from sporax._src.train.amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, build_train_network
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
from sporax._src.train.metrics import get_metric_fn, names
from sporax._src.train.metrics.classes import F1, Accuracy, Fbeta, Precision, Recall
from sporax._src.train.metrics.confusion import ConfusionMatrix
from sporax._src.train.metrics.confusion_rates import ConfusionMatrixMetric
from sporax._src.train.metrics.error import MAE, MSE, Loss
from sporax._src.train.metrics.metric import EvaluationBase, Metric, rearrange_inputs
from sporax._src.train.metrics.occlusion import OcclusionSensitivity
from sporax._src.train.metrics.overlap import CosineSimilarity, Dice
from sporax._src.train.metrics.roc import ROC, auc
from sporax._src.train.metrics.surface import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from sporax._src.train.metrics.text import BleuScore, Perplexity
from sporax._src.train.metrics.topk import Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy
from sporax._src.train.model import Model
from sporax.train import amp, callback, loss_scale_manager, metrics, model, serialization

__all__ = [
    "rearrange_inputs",
    "auc",
    "TopKCategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "Top1CategoricalAccuracy",
    "RootMeanSquareDistance",
    "Recall",
    "ROC",
    "Precision",
    "Perplexity",
    "OcclusionSensitivity",
    "MeanSurfaceDistance",
    "MSE",
    "MAE",
    "HausdorffDistance",
    "Fbeta",
    "F1",
    "Dice",
    "CosineSimilarity",
    "ConfusionMatrixMetric",
    "ConfusionMatrix",
    "BleuScore",
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
