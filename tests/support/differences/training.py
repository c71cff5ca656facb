"""Training: data, losses, gradients, optimizers, learning rates, files."""

from differences.row import Difference

TRAINING = [
    Difference(
        "a training step",
        "torch.Tensor.backward",
        "mindspore.value_and_grad",
        """
net = nn.Linear(3, 2)
fill(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
losses = []
for _ in range(3):
    optimizer.zero_grad()
    output = net(x)
    loss = F.mse_loss(output, torch.ones(2, 2))
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
result = [losses, net.weight.detach(), output.detach()]
""",
    ),
    Difference(
        "gradients of inputs",
        "torch.autograd.backward",
        "as tensors.backward() is",
        """
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
z = a ** 2 + b
z.backward()
before = [a.grad, b.grad]
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
z = a ** 2 + b
torch.autograd.backward(z)
result = [before, a.grad, b.grad, z.detach()]
""",
    ),
    Difference(
        "gradients of several outputs",
        "torch.autograd.grad",
        "has_aux=True leaves all but the first",
        """
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)

def net(a, b):
    return a ** 2 + b, a

z, aux = net(a, b)
result = [torch.autograd.grad(z, [a, b]), aux.detach()]
""",
    ),
    Difference(
        "gradient of a vector",
        "torch.Tensor.backward",
        "mindspore.value_and_grad",
        """
a = torch.autograd.Variable(torch.ones(2, 2), requires_grad=True)
b = a * 2
y = b - 1
y.backward(torch.full((2, 2), 3.0))
result = a.grad
""",
    ),
    Difference(
        "gradients add up",
        "torch.Tensor.backward",
        "Where gradients pile up",
        """
net = nn.Linear(3, 2)
fill(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    loss = net(x * i).pow(2).sum() / 2
    loss.backward()
    if i % 2:
        optimizer.step()
        optimizer.zero_grad()
result = net.weight.detach()
""",
    ),
    Difference(
        "keeping the graph",
        "torch.Tensor.backward",
        "retain_graph and create_graph have nothing to do",
        """
a = torch.tensor(2.0, requires_grad=True)
y = a ** 3
y.backward(retain_graph=True)
y.backward()
result = a.grad
""",
    ),
    Difference(
        "derivatives of higher order",
        "torch.autograd.grad",
        "the statements between the inputs",
        """
def first(a):
    y = a ** 3
    return torch.autograd.grad(y, a, create_graph=True)[0]

a = torch.tensor(3.0, requires_grad=True)
slope = first(a)
slope.backward()
result = a.grad
""",
    ),
    Difference(
        "no_grad and enable_grad",
        "torch.no_grad",
        "MindSpore records nothing unless it is asked for a gradient",
        """
a = torch.tensor(1.0, requires_grad=True)
with torch.no_grad():
    frozen = a * 5
    with torch.enable_grad():
        inner = torch.is_grad_enabled()
    outer = torch.is_grad_enabled()
z = a * frozen
z.backward()
result = [a.grad, inner, outer]
""",
    ),
    Difference(
        "where the gradient stops",
        "torch.Tensor.detach",
        "a Tensor has no detach in a graph",
        "a = torch.tensor(3.0, requires_grad=True)\nz = a * a.detach()\nz.backward()\nresult = a.grad\n",
    ),
    Difference(
        "custom derivatives",
        "torch.autograd.Function",
        "a Cell has bprop(inputs",
        """
class Picked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, indices):
        ctx.save_for_backward(indices)
        ctx.size = values.shape[0]
        return values[indices]

    @staticmethod
    def backward(ctx, grad):
        (indices,) = ctx.saved_tensors
        return torch.zeros(ctx.size).index_add(0, indices, grad), None

a = torch.tensor([0.5, 2.0, 1.0], requires_grad=True)
y = (Picked.apply(a, torch.tensor([1, 0, 1])) * torch.tensor([1.0, 2.0, 3.0])).sum()
y.backward()
result = [y.detach(), a.grad]
""",
    ),
    Difference(
        "clipped gradients",
        "torch.nn.utils.clip_grad_norm_",
        "gradients are clipped between value_and_grad and the optimizer",
        """
net = nn.Linear(3, 2)
fill(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = net(x * 10).pow(2).sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
result = net.weight.detach()
""",
    ),
    Difference(
        "losses and their reduction",
        "torch.nn.SmoothL1Loss",
        "nn.SmoothL1Loss has no reduction by default",
        """
y = torch.tensor([[1.0, 0.0, 0.5], [0.5, 1.0, 0.0]])
result = [nn.SmoothL1Loss()(x, y), nn.MSELoss(reduction="sum")(x, y), nn.L1Loss()(x, y), nn.HuberLoss(delta=0.5)(x, y),
          nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0, 1.0, 1.0]))(x, y), F.binary_cross_entropy(x.sigmoid(), y)]
""",
    ),
    Difference(
        "cross entropy",
        "torch.nn.CrossEntropyLoss",
        "nn.SoftmaxCrossEntropyWithLogits has no reduction and dense labels by default",
        """
labels = torch.tensor([2, 0])
soft = torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]])
weight = torch.tensor([1.0, 2.0, 0.5])
result = [nn.CrossEntropyLoss()(x, labels), nn.CrossEntropyLoss(weight, label_smoothing=0.1)(x, labels),
          F.cross_entropy(x, soft), F.cross_entropy(x, torch.tensor([-100, 1])), F.cross_entropy(x, labels, reduction="none"),
          nn.NLLLoss()(F.log_softmax(x, 1), labels)]
""",
    ),
    Difference(
        "divergences and triplets",
        "torch.nn.KLDivLoss",
        "nn.KLDivLoss has no log_target",
        """
y = torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]])
result = [nn.KLDivLoss(reduction="batchmean")(x, y), F.kl_div(x, y.log(), log_target=True, reduction="sum"),
          nn.TripletMarginLoss(margin=0.5, p=2)(x, y, y - x), F.cosine_embedding_loss(x, y, torch.tensor([1, -1]))]
""",
    ),
    *[
        Difference(
            f"formula of {name}",
            f"torch.optim.{name}",
            f"mindspore.experimental.optim.{name}",
            f"""
w = nn.Parameter(torch.tensor([1.0, -2.0]))
optimizer = torch.optim.{name}([w], {options})
for _ in range(4):
    optimizer.zero_grad()
    loss = (w ** 2).sum()
    loss.backward()
    optimizer.step()
result = w.detach()
""",
        )
        for name, options in {
            "SGD": "lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1",
            "Adam": "lr=0.1, weight_decay=0.1",
            "AdamW": "lr=0.1, weight_decay=0.1",
            "RMSprop": "lr=0.1",
            "Adagrad": "lr=0.1",
            "NAdam": "lr=0.1",
            "RAdam": "lr=0.1",
        }.items()
    ],
    Difference(
        "L-BFGS",
        "torch.optim.LBFGS",
        "_LBFGS",
        """
w = nn.Parameter(torch.tensor([1.0, -2.0]))
optimizer = torch.optim.LBFGS([w], lr=0.5, max_iter=3)

def closure():
    optimizer.zero_grad()
    loss = ((w - 1) ** 2).sum()
    loss.backward()
    return loss

for _ in range(2):
    optimizer.step(closure)
result = w.detach()
""",
    ),
    Difference(
        "groups of Parameters",
        "torch.optim.SGD",
        "params",
        """
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
fill(net)
optimizer = torch.optim.SGD([{"params": net[0].parameters(), "weight_decay": 0.1}, {"params": net[2].parameters(), "lr": 1e-3}],
                            lr=1e-1, momentum=0.9)
for _ in range(2):
    optimizer.zero_grad()
    loss = net(x).pow(2).sum()
    loss.backward()
    optimizer.step()
result = [net[0].weight.detach(), net[2].weight.detach(), [float(g["lr"]) for g in optimizer.param_groups]]
""",
    ),
    Difference(
        "settings changed during training",
        "torch.optim.Optimizer.param_groups",
        "learning rates are Parameters",
        """
w = nn.Parameter(torch.tensor([1.0, -2.0]))
optimizer = torch.optim.SGD([w], lr=0.1, weight_decay=0.5)
for _ in range(3):
    optimizer.zero_grad()
    loss = (w ** 2).sum()
    loss.backward()
    optimizer.step()
    for group in optimizer.param_groups:
        group["weight_decay"] *= 0.1
        group["lr"] = group["lr"] * 0.5
result = [w.detach(), [float(g["lr"]) for g in optimizer.param_groups]]
""",
    ),
    Difference(
        "learning rates by epochs",
        "torch.optim.lr_scheduler.ExponentialLR",
        "mindspore.experimental.optim.lr_scheduler.ExponentialLR",
        """
w = nn.Parameter(torch.tensor([1.0, -2.0]))
optimizer = torch.optim.SGD([w], lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
seen = []
for epoch in range(3):
    for _ in range(2):
        optimizer.zero_grad()
        loss = (w ** 2).sum()
        loss.backward()
        optimizer.step()
    scheduler.step()
    seen.append(scheduler.get_last_lr()[0])
result = [seen, w.detach()]
""",
    ),
    Difference(
        "custom learning rates",
        "torch.optim.lr_scheduler.LambdaLR",
        "_of_whole_epochs",
        """
optimizer = torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda epoch: epoch // 5)
seen = []
for epoch in range(12):
    scheduler.step()
    seen.append(scheduler.get_last_lr()[0])
result = seen
""",
    ),
    Difference(
        "the current learning rate",
        "torch.optim.Optimizer.state_dict",
        'stand under "param_groups"',
        """
optimizer = torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.01)
result = [float(optimizer.state_dict()["param_groups"][0]["lr"]), float(optimizer.param_groups[0]["lr"])]
""",
    ),
    Difference(
        "cosine annealing after its end",
        "torch.optim.lr_scheduler.CosineAnnealingLR",
        "CosineAnnealingLR",
        """
optimizer = torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=1.0)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
result = []
for _ in range(8):
    optimizer.step()
    scheduler.step()
    result.append(round(scheduler.get_last_lr()[0], 5))
""",
    ),
    Difference(
        "state of an optimizer",
        "torch.optim.Optimizer.load_state_dict",
        "_load_optimizer_state(self",
        """
def trained(steps, state=None):
    w = nn.Parameter(torch.tensor([1.0, -2.0]) if state is None else state[0].clone())
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    if state is not None:
        optimizer.load_state_dict(state[1])
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (w ** 2).sum()
        loss.backward()
        optimizer.step()
    return w.detach(), optimizer.state_dict()

result = [trained(2, trained(2))[0], trained(4)[0]]
""",
    ),
    Difference(
        "saved and loaded weights",
        "torch.save",
        "mindspore.save_checkpoint keeps a list of Parameters",
        """
import io
layer = nn.Linear(2, 1)
layer.weight.data.fill_(1.0)
layer.bias.data.zero_()
file = io.BytesIO()
torch.save(layer.state_dict(), file)
_ = file.seek(0)
new = nn.Linear(2, 1)
new.load_state_dict(torch.load(file))
result = [new.weight.detach(), new.bias.detach(), list(new.state_dict())]
""",
    ),
    Difference(
        "names in a state_dict",
        "torch.nn.Module.state_dict",
        "gamma",
        """
net = nn.Sequential(nn.BatchNorm1d(3), nn.LayerNorm(3), nn.Embedding(3, 2))
net[0].load_state_dict({"weight": torch.tensor([1.0, 2.0, 3.0])}, strict=False)
result = [list(net.state_dict()), net[0].weight.detach()]
""",
        targets=("mint",),
    ),
    Difference(
        "mixed precision",
        "torch.amp.GradScaler",
        "losses are scaled as in torch",
        """
net = nn.Linear(3, 2)
fill(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(2):
    optimizer.zero_grad()
    with torch.autocast("cpu", enabled=False):
        loss = net(x).pow(2).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
result = [net.weight.detach(), scaler.get_scale()]
""",
    ),
    Difference(
        "batches of data",
        "torch.utils.data.DataLoader",
        "_DataLoader",
        """
class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, i):
        return torch.full((2,), float(i)), i

loader = torch.utils.data.DataLoader(Numbers(), batch_size=3)
short = torch.utils.data.DataLoader(Numbers(), batch_size=3, drop_last=True, num_workers=0, pin_memory=False)
result = [len(loader), len(short), [[a, b] for a, b in loader]]
""",
    ),
    Difference(
        "order of samples",
        "torch.utils.data.DataLoader",
        "GeneratorDataset shuffles by default",
        """
loader = torch.utils.data.DataLoader(torch.arange(6), batch_size=2)
mixed = torch.utils.data.DataLoader(torch.arange(100), batch_size=100, shuffle=True)
first, second = next(iter(mixed)), next(iter(mixed))
result = [[b.tolist() for b in loader], sorted(first.tolist()) == list(range(100)), first.tolist() == second.tolist()]
""",
    ),
    Difference(
        "samplers",
        "torch.utils.data.WeightedRandomSampler",
        "_WeightedRandomSampler",
        """
data = torch.utils.data.TensorDataset(torch.arange(4.0))
sampler = torch.utils.data.WeightedRandomSampler([0.0, 1.0, 0.0, 0.0], 3)
loader = torch.utils.data.DataLoader(data, batch_size=3, sampler=sampler)
part = torch.utils.data.distributed.DistributedSampler(range(7), num_replicas=2, rank=1, shuffle=False)
result = [[b[0] for b in loader], list(part)]
""",
    ),
    Difference(
        "evaluation",
        "torch.nn.Module.eval",
        "set_train(False)",
        """
net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Dropout(0.5))
fill(net)
_ = net(x)
net.eval()
with torch.no_grad():
    predicted = net(x).argmax(dim=1)
correct = (predicted == torch.tensor([0, 1])).sum().item()
result = [predicted, correct, net.training]
""",
    ),
    Difference(
        "control flow by values",
        "torch.Tensor.item",
        "a branch by a value runs eagerly as in torch",
        """
class Net(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        while x.max().item() < 3:
            x = x + 1
        return x

net = Net()
result = [net(x), net(-x)]
""",
    ),
    Difference(
        "compiled functions",
        "torch.compile",
        "mindspore.jit",
        "f = torch.compile(lambda x: x * 2, disable=True)\nresult = f(x)\n",
    ),
    Difference(
        "gradient checkpointing",
        "torch.utils.checkpoint.checkpoint",
        "recompute",
        "from torch.utils.checkpoint import checkpoint\nresult = checkpoint(lambda y: y.tanh(), x, use_reentrant=False)\n",
    ),
    Difference(
        "processes",
        "torch.distributed.init_process_group",
        "mindspore.communication.init()",
        """
import torch.distributed as dist
result = [dist.is_available(), dist.is_initialized()]
if dist.is_initialized():
    result = [dist.get_rank(), dist.get_world_size()]
""",
    ),
]
