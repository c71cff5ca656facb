"""Labels out of range are errors of losses, as functions and as layers."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops

pytestmark = pytest.mark.of_cpus("other devices do not look at indices")


LABELS = {
    "SoftmaxCrossEntropyWithLogits": lambda: nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
    "CrossEntropyLoss": nn.CrossEntropyLoss,
    "NLLLoss": nn.NLLLoss,
    "MultiMarginLoss": nn.MultiMarginLoss,
    "SparseSoftmaxCrossEntropyWithLogits": ops.SparseSoftmaxCrossEntropyWithLogits,
}


@pytest.mark.parametrize("label", [3, 7])
@pytest.mark.parametrize("name", LABELS)
def test_labels_above_the_last_class(name, label, mode):
    scores = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(IndexError, match=rf", 3\), but got {label}"):
        LABELS[name]()(scores, Tensor([0, label], ms.int32))


@pytest.mark.parametrize(
    "name", ["SoftmaxCrossEntropyWithLogits", "MultiMarginLoss", "SparseSoftmaxCrossEntropyWithLogits"]
)
def test_labels_do_not_count_from_the_end(name, mode):
    scores = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(IndexError, match=r"should be in the range \[0, 3\), but got -1"):
        LABELS[name]()(scores, Tensor([0, -1], ms.int32))


def test_labels_of_other_losses(mode):
    scores = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(IndexError, match=r"\[-3, 3\), but got 5"):
        nn.FocalLoss()(scores, Tensor([[0], [5]], ms.int32))
    with pytest.raises(IndexError, match=r"\[-1, 3\), but got 4"):
        nn.MultilabelMarginLoss()(scores, Tensor([[0, 4, -1], [0, 1, -1]], ms.int32))
    with pytest.raises(IndexError, match=r"\[0, 3\), but got -1"):
        ops.NLLLoss()(scores, Tensor([0, -1], ms.int32), ops.ones(3))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="sum")  # here such a label has no class, as there
    assert loss(scores, Tensor([0, 7], ms.int32)).asnumpy() == loss(scores[:1], Tensor([0], ms.int32)).asnumpy()
