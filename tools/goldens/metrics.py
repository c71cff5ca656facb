"""Metrics over batches of small inputs: what eval() answers, or the error."""

from pathlib import Path
from typing import Any

import numpy as np
from mindspore import Tensor, train

from .common import error_text, set_mode, write_json

SCORES = "[[0.2, 0.5, 0.3], [0.3, 0.1, 0.6], [0.9, 0.06, 0.04], [0.1, 0.8, 0.1]]"
MASKS = "[[[0, 1, 0], [1, 0, 1]], [[1, 1, 0], [0, 0, 1]]], [[[0, 1, 1], [1, 0, 1]], [[1, 0, 0], [0, 1, 1]]]"
BINARY = "[[[0, 1, 0], [1, 0, 1]]], [[[0, 1, 1], [1, 0, 0]]]"
SHAPE = "np.array([[3, 0, 1, 0], [1, 3, 0, 2], [1, 3, 3, 3], [0, 1, 3, 1]])"
OTHER = "np.array([[0, 0, 1, 2], [0, 3, 3, 2], [1, 3, 3, 0], [0, 3, 1, 1]])"

# How the metric is made, the batches it is given (one tuple each), and the arguments of eval().
CASES = [
    ("Accuracy()", [f"({SCORES}, [1, 0, 0, 1])"], ""),
    ("Accuracy()", [f"({SCORES}, [1, 0, 0, 1])", "([[0.2, 0.5, 0.3]], [2])"], ""),
    ("Accuracy()", [f"({SCORES}, [[0, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1]])"], ""),
    ("Accuracy('multilabel')", ["([[0, 1, 1], [1, 0, 1]], [[0, 1, 1], [1, 1, 1]])"], ""),
    ("Accuracy()", [f"({SCORES}, [1, 0, 0])"], ""),
    ("Accuracy()", [f"({SCORES}, [1, 0, 0, 1])", "([[0.2, 0.8]], [1])"], ""),
    ("Accuracy()", [f"({SCORES},)"], ""),
    ("Accuracy('multilabel')", ["([[0, 2], [1, 0]], [[0, 1], [1, 1]])"], ""),
    ("Accuracy('other')", [], ""),
    ("Accuracy()", [], ""),
    ("Accuracy()", ["('text', [1])"], ""),
    ("Loss()", ["(0.5,)"], ""),
    ("Loss()", ["(np.float32(0.5),)"], ""),
    ("Loss()", ["(np.array([0.5]),)", "(np.array([0.25, 0.75]),)", "(np.array(2.0),)"], ""),
    ("Loss()", ["(np.array([[0.5]]),)"], ""),
    ("Loss()", ["(np.array(0.5), np.array(1.0))"], ""),
    ("Loss()", [], ""),
    ("Precision()", [f"({SCORES}, [1, 0, 0, 1])"], ""),
    ("Precision()", [f"({SCORES}, [1, 0, 0, 1])", f"({SCORES}, [1, 2, 0, 2])"], "True"),
    ("Precision('multilabel')", ["([[0, 1, 1], [1, 0, 1]], [[0, 1, 1], [1, 1, 1]])"], ""),
    ("Precision('multilabel')", ["([[0, 1, 1], [1, 0, 1]], [[0, 1, 1], [1, 1, 1]])"] * 2, "average=True"),
    ("Precision()", [f"({SCORES}, [1, 0, 0, 3])"], ""),
    ("Precision()", [], ""),
    ("Recall()", [f"({SCORES}, [1, 0, 0, 1])"], ""),
    ("Recall()", [f"({SCORES}, [1, 0, 0, 1])", f"({SCORES}, [1, 2, 0, 2])"], "True"),
    ("Recall('multilabel')", ["([[0, 1, 1], [1, 0, 1]], [[0, 1, 1], [1, 1, 1]])"], ""),
    ("Recall('multilabel')", ["([[0, 1, 1], [1, 0, 1]], [[0, 1, 1], [1, 1, 1]])"], "True"),
    ("Recall()", [f"({SCORES}, [1, 0, 0, 1])"], "'yes'"),
    ("F1()", [f"({SCORES}, [1, 0, 0, 1])"], ""),
    ("F1()", [f"({SCORES}, [1, 0, 0, 1])"], "True"),
    ("Fbeta(0.5)", [f"({SCORES}, [1, 0, 0, 1])", f"({SCORES}, [1, 2, 0, 2])"], ""),
    ("Fbeta(2)", [f"({SCORES}, [[0, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1]])"], "average=True"),
    ("Fbeta(0)", [], ""),
    ("Fbeta(1)", [], ""),
    ("TopKCategoricalAccuracy(2)", [f"({SCORES}, [1, 0, 2, 1])"], ""),
    ("TopKCategoricalAccuracy(3)", [f"({SCORES}, [1, 0, 2, 1])"], ""),
    ("TopKCategoricalAccuracy(0)", [], ""),
    ("TopKCategoricalAccuracy('1')", [], ""),
    ("TopKCategoricalAccuracy(1)", [], ""),
    ("Top1CategoricalAccuracy()", [f"({SCORES}, [1, 0, 0, 1])", f"({SCORES}, [1, 2, 0, 2])"], ""),
    ("Top5CategoricalAccuracy()", ["(np.arange(14.0).reshape(2, 7) % 5, [0, 4])"], ""),
    ("MAE()", ["([0.1, 0.2, 0.6, 0.9], [0.1, 0.25, 0.7, 0.9])", "([1.0], [3.0])"], ""),
    ("MAE()", ["([[0.1, 0.2], [0.6, 0.9]], [[0.1, 0.25], [0.7, 0.9]])"], ""),
    ("MAE()", [], ""),
    ("MSE()", ["([0.1, 0.2, 0.6, 0.9], [0.1, 0.25, 0.5, 0.9])", "([1.0], [3.0])"], ""),
    ("MSE()", ["([1.0],)"], ""),
    ("Dice()", ["([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [[0, 1], [1, 0], [0, 1]])"], ""),
    ("Dice(0.1)", ["([[0.2, 0.5], [0.3, 0.1]], [[0, 1], [1, 0]])"] * 2, ""),
    ("Dice()", ["([[0.2, 0.5]], [[0, 1], [1, 0]])"], ""),
    ("Dice(-1.0)", [], ""),
    ("Dice()", [], ""),
    ("ROC(pos_label=1)", ["([3, 1, 4, 2], [0, 1, 1, 0])"], ""),
    ("ROC()", ["([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])"], ""),
    (
        "ROC(class_num=3)",
        ["([[0.28, 0.55, 0.15], [0.10, 0.20, 0.7], [0.25, 0.5, 0.25], [0.5, 0.2, 0.3]], [0, 1, 2, 1])"],
        "",
    ),
    ("ROC(class_num=2)", [f"({SCORES}, [1, 0, 0, 1])"], ""),
    ("ROC()", ["([0.1, 0.4], [1, 1])"], ""),
    ("ROC()", [], ""),
    ("Perplexity()", ["([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [0, 1, 1])"], ""),
    ("Perplexity(ignore_label=0)", ["([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [0, 1, 1])"], ""),
    ("Perplexity()", ["([[0.2, 0.5], [0.3, 0.1]], [0, 1, 1])"], ""),
    ("Perplexity('0')", [], ""),
    ("Perplexity()", [], ""),
    (
        "BleuScore()",
        [
            "([['i', 'have', 'a', 'pen', 'on', 'my', 'desk']], [[['i', 'have', 'a', 'pen', 'in', 'my', 'desk'], "
            "['there', 'is', 'a', 'pen', 'on', 'the', 'desk']]])"
        ],
        "",
    ),
    (
        "BleuScore(n_gram=2, smooth=True)",
        [
            "([['a', 'b', 'c', 'd'], ['a', 'a']], [[['a', 'b', 'd', 'd', 'e', 'f']], [['a', 'b'], ['a']]])",
            "([['x', 'y']], [[['x', 'y', 'z']]])",
        ],
        "",
    ),
    ("BleuScore()", ["([['a']], [[['b']]])"], ""),
    ("BleuScore(n_gram=5)", [], ""),
    ("BleuScore()", ["([['a']], [[['b']], [['c']]])"], ""),
    ("BleuScore()", [], ""),
    ("CosineSimilarity()", ["(np.array([[1, 3, 4, 7], [2, 4, 2, 5], [3, 1, 5, 8]]),)"], ""),
    ("CosineSimilarity(similarity='dot', reduction='sum')", ["(np.array([[1.0, 3], [2, 4]]),)"], ""),
    ("CosineSimilarity('cosine', 'mean', False)", ["(np.array([[1.0, 3], [2, 4]]),)"], ""),
    ("CosineSimilarity('euclid')", [], ""),
    ("CosineSimilarity()", [], ""),
    ("ConfusionMatrix(num_classes=2)", ["([1, 0, 1, 0], [1, 0, 0, 1])", "([1, 1], [1, 1])"], ""),
    ("ConfusionMatrix(num_classes=2, normalize='target')", ["([1, 0, 1, 0], [1, 0, 0, 1])"], ""),
    ("ConfusionMatrix(2, 'prediction', 0.7)", ["([0.9, 0.6, 0.8, 0.1], [1, 0, 0, 1])"], ""),
    ("ConfusionMatrix(3, 'all')", [f"({SCORES}, [1, 0, 0, 1])"], ""),
    ("ConfusionMatrix(3, 'rows')", [], ""),
    ("ConfusionMatrix(3)", ["([[[1]]], [1])"], ""),
    ("ConfusionMatrix(2)", [], ""),
    *[
        (f"ConfusionMatrixMetric(metric_name={name!r})", [f"({MASKS})"], "")
        for name in (
            "sensitivity",
            "specificity",
            "precision",
            "negative predictive value",
            "miss rate",
            "fall out",
            "false discovery rate",
            "false omission rate",
            "prevalence threshold",
            "threat score",
            "accuracy",
            "balanced accuracy",
            "f1 score",
            "matthews correlation coefficient",
            "fowlkes mallows index",
            "informedness",
            "markedness",
            "nonsense",
        )
    ],
    *[
        (
            f"ConfusionMatrixMetric({skip}, 'tpr', True, {how!r})",
            [f"({MASKS})", f"({BINARY})"][: 2 if how == "mean" else 1],
            "",
        )
        for skip in (True, False)
        for how in ("mean", "sum")
    ],
    ("ConfusionMatrixMetric(calculation_method=True, decrease='most')", [], ""),
    ("ConfusionMatrixMetric()", ["([[0.5, 1]], [[0.5, 1]])"], ""),
    ("HausdorffDistance()", [f"({SHAPE}, {OTHER}, 1)"], ""),
    ("HausdorffDistance(directed=True)", [f"({SHAPE}, {OTHER}, 3)"], ""),
    ("HausdorffDistance('chessboard', 50.0, crop=False)", [f"({SHAPE}, {OTHER}, 3)"], ""),
    ("HausdorffDistance('taxicab')", [f"({SHAPE}, {OTHER}, 3)"], ""),
    ("HausdorffDistance(percentile=200.0)", [f"({SHAPE}, {OTHER}, 3)"], ""),
    ("HausdorffDistance('other')", [], ""),
    ("HausdorffDistance()", [f"({SHAPE}, {OTHER}, 7)"], ""),
    ("HausdorffDistance()", [f"({SHAPE}, {OTHER}, 'a')"], ""),
    ("HausdorffDistance()", [f"({SHAPE}, {OTHER})"], ""),
    ("HausdorffDistance()", [], ""),
    *[
        (f"{name}({args})", [f"({SHAPE}, {OTHER}, {label})"], "")
        for name in ("MeanSurfaceDistance", "RootMeanSquareDistance")
        for args, label in (
            ("", 3),
            ("symmetric=True", 3),
            ("True, 'chessboard'", 1),
            ("distance_metric='taxicab'", 3),
            ("", 7),
        )
    ],
    ("MeanSurfaceDistance(distance_metric='other')", [], ""),
    ("auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.8, 1.0]))", None, ""),
    ("auc(np.array([1.0, 0.5, 0.0]), np.array([1.0, 0.8, 0.0]))", None, ""),
    ("auc(np.array([0.0, 1.0, 0.5]), np.array([0.0, 1.0, 0.8]), reorder=True)", None, ""),
    ("auc(np.array([0.0, 1.0, 0.5]), np.array([0.0, 1.0, 0.8]))", None, ""),
    ("auc(np.array([0.0, 1.0]), np.array([0.0]))", None, ""),
    ("auc(np.array([0.0]), np.array([0.0]))", None, ""),
    ("auc([0.0, 1.0], [0.0, 1.0])", None, ""),
]


def plain(value: Any) -> Any:
    """Return a result as lists and floats."""
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value, np.float64).tolist()
    return float(value)


def run(text: str, batches: list[str] | None, options: str) -> Any:
    """Return what a metric answers."""
    names = {"np": np, **{name: getattr(train, name) for name in dir(train)}}
    try:
        made = eval(text, names)
        if batches is None:
            return plain(made)
        for batch in batches:
            made.update(*[Tensor(v) if isinstance(v, np.ndarray) else v for v in eval(batch, names)])
        return plain(eval(f"made.eval({options})", {"made": made}))
    except Exception as error:
        return {"error": error_text(error)}


def record(out: Path) -> None:
    """Write ``metrics.json``."""
    set_mode("pynative")
    cases = [{"make": t, "batches": b, "eval": o, "answer": run(t, b, o)} for t, b, o in CASES]
    data = {f"{n:03}": case for n, case in enumerate(cases)}
    write_json(out / "metrics.json", {"cases": data, "names": sorted(train.names())})
