"""einops on MindSpore's Tensors, against einops on torch's."""

from converted_programs import assert_same_answers
from torch_map_rows import rows_of

TestRows = rows_of("sporax._src.migrate.helpers.nn.einops_layers")


def test_layers_and_functions_in_a_network() -> None:
    assert_same_answers("""
import torch
from einops import rearrange, repeat
from einops.layers.torch import Rearrange, Reduce
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(Rearrange("b c (h p) -> b h (p c)", p=2), nn.ReLU(), Reduce("b h c -> b c", "mean"))

    def forward(self, x):
        x = self.layers(x)
        token = repeat(x.mean(dim=1), "b -> b c", c=2)
        return rearrange([token, token + 1], "n b c -> b (n c)")

x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
y = Net()(x)
y.pow(2).sum().backward()
answers = [y.tolist(), x.grad.tolist()]
""")
