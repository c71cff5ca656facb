"""Networks: layers, their defaults, Parameters and modes."""

from differences.row import Difference

NETWORKS = [
    Difference(
        "base class and forward",
        "torch.nn.Module",
        "forward is construct",
        """
class Net(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.net = inner
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(self.net(x))

net = Net(nn.Conv2d(3, 4, 4, bias=False))
fill(net)
result = net(image)
""",
    ),
    Difference(
        "mode of a new network",
        "torch.nn.Module",
        "set_train() is written after",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.999999)

    def forward(self, x):
        return self.drop(x)

net = Net()
result = [net.training, net(x), net.eval()(x), net.training, net.train().training]
""",
    ),
    Difference(
        "names of Parameters",
        "torch.nn.Module.named_parameters",
        "_named_parameters",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(3)
        self.fc = nn.Linear(3, 2)
        self.table = nn.Embedding(4, 2)
        self.act = nn.PReLU()
        self.last = nn.Sequential(nn.LayerNorm(3), nn.GroupNorm(1, 3))

result = [n for n, p in Net().named_parameters()]
""",
        targets=("mint",),
    ),
    Difference(
        "weights of norms and embeddings",
        "torch.nn.LayerNorm.weight",
        "gamma",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.last = nn.LayerNorm(3)
        self.table = nn.Embedding(4, 3)
        self.out = nn.Linear(3, 4, bias=False)
        self.out.weight = self.table.weight

    def forward(self, x):
        return self.out(self.last(self.norm(x)))

net = Net()
fill(net)
result = [net.norm.weight.detach(), net.last.bias.detach(), net.norm.running_mean, net.table.weight.detach(), net(x),
          net.table.embedding_dim, net.out.out_features]
""",
    ),
    Difference(
        "children and modules",
        "torch.nn.Module.named_modules",
        "cells_and_names",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.add_module('conv3', nn.Conv2d(64, 128, 3, 1))
        self.block = nn.Sequential(nn.ReLU(), nn.Conv2d(128, 256, 3, 1), nn.ReLU())

net = Net()
result = [[n for n, m in net.named_modules()], [n for n, m in net.named_children()], len(list(net.children())),
          len(list(net.modules()))]
""",
    ),
    Difference(
        "a child added by name",
        "torch.nn.Module.add_module",
        "_add_module",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_module('fc', nn.Linear(3, 2))

    def forward(self, x):
        return self.fc(x)

net = Net()
fill(net)
result = [net(x), [p.shape for p in net.parameters()]]
""",
    ),
    Difference(
        "frozen Parameters",
        "torch.nn.Module.named_parameters",
        "_named_parameters",
        """
net = nn.Linear(2, 1)
for name, param in net.named_parameters():
    if "bias" in name:
        param.requires_grad = False
result = [name for name, param in net.named_parameters() if param.requires_grad]
""",
    ),
    Difference(
        "buffers",
        "torch.nn.Module.register_buffer",
        "register_buffer",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        return x * self.scale

net = Net()
result = [net(x), len(list(net.parameters())), [n for n, b in net.named_buffers()], list(net.state_dict())]
""",
    ),
    Difference(
        "lists of layers",
        "torch.nn.ModuleList",
        "nn.CellList",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
        self.more = nn.ModuleDict({"a": nn.Linear(3, 3)})
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.more["a"](x) * self.scales[0] + self.scales[1]

net = Net()
fill(net)
result = [net(x), len(list(net.parameters()))]
""",
    ),
    Difference(
        "padding and bias of Conv2d",
        "torch.nn.Conv2d",
        "pad_mode='pad'",
        "net = nn.Conv2d(3, 4, 4)\nfill(net)\nresult = [net(image), net.bias is None]\n",
    ),
    Difference(
        "explicit padding",
        "torch.nn.Conv2d",
        "pad_mode='pad', padding=",
        """
net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1, stride=2), nn.Conv2d(4, 4, (3, 2), padding=(1, 0), groups=2, bias=False))
fill(net)
result = net(image)
""",
    ),
    Difference(
        "the odd side of padding 'same'",
        "torch.nn.Conv2d",
        "pad_mode=padding",
        "net = nn.Conv2d(3, 4, 4, padding='same')\nfill(net)\nresult = net(image)\n",
    ),
    Difference(
        "padding with values other than zero",
        "torch.nn.Conv2d",
        "padding_mode",
        "net = nn.Conv2d(3, 4, 3, padding=1, padding_mode='reflect')\nfill(net)\nresult = net(image)\n",
        targets=("mint",),
        refused=("classic",),
    ),
    Difference(
        "weight of Conv1d",
        "torch.nn.Conv1d",
        "pad_mode='pad'",
        "net = nn.Conv1d(6, 4, 3, padding=1)\nfill(net)\nresult = net(image[0])\n",
    ),
    Difference(
        "transposed convolutions",
        "torch.nn.ConvTranspose2d",
        "has_bias=+bias",
        """
net = nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1)
nn.init.constant_(net.weight, 0.5)
nn.init.constant_(net.bias, 5.0)
result = net(image)
""",
    ),
    Difference(
        "Linear is Dense",
        "torch.nn.Linear",
        "has_bias=bias",
        "net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2, bias=False))\nfill(net)\nresult = net(x)\n",
    ),
    Difference(
        "initial weights of Conv2d",
        "torch.nn.Conv2d",
        "has_bias=+bias",
        """
net = nn.Conv2d(16, 200, 3)
k = 1 / (16 * 9)
result = [bool(p.abs().max() <= k ** 0.5) and bool(p.abs().max() > 0.9 * k ** 0.5) for p in net.parameters()]
""",
    ),
    Difference(
        "initial weights of Linear",
        "torch.nn.Linear",
        "has_bias=bias",
        """
net = nn.Linear(64, 400)
result = [bool(p.abs().max() <= 0.125) and bool(p.abs().max() > 0.11) for p in net.parameters()]
""",
    ),
    Difference(
        "initial weights of Embedding",
        "torch.nn.Embedding",
        "Normal(1.0)",
        "net = nn.Embedding(200, 50)\nresult = abs(float(net.weight.std()) - 1) < 0.1\n",
    ),
    Difference(
        "padding_idx of Embedding",
        "torch.nn.Embedding",
        "padding_idx",
        """
net = nn.Embedding(4, 2, padding_idx=1)
before = net.weight[1].detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
optimizer.zero_grad()
loss = net(torch.tensor([1, 2, 1])).sum()
loss.backward()
optimizer.step()
result = [before, net.weight[1].detach()]
""",
    ),
    Difference(
        "layers as attributes of a sequence",
        "torch.nn.Sequential",
        "a layer that becomes its attribute runs as the last one",
        """
class Transition(nn.Sequential):
    def __init__(self):
        super().__init__()
        self.bias = nn.Linear(3, 2)  # first
        self.act=(
            nn.Sigmoid()
        )
        self.width = 2

net = Transition()
for p in net.parameters():
    nn.init.constant_(p, 0.5)
net.last = nn.Tanh()
result = [net(x), len(net), net.bias(x), net.width]
""",
    ),
    Difference(
        "clone of a Parameter",
        "torch.Tensor.clone",
        "through which no gradient flows",
        """
class Shift(nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = nn.Parameter(torch.ones(3))

    def forward(self, x):
        shift = self.shift.clone()
        shift[:1] = 0
        return x + shift

net = Shift()
loss = net(x).sum()
loss.backward()
result = [loss.detach(), net.shift.grad, net.shift.detach()]
""",
    ),
    Difference(
        "momentum of BatchNorm",
        "torch.nn.BatchNorm2d",
        "momentum=1 - momentum",
        """
a, b = nn.BatchNorm2d(3), nn.BatchNorm2d(3, momentum=0.3)
_ = [a(image), b(image)]
result = [a.running_mean, a.running_var, b.running_mean, b.running_var, b.eval()(image)]
""",
    ),
    Difference(
        "BatchNorm of a batch or of statistics",
        "torch.nn.BatchNorm2d",
        "track_running_stats",
        """
net = nn.BatchNorm2d(3)
result = [net(image), net.eval()(image), nn.BatchNorm2d(3, track_running_stats=False).eval()(image),
          nn.BatchNorm2d(3, track_running_stats=False)(image)]
""",
    ),
    Difference(
        "BatchNorm without weights",
        "torch.nn.BatchNorm2d",
        "affine",
        "net = nn.BatchNorm2d(3, affine=False)\nresult = [net(image), any(p.requires_grad for p in net.parameters())]\n",
    ),
    Difference(
        "epsilon of LayerNorm",
        "torch.nn.LayerNorm",
        "epsilon=+eps",
        "small = x * 1e-3\nresult = [nn.LayerNorm(3)(small), nn.LayerNorm([2, 3], eps=1e-6)(small)]\n",
    ),
    Difference(
        "GroupNorm and InstanceNorm",
        "torch.nn.InstanceNorm2d",
        "_InstanceNorm",
        """
net = nn.InstanceNorm2d(3, affine=True, track_running_stats=True)
result = [nn.GroupNorm(3, 3)(image), nn.InstanceNorm2d(3)(image), net(image), net.running_mean, net.eval()(image)]
""",
    ),
    Difference(
        "p of Dropout",
        "torch.nn.Dropout",
        "nn.Dropout(p=",
        """
kept = (nn.Dropout(0.9)(torch.ones(200, 100)) != 0).float().mean()
functional = (F.dropout(torch.ones(200, 100), 0.9) != 0).float().mean()
result = [abs(float(kept) - 0.1) < 0.02, abs(float(functional) - 0.1) < 0.02, float(nn.Dropout(0.75)(torch.ones(400)).max())]
""",
    ),
    Difference(
        "steps of pooling",
        "torch.nn.MaxPool2d",
        "pad_mode='pad'",
        "result = [nn.MaxPool2d(2)(image), nn.AvgPool2d(2)(image), F.max_pool2d(image, 2), F.avg_pool2d(image, 2)]\n",
    ),
    Difference(
        "padding of pooling",
        "torch.nn.AvgPool2d",
        "count_include_pad",
        """
result = [nn.MaxPool2d(3, 2, 1)(image), nn.AvgPool2d(3, 1, 1)(image), nn.AvgPool2d(3, 1, 1, count_include_pad=False)(image),
          F.max_pool2d(image - 5, 3, stride=2, padding=1)]
""",
    ),
    Difference(
        "ceil_mode of pooling",
        "torch.nn.MaxPool2d",
        "ceil_mode",
        """
result = [nn.MaxPool2d(3, 2, ceil_mode=True)(image), nn.AvgPool2d(4, 3, ceil_mode=True)(image),
          F.avg_pool2d(image, 4, 3, 1, ceil_mode=True, divisor_override=7)]
""",
    ),
    Difference(
        "adaptive pooling",
        "torch.nn.AdaptiveAvgPool2d",
        "AdaptiveAvgPool2d(output_size)",
        "result = [nn.AdaptiveAvgPool2d((1, 1))(image), nn.AdaptiveMaxPool2d(4)(image), nn.AdaptiveAvgPool2d((None, 4))(image)]\n",
    ),
    Difference(
        "form of GELU",
        "torch.nn.GELU",
        "approximate",
        "result = [nn.GELU()(x), F.gelu(x), nn.GELU('tanh')(x), F.gelu(x, approximate='tanh')]\n",
    ),
    Difference(
        "slope of LeakyReLU",
        "torch.nn.LeakyReLU",
        "alpha=",
        "result = [nn.LeakyReLU()(x), F.leaky_relu(x), nn.LeakyReLU(0.3)(x)]\n",
    ),
    Difference(
        "weight of PReLU",
        "torch.nn.PReLU",
        "PReLU",
        "result = [nn.PReLU()(x), nn.PReLU(init=0.1)(x), nn.PReLU(3).weight.detach()]\n",
    ),
    Difference(
        "axis of Softmax",
        "torch.nn.Softmax",
        "axis=dim",
        "result = [nn.Softmax(dim=0)(x), F.log_softmax(x, dim=1), nn.Softmax(1)(x)]\n",
    ),
    Difference(
        "activations in place",
        "torch.nn.ReLU",
        "inplace",
        "y = x.clone()\nz = nn.ReLU(inplace=True)(y)\nu = F.relu(x.clone(), inplace=True)\nresult = [y, z, u]\n",
    ),
    Difference(
        "Flatten",
        "torch.nn.Flatten",
        "Flatten(start_dim, end_dim)",
        "result = [nn.Flatten()(image), nn.Flatten(0, 1)(image), torch.flatten(image), torch.flatten(image, 1)]\n",
    ),
    Difference(
        "recurrent layers",
        "torch.nn.LSTM",
        "batch_first",
        """
net = nn.LSTM(3, 4, num_layers=2, batch_first=True, bidirectional=True)
fill(net)
out, (h, c) = net(x.unsqueeze(0))
gru = nn.GRU(3, 4)
fill(gru)
again, h1 = gru(x.unsqueeze(1), torch.zeros(1, 1, 4))
result = [out, h, c, again, h1]
""",
    ),
    Difference(
        "attention",
        "torch.nn.MultiheadAttention",
        "batch_first",
        """
net = nn.MultiheadAttention(4, 2, batch_first=True).eval()
fill(net)
y = torch.arange(24.0).reshape(2, 3, 4) / 10
result = net(y, y, y)[0]
""",
    ),
    Difference(
        "hooks of layers",
        "torch.nn.Module.register_forward_hook",
        "register_forward_hook",
        """
seen = []
net = nn.Sequential(nn.Tanh(), nn.ReLU())
handle = net[0].register_forward_hook(lambda module, args, out: seen.append(out))
_ = net(x)
handle.remove()
_ = net(x)
result = seen
""",
    ),
    Difference(
        "initialization in place",
        "torch.nn.init.constant_",
        "fill",
        """
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(64, 2))
for m in net.modules():
    if isinstance(m, nn.Conv2d):
        nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
        nn.init.constant_(m.weight, 0.1)
        nn.init.zeros_(m.bias)
    elif isinstance(m, nn.BatchNorm2d):
        nn.init.constant_(m.weight, 2)
        nn.init.constant_(m.bias, 0.5)
    elif isinstance(m, nn.Linear):
        nn.init.ones_(m.weight)
        m.bias.data.fill_(3.0)
result = net(image)
""",
    ),
    Difference(
        "distributions of initial values",
        "torch.nn.init.kaiming_uniform_",
        "HeUniform(a, mode, nonlinearity)",
        """
w = torch.empty(300, 200)
bound = (1 / 200) ** 0.5
a = nn.init.kaiming_uniform_(w, a=5 ** 0.5).abs().max()
b = nn.init.kaiming_normal_(torch.empty(300, 200), mode="fan_out", nonlinearity="relu").std()
c = nn.init.xavier_uniform_(torch.empty(300, 200)).abs().max()
result = [bool(0.9 * bound < a <= bound), abs(float(b) / (2 / 300) ** 0.5 - 1) < 0.05, bool(c <= (6 / 500) ** 0.5)]
""",
    ),
    Difference(
        "gain of an activation",
        "torch.nn.init.calculate_gain",
        "_calculate_gain",
        "result = [nn.init.calculate_gain('relu'), nn.init.calculate_gain('leaky_relu', 0.2), nn.init.calculate_gain('tanh')]\n",
    ),
    Difference(
        "devices",
        "torch.Tensor.to",
        "self",
        """
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
fill(net)
y = net(x.to(device, non_blocking=True))
if torch.cuda.device_count() > 1:
    net = nn.DataParallel(net, device_ids=[0, 1])
result = y.detach().cpu().numpy()
""",
    ),
    Difference(
        "dtype of a network",
        "torch.nn.Module.to",
        "_cast",
        """
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).to(torch.float16)
for name, module in net.named_modules():
    if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
        module.to(torch.float32)
result = [p.dtype for p in net.parameters()]
""",
    ),
]
