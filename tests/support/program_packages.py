"""A package of torch with relative imports, a sub-package, and a module that it imports only when it runs."""

from pathlib import Path

FILES = {
    "__init__.py": "from .net import build\n",
    "net.py": """import torch
from torch import nn
from . import sizes
from .layers import Block
from .layers.norms import norm

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.norm = Block(sizes.WIDTH), norm(sizes.WIDTH)

    def forward(self, x):
        from .late import scale
        return scale(self.norm(self.block(x)))

def build():
    return Net()
""",
    "sizes.py": "WIDTH = 4\n",
    "late.py": "import torch\n\ndef scale(x):\n    return torch.tanh(x)\n",
    "layers/__init__.py": "from .block import Block\n",
    "layers/block.py": """from torch import nn
from ..sizes import WIDTH

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(WIDTH, width)

    def forward(self, x):
        return self.linear(x)
""",
    "layers/norms.py": "from torch import nn\n\ndef norm(width):\n    return nn.LayerNorm(width)\n",
}


def write_package(folder: Path) -> Path:
    """Write the package into a folder of its name, and return the file that makes the network."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "net.py"
