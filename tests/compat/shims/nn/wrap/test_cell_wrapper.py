"""The steps of training of `nn.wrap.cell_wrapper`."""

from sporax import Tensor, nn
from sporax._src.compat.shims.nn.wrap.cell_wrapper import _TrainGradAccuStepCell


def test_gradients_of_micro_batches_are_averaged() -> None:
    net = nn.PipelineCell(nn.WithLossCell(nn.Dense(1, 1, weight_init="ones", has_bias=False), nn.MSELoss()), 2)
    step = _TrainGradAccuStepCell(net, nn.SGD(net.trainable_params(), 0.5))
    step(Tensor([[1.0], [1.0]]), Tensor([[0.0], [0.0]]))
    assert net.trainable_params()[0].item() == 0.0  # 1 - 0.5 · (2 + 2) / 2
