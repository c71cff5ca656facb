"""Optimizers: schedules of learning rates, groups of Parameters, weight decay, and momentum."""

import sporax as ms
from sporax import Tensor, nn
from sporax.experimental import optim


def main() -> None:
    net = nn.SequentialCell(nn.Dense(4, 4), nn.LayerNorm((4,)), nn.Dense(4, 2))
    decayed = [p for p in net.trainable_params() if p.ndim > 1]
    others = [p for p in net.trainable_params() if p.ndim <= 1]
    rate = nn.cosine_decay_lr(min_lr=0.0, max_lr=0.1, total_step=10, step_per_epoch=5, decay_epoch=2)
    groups = [
        {"params": decayed, "weight_decay": 0.01, "lr": 0.1},
        {"params": others},
        {"order_params": net.trainable_params()},
    ]
    adam = nn.AdamWeightDecay(groups, learning_rate=rate, beta1=0.9, beta2=0.98)
    sgd = nn.SGD(net.trainable_params(), learning_rate=nn.ExponentialDecayLR(0.1, 0.9, 4), momentum=0.9, nesterov=True)

    class Warmup(nn.LearningRateSchedule):
        def __init__(self, peak: float, steps: int) -> None:
            super().__init__()
            self.warmup = nn.WarmUpLR(peak, steps)

        def construct(self, global_step: Tensor) -> Tensor:
            return self.warmup(global_step) * 0.5

    lamb = nn.Lamb(net.trainable_params(), learning_rate=Warmup(0.1, 5))
    adamw = optim.AdamW(net.trainable_params(), lr=0.01, weight_decay=0.1)
    schedule = optim.lr_scheduler.StepLR(adamw, step_size=2, gamma=0.5)

    def loss_of(x: Tensor) -> Tensor:
        return net(x).square().mean()

    x = Tensor([[1.0, 2.0, 3.0, 4.0]], ms.float32)
    for optimizer in (adam, sgd, lamb):
        loss, grads = ms.value_and_grad(loss_of, None, optimizer.parameters)(x)
        optimizer(grads)
        print(loss, optimizer.get_lr(), optimizer.global_step.value())
    loss, grads = ms.value_and_grad(loss_of, None, weights=net.trainable_params())(x)
    adamw(grads)
    schedule.step()
    print(loss.asnumpy(), schedule.get_last_lr(), adamw.param_groups[0]["lr"])


if __name__ == "__main__":
    main()
