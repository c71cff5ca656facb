"""Tensors and functions: shapes, dtypes, reductions, random numbers, what shares memory."""

from differences.row import Difference

FUNCTIONS = [
    Difference(
        "two axes or all",
        "torch.transpose",
        "ops.transpose takes the order of all axes",
        """
y = torch.arange(24.0).reshape(2, 3, 4)
result = [torch.transpose(y, dim0=0, dim1=2), y.transpose(0, 1), y.permute(2, 0, 1), y.permute((2, 1, 0)), x.t(), x.T]
""",
    ),
    Difference(
        "flatten from the first axis",
        "torch.flatten",
        "ops.flatten begins with axis 1",
        "result = [torch.flatten(image), image.flatten(1), image.flatten(start_dim=2)]\n",
    ),
    Difference(
        "std and var",
        "torch.std",
        "ops.std and ops.var divide by n",
        """
result = [torch.std(x), torch.var(x, dim=1), x.std(0), x.var(unbiased=False), torch.std(x, dim=1, correction=0)]
""",
    ),
    Difference(
        "max and median of all elements",
        "torch.max",
        "ops.max returns the index as well",
        """
result = [torch.max(x), x.max(), x.max(1), x.max(dim=0)[1], torch.median(x), x.median(1)[0], torch.min(x, 1).indices,
          torch.argmin(x), x.argmax(1)]
""",
    ),
    Difference(
        "dtype of indices",
        "torch.sort",
        "indices of MindSpore's sort",
        "result = [torch.sort(x)[1], torch.topk(x, 2)[1], torch.argsort(x), x.argmin(1)]\n",
    ),
    Difference(
        "order of unique values",
        "torch.unique",
        "ops.unique keeps the order in which values are seen",
        "result = [torch.unique(torch.tensor([3, 1, 2, 1])), torch.unique(torch.tensor([3, 1, 2, 1]), return_inverse=True)]\n",
    ),
    Difference(
        "axes of meshgrid",
        "torch.meshgrid",
        "ops.meshgrid begins with the second axis",
        "a, b = torch.meshgrid(torch.arange(3), torch.arange(2), indexing='ij')\nresult = [a, b]\n",
    ),
    Difference(
        "diag",
        "torch.diag",
        "ops.diag makes a Tensor of twice as many axes",
        "result = [torch.diag(torch.tensor([1.0, 2.0])), torch.diag(torch.arange(9.0).reshape(3, 3))]\n",
    ),
    Difference(
        "order of the singular value decomposition",
        "torch.svd",
        "MindSpore's svd returns s",
        "u, s, v = torch.svd(x)\nresult = [s, u @ torch.diag(s) @ v.T]\n",
    ),
    Difference(
        "interpolation",
        "torch.nn.functional.interpolate",
        "ops.interpolate asks for recompute_scale_factor=True with scale_factor",
        """
result = [F.interpolate(image, scale_factor=2), F.interpolate(image, size=(9, 9), mode="bilinear", align_corners=False),
          F.interpolate(image, scale_factor=1.5, mode="bicubic")]
""",
    ),
    Difference(
        "empty vectors in cat",
        "torch.cat",
        "An empty Tensor of one axis, which torch leaves out",
        """
keys, mask, whole = torch.tensor([], dtype=torch.float64), torch.empty(0, dtype=torch.bool), torch.tensor([[1, 2, 3]])
joined = [torch.cat([keys, x], dim=-2), torch.cat((keys, keys)), torch.cat([mask, x > 0], 1), torch.cat([x, torch.ones(0, 3)])]
result = [*joined, torch.concat([torch.tensor([]), whole]), torch.cat([whole, torch.zeros(0)], axis=1)]
""",
    ),
    Difference(
        "mixed dtypes",
        "torch.cat",
        "MindSpore's cat takes Tensors of one dtype and raises for several",
        """
i = torch.tensor([[1, 2, 3]])
result = [torch.cat([x, i.float()]), x * i, i / 2, i // 2, torch.where(x > 0, x, 1), i.half() + i]
""",
    ),
    Difference(
        "functions of integers",
        "torch.exp",
        "the converter writes .float() where",
        "i = torch.tensor([1, 2, 3])\nresult = [torch.exp(i), torch.log(i), i.sin(), torch.sqrt(i), i.sigmoid()]\n",
    ),
    Difference(
        "dtype of sums and means",
        "torch.sum",
        "sums of truth values and small whole numbers are int64",
        "i = torch.tensor([True, False])\nresult = [i.sum(), torch.ones(3, dtype=torch.int32).sum(), x.half().sum()]\n",
    ),
    Difference(
        "casts",
        "torch.Tensor.to",
        "where a Tensor is has no meaning here",
        """
y = x * 3
result = [y.to(torch.int64), y.long(), y.type(torch.int32), y.bool(), y.half().float(), y.to(x), torch.arange(3).type_as(x),
          y.type("torch.DoubleTensor")]
""",
    ),
    Difference(
        "dtype of new Tensors",
        "torch.arange",
        "torch's default dtypes are kept",
        """
result = [torch.arange(3), torch.arange(0, 1, 0.25), torch.full((2,), 1), torch.full((2,), 1.0), torch.tensor([1, 2]),
          torch.linspace(0, 1, 3), torch.zeros(2), torch.ones_like(x), torch.eye(2), torch.tensor(True)]
""",
    ),
    Difference(
        "attributes of Tensors",
        "torch.Tensor.size",
        "size is the number of elements of MindSpore's Tensors",
        """
result = [x.size(), x.size(0), x.shape, x.dim(), x.ndim, x.numel(), x.dtype, x.is_floating_point(), len(x), x.nelement(),
          x.sum().item(), x.tolist(), image.size()[2:], list(x.stride())]
""",
    ),
    Difference(
        "views share memory",
        "torch.Tensor.view",
        "a view shares the memory of its base in sporax",
        """
y = x.clone()
y[0].add_(1)
y[0][2] = 7.0
y[:, 1] *= 2
result = y
""",
    ),
    Difference(
        "a view with a name that is written into",
        "torch.Tensor.view",
        "a view shares the memory of its base in sporax",
        "y = x.clone()\nv = y.view(-1)\nv[2] = 7.0\nresult = y\n",
        targets=("mint",),
        refused=("classic",),
    ),
    Difference(
        "functions in place",
        "torch.Tensor.add_",
        "Tensors may be written into",
        """
y = x.clone()
z = y
y.add_(1).mul_(2)
y += 1
y.clamp_(min=0)
z[z > 2] = 0.5
result = [y, z]
""",
    ),
    Difference(
        "results in out",
        "torch.add",
        "the result is assigned to it",
        "y = torch.empty(2, 3)\ntorch.add(x, 1, out=y)\nresult = y\n",
    ),
    Difference(
        "scatter",
        "torch.Tensor.scatter",
        "MindSpore's scatter asks that index and source have one shape",
        """
i = torch.tensor([[0, 1], [2, 0]])
result = [torch.zeros(2, 3).scatter(1, i, x), torch.zeros(2, 3).scatter_add(1, i, x[:, :2]),
          torch.zeros(2, 3).scatter_reduce(1, i, x[:, :2], reduce="amax"), torch.gather(x, 1, i)]
""",
    ),
    Difference(
        "windows of unfold",
        "torch.nn.Unfold",
        "nn.Unfold takes windows as ksizes",
        "result = [nn.Unfold((2, 3), padding=1)(image), F.unfold(image, 2, stride=2), nn.Fold((6, 6), 2)(F.unfold(image, 2))]\n",
    ),
    Difference(
        "indexing and masks",
        "torch.masked_select",
        "an index chooses as in torch",
        """
result = [x[x > 0], torch.masked_select(x, x > 0), x[:, None, 1:], x[..., -1], x[[1, 0]], torch.nonzero(x > 0),
          x.masked_fill(x > 0, 9.0), x[torch.tensor([0]), torch.tensor([2])]]
""",
    ),
    Difference(
        "from and to NumPy",
        "torch.from_numpy",
        "a Tensor goes to NumPy without cpu() or detach()",
        """
a = np.arange(3, dtype=np.float32)
t = torch.from_numpy(a)
result = [t * 2, torch.as_tensor(a), torch.tensor(a), x.numpy(), x.detach().cpu().numpy().sum()]
""",
    ),
    Difference(
        "negative and named axes",
        "torch.sum",
        "mint.sum(",
        "result = [x.sum(-1, keepdim=True), torch.sum(x, axis=0), x.mean(dim=(0, 1)), torch.squeeze(x[:1], 0), x.unsqueeze(-1)]\n",
    ),
    Difference(
        "repeat and expand",
        "torch.Tensor.repeat",
        "tile is the same",
        "result = [x.repeat(2, 1), x.repeat(1, 2, 1), x[:1].expand(4, -1), x.repeat_interleave(2, dim=0), torch.tile(x, (2,))]\n",
    ),
    Difference(
        "split and chunk",
        "torch.split",
        "ops.split calls the dim axis",
        "result = [torch.split(x, 2, dim=1), x.chunk(2, 1), x.split([1, 2], 1), torch.unbind(x)]\n",
    ),
    Difference(
        "choices without replacement",
        "torch.multinomial",
        "ops.multinomial draws with replacement by default",
        "result = sorted(torch.multinomial(torch.ones(5), 5).tolist())\n",
    ),
    Difference(
        "seeds",
        "torch.manual_seed",
        "mindspore.set_seed seeds NumPy as well",
        """
torch.manual_seed(3)
a = torch.rand(4)
b = torch.rand(4)
torch.manual_seed(3)
result = [bool((a == torch.rand(4)).all()), bool((a == b).all())]
""",
    ),
    Difference(
        "generators",
        "torch.Generator",
        "an operator's own seed gives other numbers at each call",
        """
g1 = torch.Generator()
g1.manual_seed(1)
g2 = torch.Generator()
g2.set_state(g1.get_state())
a, b = torch.rand(3, generator=g1), torch.rand(3, generator=g2)
c = torch.rand(3, generator=g1)
result = [bool((a == b).all()), bool((a == c).all()), g2.initial_seed()]
""",
    ),
    Difference(
        "numbers of a seed",
        "torch.rand",
        "The numbers of a seed are not torch's.",
        """
u, n = torch.rand(400, 99), torch.randn(400, 99)
result = [abs(float(u.mean()) - 0.5) < 0.01, abs(float(n.std()) - 1) < 0.02]
""",
    ),
    Difference(
        "random values in place",
        "torch.Tensor.random_",
        "MindSpore 2.7 draws in place on Ascend alone",
        """
y = torch.zeros(300).random_(2, 5)
z = torch.empty(300).uniform_(1, 2)
n = torch.empty(3000).normal_(2.0, 0.1)
result = [sorted(set(y.tolist())), bool((z >= 1).all() and (z < 2).all()), abs(float(n.mean()) - 2) < 0.05]
""",
    ),
]
