"""Networks and steps under a loss scale."""

from sporax import nn


def scaled_step(sense: object) -> tuple[nn.Cell, nn.Cell]:
    net = nn.Dense(3, 1, weight_init=0.5, bias_init="zeros")
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    return net, nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.MSELoss()), opt, sense)
