"""Torch networks whose lists of modules and Parameters are filled in one loop, nested, or replaced after construction.

All arrays of such a network have the same few shapes, so that only their names tell them apart.
"""

_HEAD = (
    "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()"
)

NETS: dict[str, str] = {
    "lists in one loop": """
        self.downs, self.ups = nn.ModuleList([]), nn.ModuleList([])
        for _ in range(2):
            self.downs.append(nn.Linear(2, 2))
            self.ups.append(nn.Linear(2, 2))
    def forward(self, x):
        for d, u in zip(self.downs, self.ups):
            x = u(d(x) + 1)
        return x
""",
    "lists of parameters": """
        self.scales, self.shifts = nn.ParameterList(), nn.ParameterList()
        for _ in range(2):
            self.scales.append(nn.Parameter(torch.rand(2)))
            self.shifts.append(nn.Parameter(torch.rand(2)))
    def forward(self, x):
        for d, u in zip(self.scales, self.shifts):
            x = x * d + u
        return x
""",
    "lists of lists of parameters": """
        self.scales = nn.ParameterList([])
        for _ in range(2):
            self.scales.append(nn.ParameterList([nn.Parameter(torch.rand(2)), nn.Parameter(torch.rand(2))]))
    def forward(self, x):
        for gain, shift in self.scales:
            x = x * gain + shift
        return x
""",
    "nested lists": """
        self.blocks = nn.ModuleList()
        for _ in range(2):
            inner = nn.ModuleList([])
            for _ in range(2):
                inner.append(nn.Linear(2, 2))
            self.blocks.append(inner)
    def forward(self, x):
        for b in self.blocks:
            x = b[1](b[0](x) + 1)
        return x
""",
    "parameters replaced": """
        self.a = nn.Linear(2, 2)
        self.b = nn.Linear(2, 2)
        self.b.weight = nn.Parameter(0.25 * torch.rand(2, 2))
        self.a.weight = nn.Parameter(0.5 * torch.rand(2, 2))
    def forward(self, x):
        return self.a(x) - self.b(x)
""",
    "modules replaced": """
        self.a = nn.Linear(2, 2)
        self.b = nn.Linear(2, 2)
        self.c = nn.Linear(2, 2)
        self.b = nn.Linear(2, 2)
        self.a = nn.Linear(2, 2)
    def forward(self, x):
        return self.a(x) - self.b(self.c(x) + 1)
""",
    "an item replaced": """
        self.l = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.m = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.l[1] = nn.Linear(2, 2)
        self.m[0] = nn.Linear(2, 2)
    def forward(self, x):
        for d, u in zip(self.l, self.m):
            x = u(d(x) + 1)
        return x
""",
    "sequential from a list": """
        convs, norms = [], []
        for _ in range(2):
            convs.append(nn.Linear(2, 2))
            norms.append(nn.Linear(2, 2))
        self.convs, self.norms = nn.ModuleList(convs), nn.Sequential(*norms)
    def forward(self, x):
        for c in self.convs:
            x = c(x) + 1
        return self.norms(x)
""",
    "lists of pairs": """
        self.pairs = nn.ModuleList([])
        for _ in range(2):
            self.pairs.append(nn.ModuleList([nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))]))
    def forward(self, x):
        for a, f in self.pairs:
            x = f(a(x) + 1)
        return x
""",
    "dicts": """
        self.a, self.b = nn.ModuleDict(), nn.ModuleDict()
        for k in ("y", "x"):
            self.a[k] = nn.Linear(2, 2)
            self.b[k] = nn.Linear(2, 2)
    def forward(self, x):
        return self.b["y"](self.a["x"](x) + 1) - self.b["x"](self.a["y"](x))
""",
    "add_module": """
        for i in range(2):
            self.add_module(f"q{i}", nn.Linear(2, 2))
            self.add_module(f"k{i}", nn.Linear(2, 2))
    def forward(self, x):
        for i in range(2):
            x = getattr(self, f"q{i}")(x) - getattr(self, f"k{i}")(x)
        return x
""",
    "parameters of modules and lists": """
        self.tokens = nn.ParameterList([nn.Parameter(torch.rand(2)) for _ in range(2)])
        self.gain = nn.Parameter(torch.rand(2))
        self.tokens.append(nn.Parameter(torch.rand(2)))
        self.layers = nn.ModuleList()
        for t in range(2):
            layer = nn.Linear(2, 2)
            layer.extra = nn.Parameter(torch.rand(2))
            self.layers.append(layer)
    def forward(self, x):
        for l, t in zip(self.layers, self.tokens):
            x = l(x) * l.extra + t
        return x * self.gain + self.tokens[2]
""",
    "inserted and extended": """
        self.a, self.b = nn.ModuleList([nn.Linear(2, 2)]), nn.ModuleList([nn.Linear(2, 2)])
        self.a.extend([nn.Linear(2, 2)])
        self.b.insert(0, nn.Linear(2, 2))
    def forward(self, x):
        for d, u in zip(self.a, self.b):
            x = u(d(x) + 1)
        return x
""",
}


def program(name: str) -> str:
    """Return the text of a program with the class `Net`, whose networks take and return arrays of shape (n, 2)."""
    return _HEAD + NETS[name]
