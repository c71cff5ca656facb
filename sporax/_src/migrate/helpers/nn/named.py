"""Activations and recurrent layers of torch.nn that a program chooses by a computed name."""

from sporax import mint, nn, ops
from sporax._src.migrate.helpers.nn.activations import (
    _CELU,
    _SELU,
    _Hardsigmoid,
    _Hardswish,
    _LeakyReLU,
    _Mish,
    _ReLU,
    _RReLU,
    _rrelu,
    _Softplus,
)
from sporax._src.migrate.helpers.nn.recurrent import _GRU, _LSTM, _RNN

_LAYERS = {
    "CELU": _CELU,
    "ELU": mint.nn.ELU,
    "GELU": mint.nn.GELU,
    "GRU": _GRU,
    "Hardsigmoid": _Hardsigmoid,
    "Hardswish": _Hardswish,
    "Hardtanh": mint.nn.Hardtanh,
    "Identity": mint.nn.Identity,
    "LSTM": _LSTM,
    "LeakyReLU": _LeakyReLU,
    "LogSigmoid": mint.nn.LogSigmoid,
    "Mish": _Mish,
    "PReLU": mint.nn.PReLU,
    "RNN": _RNN,
    "RReLU": _RReLU,
    "ReLU": _ReLU,
    "ReLU6": mint.nn.ReLU6,
    "SELU": _SELU,
    "SiLU": mint.nn.SiLU,
    "Sigmoid": mint.nn.Sigmoid,
    "Softplus": _Softplus,
    "Softsign": nn.Softsign,
    "Tanh": mint.nn.Tanh,
}
_FUNCTIONS = {
    "celu": ops.celu,
    "elu": mint.nn.functional.elu,
    "gelu": mint.nn.functional.gelu,
    "hardsigmoid": mint.nn.functional.hardsigmoid,
    "hardswish": mint.nn.functional.hardswish,
    "hardtanh": mint.nn.functional.hardtanh,
    "leaky_relu": mint.nn.functional.leaky_relu,
    "logsigmoid": mint.nn.functional.logsigmoid,
    "mish": mint.nn.functional.mish,
    "relu": mint.nn.functional.relu,
    "relu6": mint.nn.functional.relu6,
    "rrelu": _rrelu,
    "selu": mint.nn.functional.selu,
    "sigmoid": mint.nn.functional.sigmoid,
    "silu": mint.nn.functional.silu,
    "softplus": mint.nn.functional.softplus,
    "softsign": ops.softsign,
    "tanh": mint.nn.functional.tanh,
}


def _layer_named(name):
    """Return the layer of torch.nn that has a name."""
    return _of_name(_LAYERS, name, "torch.nn")


def _function_named(name):
    """Return the function of torch.nn.functional that has a name."""
    return _of_name(_FUNCTIONS, name, "torch.nn.functional")


def _of_name(known, name, module):
    if name not in known:
        raise AttributeError(
            f"{module}.{name} cannot be chosen by name; write the choice out, as in {{'{name}': ...}}[name]"
        )
    return known[name]
