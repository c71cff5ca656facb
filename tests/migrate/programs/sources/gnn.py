"""Graph networks that name the community of a node: sparse sums, attention over edges, masks, early stopping."""

import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch.nn import BatchNorm1d, Dropout, Linear, Module, ModuleList, Parameter, init

NUM_NODES = 30
NUM_FEATURES = 6
NUM_CLASSES = 3


class Data:
    """A graph: features x, edges (2, E), labels y, and masks of nodes."""

    def __init__(self, x, edge_index, y, train_mask, val_mask):
        self.x = x
        self.edge_index = edge_index
        self.y = y
        self.train_mask = train_mask
        self.val_mask = val_mask

    def to(self, device):
        for key, value in self.__dict__.items():
            setattr(self, key, value.to(device))
        return self


def make_graph(seed=0):
    """Nodes of one community have more edges between them, and a feature in common."""
    rng = np.random.default_rng(seed)
    y = np.arange(NUM_NODES) % NUM_CLASSES
    same = y[:, None] == y[None, :]
    adjacency = rng.random((NUM_NODES, NUM_NODES)) < np.where(same, 0.3, 0.05)
    adjacency = np.triu(adjacency, 1)
    adjacency = adjacency | adjacency.T
    rows, columns = np.nonzero(adjacency)
    x = rng.normal(0, 1, (NUM_NODES, NUM_FEATURES)).astype(np.float32)
    x[np.arange(NUM_NODES), y] += 1.0
    train_mask = rng.random(NUM_NODES) < 0.6
    return Data(
        x=torch.from_numpy(x),
        edge_index=torch.from_numpy(np.stack([rows, columns])).long(),
        y=torch.from_numpy(y).long(),
        train_mask=torch.from_numpy(train_mask),
        val_mask=torch.from_numpy(~train_mask),
    )


def glorot(tensor):
    stdv = (6.0 / (tensor.size(-2) + tensor.size(-1))) ** 0.5
    tensor.data.uniform_(-stdv, stdv)


def add_self_loops(edge_index, num_nodes):
    loop = torch.arange(num_nodes, dtype=edge_index.dtype, device=edge_index.device)
    return torch.cat([edge_index, loop.unsqueeze(0).repeat(2, 1)], dim=1)


def scatter_sum(src, index, dim_size):
    """Sum the rows of src that share an index."""
    out = torch.zeros(dim_size, *src.shape[1:], dtype=src.dtype, device=src.device)
    return out.index_add_(0, index, src)


def edge_softmax(scores, index, num_nodes):
    """Softmax over the edges that end in the same node."""
    scores = scores - scores.max().detach()
    exp = scores.exp()
    norm = torch.zeros(num_nodes, exp.size(1)).scatter_add(0, index[:, None].expand_as(exp), exp)
    return exp / (norm[index] + 1e-16)


class GCNConv(Module):
    """Convolution with the symmetrically normalised adjacency matrix."""

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.weight = Parameter(torch.empty(in_channels, out_channels))
        self.bias = Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self):
        glorot(self.weight)
        init.zeros_(self.bias)

    def forward(self, x, edge_index):
        num_nodes = x.size(0)
        edge_index = add_self_loops(edge_index, num_nodes)
        row, col = edge_index
        deg = scatter_sum(torch.ones_like(row, dtype=x.dtype), col, num_nodes)
        deg_inv_sqrt = deg.pow(-0.5)
        deg_inv_sqrt[deg_inv_sqrt == float("inf")] = 0
        norm = deg_inv_sqrt[row] * deg_inv_sqrt[col]

        x = torch.mm(x, self.weight)
        messages = norm.view(-1, 1) * x[row]
        return scatter_sum(messages, col, num_nodes) + self.bias


class GATConv(Module):
    """Attention over the neighbours of each node, with several heads."""

    def __init__(self, in_channels, out_channels, heads=2, negative_slope=0.2, concat=True):
        super().__init__()
        self.heads = heads
        self.out_channels = out_channels
        self.negative_slope = negative_slope
        self.concat = concat
        self.lin = Linear(in_channels, heads * out_channels, bias=False)
        self.att_src = Parameter(torch.Tensor(1, heads, out_channels))
        self.att_dst = Parameter(torch.Tensor(1, heads, out_channels))
        glorot(self.att_src)
        glorot(self.att_dst)

    def forward(self, x, edge_index):
        n, h, c = x.size(0), self.heads, self.out_channels
        edge_index = add_self_loops(edge_index, n)
        src, dst = edge_index[0], edge_index[1]
        x = self.lin(x).view(n, h, c)
        alpha_src = (x * self.att_src).sum(dim=-1)
        alpha_dst = (x * self.att_dst).sum(-1)
        alpha = F.leaky_relu(alpha_src[src] + alpha_dst[dst], self.negative_slope)
        alpha = edge_softmax(alpha, dst, n)
        out = scatter_sum(x.index_select(0, src) * alpha.unsqueeze(-1), dst, n)
        return out.reshape(n, h * c) if self.concat else out.mean(dim=1)


class GNN(Module):
    def __init__(self, hidden_channels=8, dropout=0.0):
        super().__init__()
        self.convs = ModuleList([GCNConv(NUM_FEATURES, hidden_channels), GATConv(hidden_channels, 4, heads=2)])
        self.norms = ModuleList(BatchNorm1d(8) for _ in range(2))
        self.dropout = Dropout(p=dropout)
        self.lin = Linear(8, NUM_CLASSES)

    def forward(self, x, edge_index):
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = conv(x, edge_index)
            x = norm(x)
            x = F.elu(x)
            x = self.dropout(x)
        return F.log_softmax(self.lin(x), dim=1)


def build_model():
    return GNN()


def example_inputs():
    data = make_graph(seed=1)
    return data.x, data.edge_index, data.y, data.train_mask


def predict(model, inputs):
    return model(inputs[0], inputs[1])


def forward_loss(model, inputs):
    x, edge_index, y, mask = inputs
    return F.nll_loss(model(x, edge_index)[mask], y[mask])


def train(model, steps=20):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, data = model.to(device), make_graph().to(device)
    optimizer = torch.optim.Adam(
        [
            dict(params=model.convs.parameters(), weight_decay=5e-4),
            dict(params=[*model.norms.parameters(), *model.lin.parameters()], weight_decay=0),
        ],
        lr=0.02,
    )
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", factor=0.5, patience=3)

    def train_step():
        model.train()
        optimizer.zero_grad()
        out = model(data.x, data.edge_index)
        loss = F.nll_loss(out[data.train_mask], data.y[data.train_mask])
        loss.backward()
        optimizer.step()
        return float(loss)

    @torch.no_grad()
    def test():
        model.eval()
        pred = model(data.x, data.edge_index).argmax(dim=-1)
        accs = []
        for mask in (data.train_mask, data.val_mask):
            accs.append(int((pred[mask] == data.y[mask]).sum()) / int(mask.sum()))
        return accs

    best_val_acc, best_state = -1.0, None
    history = []
    for epoch in range(1, steps + 1):
        loss = train_step()
        train_acc, val_acc = test()
        scheduler.step(val_acc)
        if val_acc > best_val_acc:
            best_val_acc = val_acc
            best_state = copy.deepcopy(model.state_dict())
        history.append(loss)
        if epoch % 5 == 0:
            print(f"Epoch: {epoch:03d}, Loss: {loss:.4f}, Train: {train_acc:.4f}, Val: {val_acc:.4f}")
    model.load_state_dict(best_state)
    return history


if __name__ == "__main__":
    torch.manual_seed(12345)
    train(build_model())
