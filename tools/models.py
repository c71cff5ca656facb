"""Models that nobody here wrote: whole packages converted, their networks built on both sides, and compared.

    pip install --no-deps --target SITE timm torchvision                # what is converted; torch itself must be importable
    python tools/models.py SITE                                         # all of the table; writes the results and docs/models.md
    python tools/models.py SITE --only timm:resnet18 --work WORK        # one of them; WORK keeps the converted packages
    python tools/models.py SITE --only torchvision                      # those of a package, in place of their old results
    python tools/models.py --page                                       # docs/models.md anew from the results

Each package is converted as `sporax migrate SITE/PACKAGE -o WORK/PACKAGE` does it, without a hand edit. Of each architecture the
network is built by torch, with random weights, and by the converted package; `transfer_weights` carries the weights, and both
compute the same inputs: outputs, and the gradients of a loss that takes every output. A network agrees if both are within the
bounds from torch's results in float32, or from those in float64. Out of the bounds, it is told whether rounding is the cause
(an activation's kink, a tie of a maximum, a difference of values that are almost equal). It is, if both sides agree in float64,
and if sporax is no further from torch than torch's own results in float32 are uncertain. Their uncertainty is their distance from
float64, or how far they move when each weight and input moves up or down at random by 1 or 8 units in the last place. A network
that draws nothing while it trains is compared in training too, where a batch norm over a few values makes much of rounding: how
much, torch's own distance from what it computes in float64 says.

A new architecture is a line of `MODELS`: the package, a name, a function that builds the network (it runs on both sides, and
imports what it needs), and its inputs.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import importlib
import json
import os
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # as the tests: programs are small, and compiled once

import sporax as ms
from sporax import compat
from sporax.migrate import Report, migrate, transfer_weights

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "results" / "models.json"
PAGE = ROOT / "docs" / "models.md"
BOUNDS = {"forward": 3e-6, "gradients": 1e-5}
IN_FLOAT64 = 1e-10  # the bound of both for the results in float64
Results = tuple[list[np.ndarray], list[np.ndarray]]  # outputs, and the gradients of the weights
NOT_CARRIED = ("missing", "unexpected", "differs")


@dataclass(frozen=True)
class Model:
    """An architecture.

    Args:
        package: The package it is of.
        name: Its name.
        build: Makes the network, of whichever side's package is importable.
        inputs: What the network is called with, by position or by name.
    """

    package: str
    name: str
    build: Callable[[], Any]
    inputs: tuple[np.ndarray, ...] | dict[str, np.ndarray]


def image(size: int, batch: int = 2) -> tuple[np.ndarray]:
    """Return some images as the input of a network."""
    return (np.random.default_rng(0).standard_normal((batch, 3, size, size)).astype(np.float32),)


def of_timm(name: str, size: int, **options: Any) -> Model:
    """Return an architecture of timm, for images of a size."""

    def build() -> Any:
        return importlib.import_module("timm").create_model(name, pretrained=False, **options)

    return Model("timm", name, build, image(size))


def of_torchvision(name: str, size: int = 64, **options: Any) -> Model:
    """Return a classifier of torchvision, for images of a size."""

    def build() -> Any:
        return getattr(importlib.import_module("torchvision.models"), name)(weights=None, **options)

    return Model("torchvision", name, build, image(size))


def of_transformers(network: str, config: str, inputs: dict[str, np.ndarray], *, of: str = "", **options: Any) -> Model:
    """Return an architecture of transformers, made by its configuration with some options; `of` names an encoder of it."""

    def build() -> Any:
        package = importlib.import_module("transformers")
        net = getattr(package, network)(getattr(package, config)(**options))
        return getattr(net, of) if of else net

    return Model("transformers", f"{network}.{of}" if of else network, build, inputs)


def tokens(vocabulary: int = 99, length: int = 9, **further: np.ndarray) -> dict[str, np.ndarray]:
    """Return two sentences as the input of a network, the second of them shorter, and further inputs."""
    draws = np.random.default_rng(0)
    mask = np.ones((2, length), np.int64)
    mask[1, -2:] = 0
    return {"input_ids": draws.integers(3, vocabulary, (2, length)), "attention_mask": mask, **further}


def pixels(size: int) -> dict[str, np.ndarray]:
    """Return some images as the input of a network that takes them by name."""
    return {"pixel_values": image(size)[0]}


def spectrum(bins: int, frames: int) -> dict[str, np.ndarray]:
    """Return two spectra of sounds as the input of a network."""
    return {"input_features": np.random.default_rng(0).standard_normal((2, bins, frames)).astype(np.float32)}


WORDS: dict[str, Any] = {"vocab_size": 99, "max_position_embeddings": 32, "pad_token_id": 1}
SMALL: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
ENCODED = tokens()
DECODED = {"decoder_input_ids": np.random.default_rng(1).integers(3, 99, (2, 5))}
SEQ2SEQ: dict[str, Any] = {
    "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48, "decoder_ffn_dim": 48,
}  # fmt: skip

MODELS = [
    of_timm("resnet18", 64),
    of_timm("resnext26ts", 64),
    of_timm("regnetx_002", 64),
    of_timm("densenet121", 64),
    of_timm("efficientnet_b0", 64),
    of_timm("mobilenetv3_small_100", 64),
    of_timm("convnext_atto", 64),
    of_timm("vit_tiny_patch16_224", 64, img_size=64),
    of_timm("deit_tiny_distilled_patch16_224", 64, img_size=64),
    of_timm("swin_tiny_patch4_window7_224", 224),
    of_timm("mixer_s32_224", 224),
    of_timm("levit_128s", 224),
    of_timm("beit_base_patch16_224", 64, img_size=64, depth=4),
    of_timm("cait_xxs24_224", 64, img_size=64),
    of_timm("crossvit_tiny_240", 240),
    of_timm("coat_lite_tiny", 224),
    of_timm("pit_ti_224", 224),
    of_timm("twins_svt_small", 224),
    of_timm("xcit_nano_12_p16_224", 64),
    of_timm("poolformer_s12", 64),
    of_timm("res2net50_14w_8s", 64),
    of_timm("resnest14d", 64),
    of_timm("vgg11_bn", 64),
    of_timm("inception_v3", 96),
    of_timm("legacy_xception", 96),
    of_timm("hrnet_w18_small", 64),
    of_timm("dla34", 64),
    of_timm("ghostnet_050", 64),
    of_timm("mnasnet_small", 64),
    of_timm("repvgg_a0", 64),
    of_timm("edgenext_xx_small", 64),
    of_timm("mobilevit_xxs", 64),
    of_timm("maxvit_nano_rw_256", 256),
    of_timm("gmlp_s16_224", 224),
    of_timm("visformer_tiny", 224),
    of_torchvision("alexnet", 64),
    of_torchvision("convnext_tiny"),
    of_torchvision("densenet121"),
    of_torchvision("efficientnet_b0"),
    of_torchvision("efficientnet_v2_s"),
    of_torchvision("googlenet", 96, init_weights=False),
    of_torchvision("inception_v3", 96, init_weights=False, aux_logits=False),
    of_torchvision("maxvit_t", 224),
    of_torchvision("mnasnet0_5"),
    of_torchvision("mobilenet_v2"),
    of_torchvision("mobilenet_v3_large"),
    of_torchvision("mobilenet_v3_small"),
    of_torchvision("regnet_x_400mf"),
    of_torchvision("regnet_y_400mf"),
    of_torchvision("resnet18"),
    of_torchvision("resnet50"),
    of_torchvision("resnext50_32x4d"),
    of_torchvision("shufflenet_v2_x0_5"),
    of_torchvision("squeezenet1_0"),
    of_torchvision("squeezenet1_1"),
    of_torchvision("swin_t"),
    of_torchvision("swin_v2_t"),
    of_torchvision("vgg11"),
    of_torchvision("vgg11_bn"),
    of_torchvision("vit_b_32", 64, image_size=64),
    of_torchvision("wide_resnet50_2"),
    of_transformers("BertModel", "BertConfig", ENCODED, **WORDS, **SMALL),
    of_transformers(
        "GPT2LMHeadModel", "GPT2Config", ENCODED, vocab_size=99, n_positions=32, n_embd=32, n_layer=2, n_head=4
    ),
    of_transformers("RobertaModel", "RobertaConfig", ENCODED, **WORDS, **SMALL),
    of_transformers(
        "DistilBertModel", "DistilBertConfig", ENCODED, **WORDS, dim=32, n_layers=2, n_heads=4, hidden_dim=48
    ),
    of_transformers(
        "T5Model", "T5Config", ENCODED | DECODED, vocab_size=99, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4
    ),
    of_transformers("AlbertModel", "AlbertConfig", ENCODED, **WORDS, **SMALL, embedding_size=16),
    of_transformers("ElectraModel", "ElectraConfig", ENCODED, **WORDS, **SMALL, embedding_size=16),
    of_transformers("BartModel", "BartConfig", ENCODED | DECODED, **WORDS, **SEQ2SEQ),
    of_transformers("OPTModel", "OPTConfig", ENCODED, **WORDS, **{**SMALL, "ffn_dim": 48}, word_embed_proj_dim=32),
    of_transformers("GPTNeoXModel", "GPTNeoXConfig", ENCODED, **WORDS, **SMALL),
    of_transformers("LlamaForCausalLM", "LlamaConfig", ENCODED, **WORDS, **SMALL, num_key_value_heads=2),
    of_transformers("MistralModel", "MistralConfig", ENCODED, **WORDS, **SMALL, num_key_value_heads=2),
    of_transformers(
        "MobileBertModel", "MobileBertConfig", ENCODED, **WORDS, **SMALL, embedding_size=16, intra_bottleneck_size=16
    ),
    of_transformers(
        "DebertaV2Model",
        "DebertaV2Config",
        ENCODED,
        **WORDS,
        **SMALL,
        relative_attention=True,
        pos_att_type=["c2p", "p2c"],
    ),
    of_transformers("XLNetModel", "XLNetConfig", ENCODED, vocab_size=99, d_model=32, n_layer=2, n_head=4, d_inner=48),
    of_transformers("MPNetModel", "MPNetConfig", ENCODED, **WORDS, **SMALL),
    of_transformers("BloomModel", "BloomConfig", ENCODED, vocab_size=99, hidden_size=32, n_layer=2, n_head=4),
    of_transformers(
        "GPTNeoModel",
        "GPTNeoConfig",
        ENCODED,
        vocab_size=99,
        max_position_embeddings=32,
        hidden_size=32,
        num_layers=2,
        num_heads=4,
        attention_types=[[["global", "local"], 1]],
        window_size=4,
    ),
    of_transformers("CLIPTextModel", "CLIPTextConfig", ENCODED, **WORDS, **SMALL),
    of_transformers("CLIPVisionModel", "CLIPVisionConfig", pixels(32), **SMALL, image_size=32, patch_size=8),
    of_transformers("ViTModel", "ViTConfig", pixels(32), **SMALL, image_size=32, patch_size=8),
    of_transformers("DeiTModel", "DeiTConfig", pixels(32), **SMALL, image_size=32, patch_size=8),
    of_transformers("BeitModel", "BeitConfig", pixels(32), **SMALL, image_size=32, patch_size=8),
    of_transformers(
        "SwinModel",
        "SwinConfig",
        pixels(32),
        image_size=32,
        patch_size=2,
        embed_dim=16,
        depths=[2, 2],
        num_heads=[2, 4],
        window_size=4,
    ),
    of_transformers("ConvNextModel", "ConvNextConfig", pixels(32), hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1]),
    of_transformers(
        "SegformerModel",
        "SegformerConfig",
        pixels(64),
        hidden_sizes=[8, 16, 24, 32],
        depths=[1, 1, 1, 1],
        num_attention_heads=[1, 2, 3, 4],
    ),
    of_transformers(
        "WhisperModel",
        "WhisperConfig",
        spectrum(16, 40),
        of="encoder",
        **SEQ2SEQ,
        vocab_size=99,
        num_mel_bins=16,
        max_source_positions=20,
        pad_token_id=1,
    ),
]


# --- two sides ----------------------------------------------------------------------------------------------------------


class Side:
    """The packages of some folders, as long as it is entered: what was imported of them is kept until it is entered again.

    Args:
        packages: The names of the packages.
        folders: Where they are.
    """

    def __init__(self, packages: set[str], *folders: Path) -> None:
        self.packages, self.folders = packages, [str(folder) for folder in folders]
        self.modules: dict[str, ModuleType] = {}
        self.others: dict[str, ModuleType] = {}  # what had the same names before

    def _taken(self) -> dict[str, ModuleType]:
        """Remove the modules of the packages from the imported ones, and return them."""
        mine = [name for name in sys.modules if name.split(".")[0] in self.packages]
        return {name: sys.modules.pop(name) for name in mine}

    def __enter__(self) -> None:
        self.others = self._taken()
        sys.path[:0] = self.folders
        importlib.invalidate_caches()
        sys.modules.update(self.modules)

    def __exit__(self, *_: object) -> None:
        self.modules = self._taken()
        for folder in self.folders:
            sys.path.remove(folder)
        sys.modules.update(self.others)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the packages' warnings from the report."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# --- one architecture ---------------------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What became of an architecture.

    Args:
        package, name: Which it is.
        converted: How many uses of torch's names are converted in the files that its network's classes are in.
        todo: How many are left there.
        weights: How many arrays were carried.
        forward, gradients: The largest difference, relative to the largest value; None if it did not come so far. It is the
            difference from torch's float32, or from its float64 where that is smaller and the other is out of the bounds.
        training: The same in training, "forward" and "gradients"; empty if the network draws while it trains.
        rounding: How far torch is in training from what it computes in float64.
        float32: How far torch is from what it computes in float64, where float64 is the reference.
        noise: How uncertain torch's float32 results are; empty if the network agrees.
        float64: How far both are apart in float64; empty if the network agrees, or if one of them does not run in float64.
        error: Why it did not run.
        seconds: How long it took.
    """

    package: str
    name: str
    converted: int = 0
    todo: int = 0
    weights: int = 0
    forward: float | None = None
    gradients: float | None = None
    training: dict[str, float] = field(default_factory=dict)
    rounding: dict[str, float] = field(default_factory=dict)
    float32: dict[str, float] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    float64: dict[str, float] = field(default_factory=dict)
    error: str = ""
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """The share of the uses that are converted."""
        return self.converted / max(self.converted + self.todo, 1)

    @property
    def agrees(self) -> bool:
        """Whether it ran, and computes what torch's does."""
        if self.error or self.forward is None or self.gradients is None:
            return False
        return self.forward <= BOUNDS["forward"] and self.gradients <= BOUNDS["gradients"]

    @property
    def agrees_within_rounding(self) -> bool:
        """Whether it is out of the bounds because of rounding only."""
        if self.agrees or not self.float64 or self.forward is None or self.gradients is None:
            return False
        is_exact = max(self.float64.values()) <= IN_FLOAT64
        return is_exact and self.forward <= self.noise["forward"] and self.gradients <= self.noise["gradients"]


def compare(model: Model, torch_side: Side, cell_side: Side, report: Report, modes: tuple[bool, ...]) -> Outcome:
    """Build an architecture on both sides and return how far apart they are, in training (True) or not."""
    outcome, start = Outcome(model.package, model.name), time.monotonic()
    try:
        with quiet():
            _compare(model, torch_side, cell_side, report, outcome, modes)
    except Exception as error:  # the packages' code may raise anything
        frames = traceback.extract_tb(error.__traceback__)
        inside = [f for f in frames if "sporax" not in Path(f.filename).parts and str(ROOT) not in f.filename]
        at = inside[-1] if inside else frames[-1]
        text = str(error).strip().splitlines() or [""]
        outcome.error = f"{type(error).__name__}: {text[0][:200]} ({Path(at.filename).name}:{at.lineno})"
    outcome.seconds = round(time.monotonic() - start, 1)
    return outcome


def _compare(
    model: Model, torch_side: Side, cell_side: Side, report: Report, outcome: Outcome, modes: tuple[bool, ...]
) -> None:
    with torch_side:
        net = _torch_net(model)
        expected = {mode: results for mode in modes if (results := _of_torch(net, model.inputs, mode))}
        if False not in expected:
            raise ValueError("the network draws random numbers in evaluation mode, so its results cannot be compared")
        exact = _of_float64(model, net, True) if True in expected else None
        outcome.rounding = _moved(exact, expected[True]) if exact else {}
        _count(net, report, outcome)
    with cell_side:
        cell = model.build()
        carried = transfer_weights(net, cell)
        wrong = [f"{row.source or row.target} ({row.reason})" for row in carried.rows if row.status in NOT_CARRIED]
        if wrong:
            raise ValueError(f"{len(wrong)} weights are not carried: {', '.join(wrong[:3])}")
        outcome.weights = len(carried.rows)
        found = {mode: _of_cell(net, cell, model.inputs, mode) for mode in expected}
        apart = {mode: _distance(net, cell, results, found[mode]) for mode, results in expected.items()}
    outcome.forward, outcome.gradients = apart[False].values()
    outcome.training = apart.get(True, {})
    if not outcome.agrees:
        with torch_side:
            exact = _of_float64(model, net, False)
            outcome.noise = _noise(net, model.inputs, expected[False], exact)
        if exact:
            with cell_side:
                _hold_to_float64(net, cell, model.inputs, expected[False], exact, found[False], outcome)


def _hold_to_float64(
    net: Any, cell: Any, inputs: Any, expected: Results, exact: Results, found: Results, outcome: Outcome
) -> None:
    """Compare what a Cell found with torch's float64; if that is not within the bounds, let the Cell compute in float64, too."""
    apart = _distance(net, cell, exact, found)
    if _excess(apart) < _excess({"forward": outcome.forward, "gradients": outcome.gradients}):
        (outcome.forward, outcome.gradients), outcome.float32 = apart.values(), _moved(exact, expected)
    if outcome.agrees:
        return
    for parameter in cell.get_parameters():
        if parameter.dtype == ms.float32:
            parameter.set_dtype(ms.float64)
    with contextlib.suppress(RuntimeError, TypeError, ValueError):  # of what makes Tensors of float32 while it runs
        outcome.float64 = _distance(net, cell, exact, _of_cell(net, cell, _wide(inputs), False))


def _count(net: Any, report: Report, outcome: Outcome) -> None:
    """Count what was converted in the files of the network's classes."""
    modules = {cls.__module__ for part in net.modules() for cls in type(part).__mro__}
    paths = [str(getattr(sys.modules.get(name), "__file__", "")) for name in modules]
    for file in report.files:
        if any(path.endswith(f"/{outcome.package}/{file.path}") for path in paths):
            outcome.converted += sum(file.used.values())
            outcome.todo += len(file.todo)


def _torch_net(model: Model) -> Any:
    """Build a network of torch whose weights are all random, those too that begin as zeros or ones."""
    import torch  # the other side of every comparison, and only there

    torch.manual_seed(0)
    net = model.build()
    draws = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.02 * torch.randn(parameter.shape, generator=draws))
        for name, buffer in net.named_buffers():
            if name.endswith("running_mean"):
                buffer.add_(0.02 * torch.randn(buffer.shape, generator=draws))
            elif name.endswith("running_var"):
                buffer.mul_(1 + 0.2 * torch.rand(buffer.shape, generator=draws))
    return net


def _of_torch(net: Any, inputs: Any, is_training: bool) -> Results | None:
    """Return a network's outputs and its gradients; None where it draws random numbers."""
    import torch

    kept = copy.deepcopy(net.state_dict())  # with the versions that layers ask for
    net.train(is_training)
    tensors = _each(inputs, torch.from_numpy)
    with torch.no_grad():
        twice = [_arrays(_call(net, tensors)) for _ in range(2)]
    net.load_state_dict(kept)
    if not all(np.array_equal(a, b) for a, b in zip(*twice, strict=True)):
        return None
    outputs = _tensors(_call(net, tensors))
    loss = sum((o * torch.from_numpy(w)).sum() for o, w in zip(outputs, _weights(_arrays(outputs)), strict=True))
    net.zero_grad()
    loss.backward()  # type: ignore[union-attr]
    net.load_state_dict(kept)
    gradients = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in net.parameters()]
    return _arrays(outputs), [g.numpy() for g in gradients]


def _of_float64(model: Model, net: Any, is_training: bool) -> Results | None:
    """Return what a network computes in float64; None where it mixes both."""
    import torch

    wide = _torch_net(model)  # a copy would miss what a scripted network and one with weight_norm keep elsewhere
    wide.load_state_dict(net.state_dict())
    torch.set_default_dtype(torch.float64)  # of the Tensors that the network makes while it runs
    try:
        return _of_torch(wide.double(), _wide(model.inputs), is_training)
    except RuntimeError:
        return None
    finally:
        torch.set_default_dtype(torch.float32)


def _noise(net: Any, inputs: Any, found: Results, exact: Results | None) -> dict[str, float]:
    """Return how uncertain a network's float32 results are: how far from float64, and moved by changes of the last bits."""
    steps = [_of_nudged(net, inputs, units, np.random.default_rng(seed)) for units in (1, 8) for seed in range(4)]
    moved = [_moved(other, found) for other in (exact, *steps) if other]
    return {kind: max(each[kind] for each in moved) for kind in BOUNDS}


def _of_nudged(net: Any, inputs: Any, units: int, draws: np.random.Generator) -> Results | None:
    """Return what a network computes when each weight and input is up or down by some units in the last place of float32."""
    import torch

    def nudged(array: np.ndarray) -> np.ndarray:
        if array.dtype != np.float32:
            return array
        signs = draws.choice(np.array([-units, units], np.float32), array.shape)
        return np.where(np.isfinite(array), array + signs * np.spacing(array), array)

    kept = copy.deepcopy(net.state_dict())
    for parameter in net.parameters():
        parameter.data = torch.from_numpy(nudged(parameter.detach().numpy()))
    try:
        return _of_torch(net, _each(inputs, nudged), False)
    finally:
        net.load_state_dict(kept)


def _wide(inputs: Any) -> Any:
    return _each(inputs, lambda array: array.astype(np.float64) if array.dtype == np.float32 else array)


def _moved(expected: Results, found: Results) -> dict[str, float]:
    """Return how far outputs and gradients are from others."""
    return {
        "forward": max(_apart(a, b) for a, b in zip(expected[0], found[0], strict=True)),
        "gradients": _gradients_apart(expected[1], found[1]),
    }


def _distance(net: Any, cell: Any, expected: Results, found: Results) -> dict[str, float]:
    """Return how far a Cell's results are from a network's, whose gradients are in the layout of its own weights.

    What carries weights brings the gradients into the Cell's layout, in the place of the weights.
    """
    import torch

    kept = [parameter.data for parameter in net.parameters()]
    try:
        for parameter, gradient in zip(net.parameters(), expected[1], strict=True):
            parameter.data = torch.as_tensor(gradient)
        transfer_weights(net, cell)
    finally:
        for parameter, weight in zip(net.parameters(), kept, strict=True):
            parameter.data = weight
    return _moved((expected[0], [p.asnumpy() for p in cell.trainable_params()]), found)


def _excess(apart: Mapping[str, float | None]) -> float:
    """Return how many times the bounds a distance is."""
    return max((apart[kind] or 0.0) / bound for kind, bound in BOUNDS.items())


def _of_cell(net: Any, cell: Any, inputs: Any, is_training: bool) -> Results:
    """Return a Cell's outputs and gradients, with a network's weights."""
    transfer_weights(net, cell)
    cell.set_train(is_training)
    tensors = _each(inputs, ms.Tensor)
    weights: list[np.ndarray] = []

    def loss() -> Any:
        outputs = _tensors(_call(cell, tensors))
        weights[:] = weights or _weights(_arrays(outputs))
        total = sum((o * ms.Tensor(w)).sum() for o, w in zip(outputs, weights, strict=True))
        return total, *outputs

    grad = ms.value_and_grad(loss, None, cell.trainable_params(), has_aux=True)
    (_, *outputs), gradients = grad()
    return _arrays(outputs), [g.asnumpy() for g in gradients]


def _weights(outputs: list[np.ndarray]) -> list[np.ndarray]:
    """Return what outputs are multiplied with in the loss."""
    draws = np.random.default_rng(2)
    return [draws.standard_normal(o.shape).astype(np.float32) for o in outputs]


def _call(net: Any, inputs: Any) -> Any:
    return net(**inputs) if isinstance(inputs, dict) else net(*inputs)


def _each(inputs: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(inputs, dict):
        return {name: _each(value, change) for name, value in inputs.items()}
    if isinstance(inputs, (tuple, list)):
        return type(inputs)(_each(value, change) for value in inputs)
    return change(inputs)


def _tensors(values: Any) -> list[Any]:
    """Return the floating-point tensors of a nested result."""
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, (tuple, list)):
        return [tensor for value in values for tensor in _tensors(value)]
    return [values] if "float" in str(getattr(values, "dtype", "")).lower() else []


def _arrays(values: Any) -> list[np.ndarray]:
    return [t.asnumpy() if hasattr(t, "asnumpy") else t.detach().numpy() for t in _tensors(values)]


def _apart(expected: np.ndarray, found: np.ndarray, floor: float = 1e-30) -> float:
    """Return the largest difference, relative to the largest value."""
    if expected.shape != found.shape:
        raise ValueError(f"shape {found.shape}, expected {expected.shape}")
    if not expected.size:
        return 0.0
    wide, other = expected.astype(np.float64), found.astype(np.float64)
    largest = float(np.abs(wide - other).max() / max(np.abs(wide).max(), floor))
    return largest if np.isfinite(largest) else float("inf")


def _gradients_apart(expected: list[np.ndarray], found: list[np.ndarray]) -> float:
    """Return the largest difference; next to nothing is measured by a hundredth of the largest gradient of all."""
    floor = 1e-2 * max(np.abs(g).max(initial=0.0) for g in expected)
    return max(_apart(a, b, floor) for a, b in zip(expected, found, strict=True))


# --- all of them --------------------------------------------------------------------------------------------------------


def convert(package: str, site: Path, work: Path) -> tuple[Report, dict[str, Any]]:
    """Convert a package and return the report, and what the page says of it."""
    start = time.monotonic()
    report = migrate(site / package, work / package, force=True)
    seconds = time.monotonic() - start
    lines = sum(file.lines for file in report.files)
    return report, {
        "version": _version(package, site),
        "files": len(report.files),
        "lines": lines,
        "lines_per_second": round(lines / seconds),
        "converted": sum(report.used.values()),
        "todo": len(report.todo),
        "errors": [f"{file.path}: {file.error}" for file in report.files if file.error],
    }


def _version(package: str, site: Path) -> str:
    return next((p.name.split("-")[1] for p in site.glob(f"{package}-*.dist-info")), "").removesuffix(".dist")


def _declare_operators() -> Any:
    """Declare what torchvision needs when it is imported: its wheels' operators do not load into a torch for CPUs."""
    import torch

    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return library  # which holds them for as long as it lives


def start() -> Any:
    """Prepare the process for both sides; return what must live as long as they do."""
    import torch

    torch.set_num_threads(1)  # networks are small, and threads that wait for one another slow everything beside them
    compat.install()
    return _declare_operators()


def run(site: Path, work: Path, models: list[Model], modes: tuple[bool, ...]) -> Iterator[dict[str, Any]]:
    """Convert the packages of some architectures and compare them; give what is known after each of them."""
    import torch

    operators = start()
    packages = list(dict.fromkeys(model.package for model in models))
    torch_side, cell_side = (Side({*packages}, folder) for folder in (site, work))
    results: dict[str, Any] = {"torch": torch.__version__.split("+")[0], "packages": {}, "models": []}
    for package in packages:
        report, results["packages"][package] = convert(package, site, work)
        print(package, results["packages"][package], flush=True)
        for model in [m for m in models if m.package == package]:
            outcome = compare(model, torch_side, cell_side, report, modes)
            print(line(outcome), flush=True)
            results["models"].append(vars(outcome) | {"agrees": outcome.agrees})
            yield results
    del operators


def line(outcome: Outcome) -> str:
    """Return what is printed of an architecture."""
    measured = (outcome.training, outcome.rounding, outcome.noise, outcome.float64)
    values = [outcome.forward, outcome.gradients, *(value for each in measured for value in each.values())]
    found = outcome.error or " ".join("-" if v is None else f"{v:.1e}" for v in values)
    return f"{'agrees' if outcome.agrees else 'DIFFERS'} {outcome.package}:{outcome.name} {found} {outcome.seconds} s"


HEAD = """# Converted models of public packages

Whole packages are converted without manual changes. Each network is built in torch, with random weights, and in sporax,
which gets torch's weights. {agree} of {count} architectures agree with torch {torch} in float32 and evaluation mode,
and {rounding} more agree within rounding. To agree means:

- Outputs differ by at most {forward:.0e} of the largest output.
- Gradients differ by at most {gradients:.0e} of the largest gradient of their Parameter, or of a hundredth of the largest
  gradient of all.

Results out of these bounds are compared with torch's results in float64. `yes (float64)` means that they are within the bounds
from those. `yes (rounding)` means that rounding is the cause of the difference: in float64 both sides agree to {exact:.0e}, and
sporax is no further from torch than torch's results in float32 are uncertain. The uncertainty is the larger of their distance from
float64 and of how far they move when each weight and input moves, up or down at random, by 1 or 8 units in the last place.

Networks that draw no random numbers are also compared in training mode. For this mode the last two columns show the error of
torch's float32 against its float64. `tools/models.py` writes this page; its docstring says how the numbers are measured.

| package | version | files | lines | lines/s | uses converted | left to do |
|---|---|---|---|---|---|---|
"""
TABLE = """
The counts of an architecture cover the files that define its classes.

| package | architecture | converted | left | rate | agrees | outputs | gradients \
| outputs, training | gradients, training | torch's outputs | torch's gradients |
|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def page(results: dict[str, Any]) -> str:
    """Return docs/models.md."""
    found = [Outcome(**{name: value for name, value in m.items() if name != "agrees"}) for m in results["models"]]
    counts = {"agree": sum(o.agrees for o in found), "rounding": sum(o.agrees_within_rounding for o in found)}
    text = HEAD.format(count=len(found), torch=results["torch"], exact=IN_FLOAT64, **counts, **BOUNDS)
    for name, of in results["packages"].items():
        counts = " | ".join(f"{of[key]:,}" for key in ("files", "lines", "lines_per_second", "converted", "todo"))
        text += f"| {name} | {of['version']} | {counts} |\n"
    text += TABLE
    for outcome in found:
        values = [outcome.forward, outcome.gradients]
        values += [measured.get(kind) for measured in (outcome.training, outcome.rounding) for kind in BOUNDS]
        measured = " | ".join("" if v is None else f"{v:.1e}" for v in values)
        counts = f"{outcome.converted:,} | {outcome.todo} | {outcome.rate:.1%}"
        text += f"| {outcome.package} | {outcome.name} | {counts} | {_verdict(outcome)} | {measured} |\n"
    failed = [o for o in found if not o.agrees and not o.agrees_within_rounding]
    lines = [f"- {o.package} {o.name}: {o.error or 'the results differ'}\n" for o in failed]
    return text + ("\nNetworks that do not agree, and why:\n\n" + "".join(lines) if failed else "")


def _verdict(outcome: Outcome) -> str:
    if outcome.error:
        return "does not run"
    if outcome.agrees_within_rounding:
        return "yes (rounding)"
    return ("yes" if outcome.agrees else "no") + (" (float64)" if outcome.float32 else "")


def write_section(text: str) -> None:
    """Write one section of docs/models.md, which begins with its title, and keep the others."""
    parts = re.split(r"^(?=# )", PAGE.read_text(), flags=re.MULTILINE)
    sections = {part.partition("\n")[0]: part.rstrip("\n") + "\n" for part in parts if part}
    sections[text.partition("\n")[0]] = text
    PAGE.write_text("\n".join(sections.values()))


def updated(before: dict[str, Any], results: dict[str, Any]) -> dict[str, Any]:
    """Return earlier results with newer ones in their places, in the order of the table."""
    found = {(m["package"], m["name"]): m for m in [*before.get("models", []), *results["models"]]}
    ordered = [found[m.package, m.name] for m in MODELS if (m.package, m.name) in found]
    return results | {"packages": before.get("packages", {}) | results["packages"], "models": ordered}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path, nargs="?", help="the folder in which the packages are installed")
    parser.add_argument("--only", nargs="*", default=[], help="architectures (`timm:resnet18`) or packages (`timm`)")
    parser.add_argument("--work", type=Path, help="where the converted packages are kept; else they are removed")
    parser.add_argument("--evaluation", action="store_true", help="leave training out, which takes half of the time")
    parser.add_argument("--page", action="store_true", help="write docs/models.md from the results that there are")
    options = parser.parse_args()
    if options.page:
        write_section(page(json.loads(RESULTS.read_text())))
        return
    if options.site is None:
        parser.error("say in which folder the packages are installed")
    modes = (False,) if options.evaluation else (False, True)
    chosen = [m for m in MODELS if not options.only or {m.package, f"{m.package}:{m.name}"} & {*options.only}]
    with contextlib.ExitStack() as stack:
        work = options.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if not options.only:
            RESULTS.unlink(missing_ok=True)
        for results in run(options.site.resolve(), work.resolve(), chosen, modes):
            results = updated(json.loads(RESULTS.read_text()) if RESULTS.exists() else {}, results)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
            write_section(page(results))


if __name__ == "__main__":
    main()
