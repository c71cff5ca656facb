"""The models in plain JAX: pure functions over a dict of arrays.

Forms are the fastest on CPU of those an expert would write: dense weights are `(out, in)`, whose gradients cost less
than those of `(in, out)`; convolutions run NHWC with HWIO kernels, a quarter faster than NCHW (images and kernels are
transposed once, when they are loaded); 2x2 pooling is two maxima of slices, a quarter faster than `reduce_window`; the
LSTM's scan is not unrolled.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from bench.specs import DEPTH, HEADS, HIDDEN, LAYERS, WIDTH, bottleneck_blocks, resnet_blocks

Params = dict[str, jax.Array]


def load_weight(value: np.ndarray) -> np.ndarray:
    """A weight in this file's layout."""
    return value.transpose(2, 3, 1, 0) if value.ndim == 4 else value


def load_input(x: np.ndarray) -> np.ndarray:
    """A batch in this file's layout."""
    return x.transpose(0, 2, 3, 1) if x.ndim == 4 else x


def dense(p: Params, name: str, x: jax.Array) -> jax.Array:
    """An affine map of the last axis."""
    return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def conv(x: jax.Array, kernel: jax.Array, stride: int = 1, padding: int = 0) -> jax.Array:
    """A square convolution."""
    pads = [(padding, padding)] * 2
    return lax.conv_general_dilated(x, kernel, (stride, stride), pads, dimension_numbers=("NHWC", "HWIO", "NHWC"))


def max_pool(x: jax.Array) -> jax.Array:
    """Maximum over 2x2 windows."""
    x = jnp.maximum(x[:, ::2], x[:, 1::2])
    return jnp.maximum(x[:, :, ::2], x[:, :, 1::2])


def mlp(p: Params, stats: Params, x: jax.Array) -> tuple[jax.Array, Params]:
    """Two dense layers."""
    return dense(p, "fc2", jax.nn.relu(dense(p, "fc1", x))), stats


def deep(p: Params, stats: Params, x: jax.Array) -> tuple[jax.Array, Params]:
    """Many small dense layers: what a step costs whatever it computes."""
    for i in range(DEPTH):
        x = jax.nn.relu(dense(p, f"fc{i}", x))
    return x, stats


def lenet(p: Params, stats: Params, x: jax.Array) -> tuple[jax.Array, Params]:
    """LeNet-5 with ReLU and maximum pooling."""
    for name in ("conv1", "conv2"):
        x = max_pool(jax.nn.relu(conv(x, p[f"{name}.weight"]) + p[f"{name}.bias"]))
    x = x.transpose(0, 3, 1, 2).reshape(x.shape[0], -1)
    x = jax.nn.relu(dense(p, "fc1", x))
    return dense(p, "fc3", jax.nn.relu(dense(p, "fc2", x))), stats


def conv_norm(p: Params, stats: Params, name: str, x: jax.Array, stride: int = 1) -> jax.Array:
    """A convolution and its batch normalization, which writes the new running statistics into `stats`."""
    kernel = p[f"{name}.weight"]
    x = conv(x, kernel, stride, kernel.shape[0] // 2)
    mean = x.mean((0, 1, 2))
    var = jnp.square(x - mean).mean((0, 1, 2))
    unbiased = var * (x.size / x.shape[-1] / (x.size / x.shape[-1] - 1))
    for key, value in ((f"{name}.mean", mean), (f"{name}.var", unbiased)):
        stats[key] = 0.9 * stats[key] + 0.1 * lax.stop_gradient(value)
    return (x - mean) * (lax.rsqrt(var + 1e-5) * p[f"{name}.scale"]) + p[f"{name}.bias"]


def resnet18(p: Params, stats: Params, x: jax.Array) -> tuple[jax.Array, Params]:
    """ResNet-18 for 32x32 images."""
    stats = dict(stats)
    x = jax.nn.relu(conv_norm(p, stats, "stem", x))
    for name, _, _, stride in resnet_blocks():
        y = jax.nn.relu(conv_norm(p, stats, f"{name}.0", x, stride))
        y = conv_norm(p, stats, f"{name}.1", y)
        x = jax.nn.relu(y + (conv_norm(p, stats, f"{name}.down", x, stride) if stride > 1 else x))
    return dense(p, "head", x.mean((1, 2))), stats


def resnet50(p: Params, stats: Params, x: jax.Array) -> tuple[jax.Array, Params]:
    """ResNet-50 for small images."""
    stats = dict(stats)
    x = jax.nn.relu(conv_norm(p, stats, "stem", x))
    for name, cin, width, stride in bottleneck_blocks():
        y = jax.nn.relu(conv_norm(p, stats, f"{name}.0", x))
        y = jax.nn.relu(conv_norm(p, stats, f"{name}.1", y, stride))
        y = conv_norm(p, stats, f"{name}.last", y)
        x = jax.nn.relu(y + (conv_norm(p, stats, f"{name}.down", x, stride) if cin != 4 * width else x))
    return dense(p, "head", x.mean((1, 2))), stats


def layer_norm(p: Params, name: str, x: jax.Array) -> jax.Array:
    """Layer normalization of the last axis."""
    x = x - x.mean(-1, keepdims=True)
    return x * lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-5) * p[f"{name}.scale"] + p[f"{name}.bias"]


def gpt(p: Params, stats: Params, tokens: jax.Array) -> tuple[jax.Array, Params]:
    """A character-level GPT with pre-norm layers."""
    batch, length = tokens.shape
    mask = jnp.tril(jnp.ones((length, length), bool))
    x = p["token.table"][tokens] + p["position.table"]
    for i in range(LAYERS):
        qkv = dense(p, f"layer{i}.qkv", layer_norm(p, f"layer{i}.norm1", x))
        q, k, v = jnp.moveaxis(qkv.reshape(batch, length, 3, HEADS, WIDTH // HEADS), 2, 0)
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (WIDTH // HEADS) ** -0.5
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(mask, scores, -jnp.inf)), v)
        x = x + dense(p, f"layer{i}.out", mixed.reshape(batch, length, WIDTH))
        x = x + dense(p, f"layer{i}.down", jax.nn.gelu(dense(p, f"layer{i}.up", layer_norm(p, f"layer{i}.norm2", x))))
    return dense(p, "head", layer_norm(p, "norm", x)), stats


def lstm(p: Params, stats: Params, x: jax.Array) -> tuple[jax.Array, Params]:
    """A sequence classifier that reads the last hidden state; all inputs are projected in one product."""
    projected = x.swapaxes(0, 1) @ p["lstm.input.weight"].T + (p["lstm.input.bias"] + p["lstm.hidden.bias"])

    def cell(carry: tuple[jax.Array, jax.Array], gates: jax.Array) -> tuple[tuple[jax.Array, jax.Array], None]:
        h, c = carry
        i, f, g, o = jnp.split(gates + h @ p["lstm.hidden.weight"].T, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

    zeros = jnp.zeros((x.shape[0], HIDDEN))
    (h, _), _ = lax.scan(cell, (zeros, zeros), projected)
    return dense(p, "head", h), stats


MODELS = {
    "mlp": mlp,
    "deep": deep,
    "lenet": lenet,
    "resnet18": resnet18,
    "resnet50": resnet50,
    "gpt": gpt,
    "lstm": lstm,
}


def cross_entropy(logits: jax.Array, y: jax.Array) -> jax.Array:
    """Mean cross-entropy of integer labels."""
    picked = jnp.take_along_axis(logits, y[..., None], -1)[..., 0]
    return (jax.nn.logsumexp(logits, -1) - picked).mean()


def adam(p: Params, grads: Params, slots: dict, *, lr: float) -> tuple[Params, dict]:
    """One step of Adam."""
    t = slots["t"] + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, slots["m"], grads)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, slots["v"], grads)
    rate = lr * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    p = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), p, m, v)
    return p, {"t": t, "m": m, "v": v}


def momentum(p: Params, grads: Params, slots: dict, *, lr: float) -> tuple[Params, dict]:
    """One step of gradient descent with momentum."""
    m = jax.tree.map(lambda m, g: 0.9 * m + g, slots["m"], grads)
    return jax.tree.map(lambda p, m: p - lr * m, p, m), {"m": m}


def training_step(model: str, optimizer: str, lr: float):
    """The jitted step `(state, x, y) -> (state, loss)`, which reuses the buffers of the state it is given."""
    update = partial({"adam": adam, "momentum": momentum}[optimizer], lr=lr)

    def loss_fn(p: Params, stats: Params, x: jax.Array, y: jax.Array) -> tuple[jax.Array, Params]:
        logits, stats = MODELS[model](p, stats, x)
        return cross_entropy(logits, y), stats

    @partial(jax.jit, donate_argnums=0)
    def step(state: dict, x: jax.Array, y: jax.Array) -> tuple[dict, jax.Array]:
        (loss, stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(state["params"], state["stats"], x, y)
        params, slots = update(state["params"], grads, state["slots"])
        return {"params": params, "stats": stats, "slots": slots}, loss

    return step


def initial_state(weights: dict[str, np.ndarray], optimizer: str) -> dict:
    """Parameters, running statistics and optimizer slots."""
    params = {name: jnp.asarray(load_weight(value)) for name, value in weights.items()}
    stats = {}
    for name, value in weights.items():
        if value.ndim == 4 and name.removesuffix("weight") + "scale" in weights:
            stats[name.replace("weight", "mean")] = jnp.zeros(value.shape[0])
            stats[name.replace("weight", "var")] = jnp.ones(value.shape[0])
    slots = {"m": jax.tree.map(jnp.zeros_like, params)}
    if optimizer == "adam":
        slots |= {"t": jnp.zeros((), jnp.int32), "v": jax.tree.map(jnp.zeros_like, params)}
    return {"params": params, "stats": stats, "slots": slots}
