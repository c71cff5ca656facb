"""Attention and Transformers: the rows of the torch map that use these helpers."""

from converted_programs import assert_same_answers
from torch_map_rows import rows_of

TestRows = rows_of("sporax._src.migrate.helpers.nn.attention")

OWN_BLOCKS = """
import torch
from torch import nn

class Encoder(nn.TransformerEncoderLayer):
    def forward(self, x):
        x = self.norm1(x + self._sa_block(x, None, None))
        return self.norm2(x + self._ff_block(x))

class Halved(nn.TransformerDecoderLayer):
    def _mha_block(self, x, mem, *masks):
        return 0.5 * super()._mha_block(x, mem, *masks)

def filled(layer):
    for i, p in enumerate(layer.parameters()):
        p.data.copy_(torch.sin(torch.arange(float(p.numel())) + i).reshape(p.shape))
    return layer.eval()

x = torch.cos(torch.arange(24.0)).reshape(3, 2, 4)
answers = [filled(Encoder(4, 2, 6))(x).tolist(), filled(Halved(4, 2, 6))(x, x.flip(0)).tolist()]
"""


def test_a_subclass_calls_and_replaces_the_blocks_of_a_layer():
    assert_same_answers(OWN_BLOCKS, atol=1e-5)
