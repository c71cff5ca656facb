"""Cells: layers, losses, containers and optimizers."""

from typing import TYPE_CHECKING

from sporax._src import optim as optimizers
from sporax._src.core.parameter import no_init_parameters
from sporax._src.nn import layers
from sporax._src.nn.layers import *  # noqa: F403
from sporax._src.optim import *  # noqa: F403
from sporax._src.optim.schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)

if TYPE_CHECKING:  # imported when a program first asks for them
    from sporax._src.checkpoint.export import GraphCell
    from sporax._src.train.loss_scale import (
        DynamicLossScaleUpdateCell,
        FixedLossScaleUpdateCell,
        TrainOneStepWithLossScaleCell,
    )
    from sporax._src.train.metrics import get_metrics
    from sporax.nn import probability, utils
    from sporax.train import (
        F1,
        MAE,
        MSE,
        ROC,
        Accuracy,
        BleuScore,
        ConfusionMatrix,
        ConfusionMatrixMetric,
        CosineSimilarity,
        Dice,
        EvaluationBase,
        Fbeta,
        HausdorffDistance,
        Loss,
        MeanSurfaceDistance,
        Metric,
        OcclusionSensitivity,
        Perplexity,
        Precision,
        Recall,
        RootMeanSquareDistance,
        Top1CategoricalAccuracy,
        Top5CategoricalAccuracy,
        TopKCategoricalAccuracy,
        auc,
        get_metric_fn,
        names,
        rearrange_inputs,
    )

__all__ = [
    "Accuracy",
    "BleuScore", "ConfusionMatrix", "ConfusionMatrixMetric", "CosineDecayLR", "CosineSimilarity", "Dice",
    "DynamicLossScaleUpdateCell", "EvaluationBase", "ExponentialDecayLR", "F1", "Fbeta",
    "FixedLossScaleUpdateCell", "GraphCell", "HausdorffDistance", "InverseDecayLR",
    "LearningRateSchedule", "Loss", "MAE", "MSE", "MeanSurfaceDistance", "Metric", "NaturalExpDecayLR",
    "OcclusionSensitivity", "Perplexity", "PolynomialDecayLR", "Precision",
    "ROC", "Recall", "RootMeanSquareDistance", "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy", "TopKCategoricalAccuracy", "TrainOneStepWithLossScaleCell", "WarmUpLR", "auc",
    "cosine_decay_lr", "exponential_decay_lr", "get_metric_fn", "get_metrics", "inverse_decay_lr", "names",
    "natural_exp_decay_lr", "no_init_parameters", "piecewise_constant_lr", "polynomial_decay_lr",
    "rearrange_inputs", "warmup_lr",
]  # fmt: skip
__all__ += layers.__all__
__all__ += optimizers.__all__
__all__ += ["probability", "utils"]
