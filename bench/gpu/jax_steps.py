"""The steps in plain JAX: a jitted function whose state is donated, products in half, sums and norms in float32."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from bench.gpu.sizes import STAGES, Size

Params = Any  # a nested dict of arrays


class Maker:
    """Draws weights."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    def weight(self, *shape: int) -> np.ndarray:
        """Return a matrix or kernel whose last axis is that of the outputs."""
        return self._rng.standard_normal(shape, np.float32) * np.float32((0.5 / np.prod(shape[:-1])) ** 0.5)

    def dense(self, cin: int, cout: int) -> Params:
        """Return weight and bias."""
        return {"w": self.weight(cin, cout), "b": np.zeros(cout, np.float32)}

    def norm(self, width: int) -> Params:
        """Return scale and bias."""
        return {"scale": np.ones(width, np.float32), "b": np.zeros(width, np.float32)}

    def layer(self, at: Size) -> Params:
        """Return the weights of a transformer layer."""
        w = at.width
        return {
            "n1": self.norm(w), "n2": self.norm(w), "qkv": self.dense(w, 3 * w), "out": self.dense(w, w),
            "up": self.dense(w, 4 * w), "down": self.dense(4 * w, w),
        }  # fmt: skip

    def conv_norm(self, cin: int, cout: int, kernel: int) -> Params:
        """Return the weights of a convolution and its normalization."""
        return {"w": self.weight(kernel, kernel, cin, cout), "norm": self.norm(cout)}


def dense(p: Params, x: jax.Array) -> jax.Array:
    """An affine map of the last axis, in the dtype of x."""
    return x @ p["w"].astype(x.dtype) + p["b"].astype(x.dtype)


def layer_norm(p: Params, x: jax.Array) -> jax.Array:
    """Layer normalization, computed in float32."""
    return (jax.nn.standardize(x.astype(jnp.float32), epsilon=1e-5) * p["scale"] + p["b"]).astype(x.dtype)


def layer(p: Params, x: jax.Array, at: Size, causal: bool, implementation: Any) -> jax.Array:
    """A pre-norm transformer layer."""
    b, t, w = x.shape
    qkv = dense(p["qkv"], layer_norm(p["n1"], x)).reshape(b, t, 3, at.heads, w // at.heads)
    mixed = jax.nn.dot_product_attention(
        qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2], is_causal=causal, implementation=implementation
    )
    x = x + dense(p["out"], mixed.reshape(b, t, w))
    return x + dense(p["down"], jax.nn.gelu(dense(p["up"], layer_norm(p["n2"], x))))


def gpt(p: Params, stats: Params, x: jax.Array, at: Size, half: Any, implementation: Any) -> tuple[jax.Array, Params]:
    """GPT-2."""
    h = p["token"].astype(half)[x] + p["position"].astype(half)
    for q in p["layers"]:
        h = layer(q, h, at, True, implementation)
    return layer_norm(p["norm"], h) @ p["head"].astype(half), stats


def bert(p: Params, stats: Params, x: jax.Array, at: Size, half: Any, implementation: Any) -> tuple[jax.Array, Params]:
    """BERT-base for two classes, with post-norm layers; word 0 pads."""
    b, t = x.shape
    lengths = (x != 0).sum(1)
    h = layer_norm(p["norm"], p["token"].astype(half)[x] + p["position"].astype(half))
    for q in p["layers"]:
        qkv = dense(q["qkv"], h).reshape(b, t, 3, at.heads, at.width // at.heads)
        mixed = jax.nn.dot_product_attention(
            qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2], key_value_seq_lengths=lengths, implementation=implementation
        )
        h = layer_norm(q["n1"], h + dense(q["out"], mixed.reshape(b, t, at.width)))
        h = layer_norm(q["n2"], h + dense(q["down"], jax.nn.gelu(dense(q["up"], h))))
    return dense(p["head"], jnp.tanh(dense(p["pooler"], h[:, 0]))), stats


def vit(p: Params, stats: Params, x: jax.Array, at: Size, half: Any, implementation: Any) -> tuple[jax.Array, Params]:
    """ViT-B/16; patches are a product, as they do not overlap."""
    n, side = at.side // at.patch, at.patch
    x = x.astype(half).reshape(-1, 3, n, side, n, side).transpose(0, 2, 4, 1, 3, 5).reshape(-1, n * n, 3 * side * side)
    h = dense(p["patches"], x) + p["position"].astype(half)
    for q in p["layers"]:
        h = layer(q, h, at, False, implementation)
    return dense(p["head"], layer_norm(p["norm"], h).mean(1)), stats


def lstm(p: Params, stats: Params, x: jax.Array, at: Size, half: Any, implementation: Any) -> tuple[jax.Array, Params]:
    """An LSTM of two layers; the inputs of all steps are projected in one product."""
    h = x.astype(half).swapaxes(0, 1)
    for q in p["layers"]:
        weight = q["hidden"].astype(half)

        def cell(carry: Any, gates: jax.Array, weight: jax.Array = weight) -> Any:
            h, c = carry
            i, f, g, o = jnp.split(gates + h @ weight, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((h.shape[1], at.lstm[3]), half)
        _, h = lax.scan(cell, (zeros, zeros), dense(q["input"], h))
    return dense(p["head"], h[-1]), stats


def conv_norm(
    p: Params, stats: Iterator[Params], new: list[Params], x: jax.Array, stride: int = 1, relu: bool = True
) -> jax.Array:
    """A convolution in NHWC and its batch normalization; the running statistics go to `new`."""
    w = p["w"].astype(x.dtype)
    pads = [(w.shape[0] // 2, w.shape[0] // 2)] * 2
    x = lax.conv_general_dilated(x, w, (stride, stride), pads, dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y, before = x.astype(jnp.float32), next(stats)
    mean = y.mean((0, 1, 2))
    var = jnp.square(y).mean((0, 1, 2)) - jnp.square(mean)
    new.append(jax.tree.map(lambda s, v: 0.9 * s + 0.1 * lax.stop_gradient(v), before, {"mean": mean, "var": var}))
    factor = lax.rsqrt(var + 1e-5) * p["norm"]["scale"]
    x = (y * factor + (p["norm"]["b"] - mean * factor)).astype(x.dtype)
    return jax.nn.relu(x) if relu else x


def resnet50(
    p: Params, stats: Params, x: jax.Array, at: Size, half: Any, implementation: Any
) -> tuple[jax.Array, Params]:
    """ResNet-50."""
    new: list[Params] = []
    norm = partial(conv_norm, stats=iter(stats), new=new)
    x = norm(p["stem"], x=x.astype(half).transpose(0, 2, 3, 1), stride=2)
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))
    for q, stride in zip(p["blocks"], (s if not k else 1 for _, n, s in STAGES for k in range(n)), strict=True):
        y = norm(q["b"], x=norm(q["a"], x=x), stride=stride)
        y = norm(q["c"], x=y, relu=False)
        x = jax.nn.relu(y + (norm(q["down"], x=x, stride=stride, relu=False) if "down" in q else x))
    return dense(p["head"], x.mean((1, 2))), new


NETWORKS = {"gpt": gpt, "bert": bert, "vit": vit, "lstm": lstm, "resnet50": resnet50}


def weights(model: str, at: Size) -> tuple[Params, Params]:
    """Return initial weights, and running statistics."""
    make, w = Maker(), at.width
    if model == "lstm":
        _, _, inputs, hidden = at.lstm
        sizes = (inputs, hidden)
        layers = [{"input": make.dense(n, 4 * hidden), "hidden": make.weight(hidden, 4 * hidden)} for n in sizes]
        return {"layers": layers, "head": make.dense(hidden, 10)}, []
    if model == "resnet50":
        return _resnet50(make)
    p: Params = {"layers": [make.layer(at) for _ in range(at.layers)], "norm": make.norm(w)}
    if model == "gpt":
        p |= {"token": make.weight(at.vocab, w), "head": make.weight(w, at.vocab)}
        return p | {"position": np.zeros((at.tokens, w), np.float32)}, []
    if model == "bert":
        _, tokens, vocab = at.texts
        p |= {"token": make.weight(vocab, w), "pooler": make.dense(w, w), "head": make.dense(w, 2)}
        return p | {"position": np.zeros((tokens, w), np.float32)}, []
    p |= {"patches": make.dense(3 * at.patch**2, w), "head": make.dense(w, 1000)}
    return p | {"position": np.zeros((at.patches, w), np.float32)}, []


def _resnet50(make: Maker) -> tuple[Params, Params]:
    blocks, cin = [], 64
    for width, count, _ in STAGES:
        for k in range(count):
            names = {"a": (cin, width, 1), "b": (width, width, 3), "c": (width, 4 * width, 1)}
            names |= {} if k else {"down": (cin, 4 * width, 1)}
            blocks.append({name: make.conv_norm(*shape) for name, shape in names.items()})
            cin = 4 * width
    p = {"stem": make.conv_norm(3, 64, 7), "blocks": blocks, "head": make.dense(2048, 1000)}
    order = [p["stem"], *(block[name] for block in blocks for name in ("a", "b", "c", "down") if name in block)]
    widths = [q["w"].shape[-1] for q in order]
    return p, [{"mean": np.zeros(n, np.float32), "var": np.ones(n, np.float32)} for n in widths]


def state_of(model: str, at: Size) -> Any:
    """Return the weights, statistics and moments of the optimizer."""
    p, stats = weights(model, at)
    zeros = jax.tree.map(np.zeros_like, p)
    return p, stats, zeros, zeros if model != "resnet50" else None, np.zeros((), np.float32)


def step_of(model: str, at: Size, precision: str, implementation: str | None) -> Callable[..., Any]:
    """Return the function `(state, x, y) -> (state, loss)` that is to be compiled."""
    half = jnp.bfloat16 if precision == "bfloat16" else jnp.float32

    def loss_of(p: Params, stats: Params, x: jax.Array, y: jax.Array) -> tuple[jax.Array, Params]:
        logits, new = NETWORKS[model](p, stats, x, at, half, implementation)
        logits = logits.astype(jnp.float32)
        picked = jnp.take_along_axis(logits, y[..., None], -1)[..., 0]
        return (jax.nn.logsumexp(logits, -1) - picked).mean(), new

    def step(state: Any, x: jax.Array, y: jax.Array) -> tuple[Any, jax.Array]:
        p, stats, m, v, t = state
        (loss, stats), g = jax.value_and_grad(loss_of, has_aux=True)(p, stats, x, y)
        if v is None:
            m = jax.tree.map(lambda m, g: 0.9 * m + g, m, g)
            return (jax.tree.map(lambda p, m: p - 0.01 * m, p, m), stats, m, v, t), loss
        t = t + 1
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        rate = 1e-4 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        return (jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), p, m, v), stats, m, v, t), loss

    return step


def training_step(model: str, at: Size, precision: str, fused: bool) -> Callable[[int], jax.Array]:
    """Return a step of a model, which takes the number of the step and returns the loss."""
    if precision == "float32":
        jax.config.update("jax_default_matmul_precision", "highest")
    is_cudnn = fused and precision == "bfloat16" and jax.default_backend() == "gpu"
    compiled = jax.jit(step_of(model, at, precision, "cudnn" if is_cudnn else "xla"), donate_argnums=0)
    state = jax.tree.map(jnp.array, state_of(model, at))
    given = [(jnp.asarray(x), jnp.asarray(y)) for x, y in at.batches(model)]

    def step(i: int) -> jax.Array:
        nonlocal state
        state, loss = compiled(state, *given[i % 2])
        return loss

    return step
