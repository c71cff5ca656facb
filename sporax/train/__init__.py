"""Training: Model, callbacks, metrics, checkpoints."""

from sporax._src.checkpoint.convert import (
    async_ckpt_thread_status,
    check_checkpoint,
    ckpt_to_safetensors,
    load_checkpoint_async,
    safetensors_to_ckpt,
)
from sporax._src.checkpoint.export import export, load
from sporax._src.checkpoint.serialization import load_checkpoint, load_param_into_net, save_checkpoint
from sporax._src.checkpoint.sharded.distributed import load_distributed_checkpoint
from sporax._src.checkpoint.sharded.merging import (
    build_searched_strategy,
    merge_sliced_parameter,
    restore_group_info_list,
)
from sporax._src.checkpoint.sharded.redundancy import get_ckpt_path_with_strategy
from sporax._src.nn.thor_conversion import ConvertNetUtils
from sporax._src.train.callbacks.backup import BackupAndRestore, OnRequestExit, ResumeFrom
from sporax._src.train.callbacks.callback import (
    Callback,
    CallbackList,
    InternalCallbackParam,
    LambdaCallback,
    LearningRateScheduler,
    RunContext,
)
from sporax._src.train.callbacks.checkpointing import CheckpointConfig, ModelCheckpoint
from sporax._src.train.callbacks.flops_utilization import FlopsUtilizationCollector
from sporax._src.train.callbacks.history import History
from sporax._src.train.callbacks.landscape import SummaryLandscape
from sporax._src.train.callbacks.mlflow_tracking import MLflowCallback
from sporax._src.train.callbacks.monitor import LossMonitor, TimeMonitor
from sporax._src.train.callbacks.plateau import EarlyStopping, ReduceLROnPlateau
from sporax._src.train.callbacks.progress import ProgressBar
from sporax._src.train.callbacks.summary_collector import SummaryCollector
from sporax._src.train.callbacks.summary_record import SummaryRecord
from sporax._src.train.callbacks.wandb_tracking import WandbCallback
from sporax._src.train.dataset_helper import DatasetHelper, connect_network_with_dataset, data_sink
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
from sporax._src.train.optax_optimizer import OptaxOptimizer
from sporax._src.train.run_state import load_state, save_state
from sporax._src.train.thor import ConvertModelUtils
from sporax.amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, build_train_network

__all__ = [
    "async_ckpt_thread_status",
    "check_checkpoint",
    "ckpt_to_safetensors",
    "export",
    "get_ckpt_path_with_strategy",
    "load",
    "load_checkpoint_async",
    "safetensors_to_ckpt",
    "SummaryCollector",
    "SummaryLandscape",
    "SummaryRecord",
    "load_distributed_checkpoint",
    "merge_sliced_parameter",
    "restore_group_info_list",
    "load_state",
    "ResumeFrom",
    "save_state",
    "Accuracy",
    "BackupAndRestore",
    "BleuScore",
    "Callback",
    "CallbackList",
    "CheckpointConfig",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "ConvertModelUtils",
    "ConvertNetUtils",
    "CosineSimilarity",
    "DatasetHelper",
    "Dice",
    "DynamicLossScaleManager",
    "EarlyStopping",
    "EvaluationBase",
    "F1",
    "Fbeta",
    "FixedLossScaleManager",
    "HausdorffDistance",
    "FlopsUtilizationCollector",
    "History",
    "InternalCallbackParam",
    "LambdaCallback",
    "LearningRateScheduler",
    "Loss",
    "LossMonitor",
    "LossScaleManager",
    "MAE",
    "MLflowCallback",
    "MSE",
    "MeanSurfaceDistance",
    "Metric",
    "Model",
    "ModelCheckpoint",
    "OcclusionSensitivity",
    "OnRequestExit",
    "OptaxOptimizer",
    "Perplexity",
    "Precision",
    "ProgressBar",
    "ROC",
    "Recall",
    "ReduceLROnPlateau",
    "RootMeanSquareDistance",
    "RunContext",
    "TimeMonitor",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "WandbCallback",
    "auc",
    "build_searched_strategy",
    "build_train_network",
    "connect_network_with_dataset",
    "data_sink",
    "get_metric_fn",
    "load_checkpoint",
    "load_param_into_net",
    "names",
    "rearrange_inputs",
    "save_checkpoint",
]
