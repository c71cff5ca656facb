"""Weights of a torch module put into a Cell of the same structure, by dotted names."""

import torch

import sporax as ms

# What MindSpore's own layers call it; mint's have torch's names.
RENAMED = {
    "weight": ("gamma", "embedding_table", "w"),
    "bias": ("beta",),
    "running_mean": ("moving_mean",),
    "running_var": ("moving_variance",),
}


def carry(net: torch.nn.Module, cell: ms.nn.Cell) -> None:
    """Put the parameters and running statistics of net into cell; every Parameter of cell must get one."""
    held = dict(cell.parameters_and_names())
    filled = set()
    for name, value in net.state_dict().items():
        found = next((other for other in _names(name) if other in held), None)
        if found is None:
            continue  # a tied weight's second name, or a buffer that both sides compute
        parameter = held[found]
        parameter.set_data(ms.Tensor(value.detach().numpy().copy().reshape(parameter.shape), parameter.dtype))
        filled.add(found)
    missing = sorted(held.keys() - filled)
    assert not missing, f"no weight of torch's for {', '.join(missing)}"


def _names(name: str) -> list[str]:
    path, dot, last = name.rpartition(".")
    return [name, *(path + dot + other for other in RENAMED.get(last, ()))]
