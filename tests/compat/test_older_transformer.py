"""The transformer and the attention of older releases."""

import math
import zlib

import numpy as np
import pytest
import torch

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.compat.shims.nn.layer.flash_attention import FlashAttention
from sporax._src.compat.shims.ops.function.nn_func import multi_head_attention_forward
from sporax._src.compat.transformer import layers, transformer
from sporax._src.compat.transformer.loss import CrossEntropyLoss
from sporax._src.compat.transformer.moe import MoEConfig, _check_moe_config, calculate_expert_capacity
from sporax._src.compat.transformer.op_parallel_config import (
    MoEParallelConfig,
    OpParallelConfig,
    _check_config,
    _PipeLineConfig,
)

HALF = 4e-3  # products are computed in float16, which has 11 bits


def filled(net: nn.Cell) -> nn.Cell:
    """Set Parameters to values that depend on their names only."""
    for param in net.get_parameters():
        random = np.random.RandomState(zlib.crc32(param.name.encode()))
        param.set_data(Tensor((random.randn(*param.shape) * 0.3).astype(np.float32)))
    return net.set_train(False)


# The first eight elements that MindSpore 2.7.0 computes for the networks of `test_whole_transformer`.
WANT = {
    False: [-1.968, 1.2, -0.22, -2.299, 1.924, 1.101, 1.06, -0.538],
    True: [0.068, -0.74, -0.326, 0.253, -0.658, 0.669, 0.638, 0.324],
}


@pytest.mark.parametrize("compiled", [False, True])
def test_whole_transformer(compiled: bool) -> None:
    random = np.random.RandomState(0)
    mask, full, seen = np.tril(np.ones((2, 5, 5))), np.ones((2, 3, 3)), np.ones((2, 3, 5))
    masks = [Tensor(m.astype(np.float16)) for m in (mask, full, seen)]
    for post, want in WANT.items():
        net = transformer.Transformer(
            hidden_size=8,
            batch_size=2,
            ffn_hidden_size=16,
            src_seq_length=5,
            tgt_seq_length=3,
            encoder_layers=1,
            decoder_layers=1,
            num_heads=2,
            hidden_act="relu",
            attention_dropout_rate=0.0,
            hidden_dropout_rate=0.0,
            post_layernorm_residual=post,
        )
        run = ms.jit(filled(net)) if compiled else filled(net)
        x, y = (Tensor(random.randn(2, n, 8).astype(np.float32)) for n in (5, 3))
        out, encoded, decoded = run(x, masks[0], y, *masks[1:])
        np.testing.assert_allclose(out.astype(ms.float32).asnumpy().ravel()[:8], want, atol=HALF)
        assert out.dtype == (ms.float16 if post else ms.float32)
        assert [k.shape for k in encoded[0]] == [(2, 2, 4, 5), (2, 2, 5, 4)]
        assert [k.shape for k in decoded[0]] == [(2, 2, 4, 3), (2, 2, 3, 4), (2, 2, 4, 5), (2, 2, 5, 4)]
    names = [p.name for p in net.get_parameters()]
    assert "encoder.blocks.0.attention.dense1.weight" in names
    assert "decoder.blocks.0.cross_attention_layernorm.gamma" in names


def test_attention_against_torch() -> None:
    net = transformer.MultiHeadAttention(2, 4, 6, 8, 2, 0.0, 0.0, compute_dtype=ms.float32)
    net.set_train(False)
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    parts = [c.weight.asnumpy() for c in (net.dense1, net.dense2, net.dense3)]
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.tensor(np.concatenate(parts)))
        theirs.in_proj_bias.zero_()
        theirs.out_proj.weight.copy_(torch.tensor(net.projection.weight.asnumpy().T))
        theirs.out_proj.bias.zero_()
    rng = np.random.default_rng(0)
    q, kv = (rng.standard_normal((2, n, 8)).astype(np.float32) for n in (4, 6))
    mask = np.ones((2, 4, 6), np.float32)
    mask[:, :, 4:] = 0
    out, _ = net(Tensor(q), Tensor(kv), Tensor(kv), Tensor(mask))
    want, _ = theirs(torch.tensor(q), torch.tensor(kv), torch.tensor(kv), torch.tensor(mask[:, 0] == 0))
    np.testing.assert_allclose(out.asnumpy(), want.detach().numpy(), atol=1e-5)
    flat, _ = net(Tensor(q.reshape(8, 8)), Tensor(kv.reshape(12, 8)), Tensor(kv.reshape(12, 8)), Tensor(mask))
    np.testing.assert_allclose(flat.asnumpy().reshape(2, 4, 8), want.detach().numpy(), atol=1e-5)


def test_encoder_learns(mode: int) -> None:
    net = transformer.TransformerEncoder(2, 2, 8, 16, 4, 2)
    x, mask = Tensor(np.random.default_rng(1).standard_normal((2, 4, 8)), ms.float32), ops.ones((2, 4, 4), ms.float16)
    step = ms.value_and_grad(lambda x: net(x, mask)[0].sum(), None, net.trainable_params())
    _, grads = step(x)
    assert len(grads) == len(net.trainable_params()) and all(np.isfinite(g.asnumpy()).all() for g in grads)
    assert net.set_train(False)(x, None)[0].shape == (2, 4, 8)


def test_layers_that_are_prepared() -> None:
    seen = []

    def prepare(block: nn.Cell, layer_id: int, offset: int, parallel_config: object, layers: int) -> None:
        seen.append((type(block).__name__, layer_id, layers, offset))

    transformer.TransformerEncoder(2, 2, 8, 16, 4, 2, lambda_func=prepare, offset=3)
    assert seen == [("TransformerEncoderLayer", 0, 2, 3), ("TransformerEncoderLayer", 1, 2, 3)]
    config = transformer.TransformerOpParallelConfig(recompute=transformer.TransformerRecomputeConfig(recompute=True))
    net = transformer.TransformerEncoder(2, 1, 8, 16, 4, 2, parallel_config=config)
    assert net(ops.ones((2, 4, 8)), None)[0].shape == (2, 4, 8)


def test_small_cells() -> None:
    mask = transformer.AttentionMask(3)(Tensor([[1.0, 1.0, 0.0]]))
    assert mask.asnumpy().tolist() == [[[1, 0, 0], [1, 1, 0], [0, 0, 0]]]
    rows, table = transformer.VocabEmbedding(5, 2)(Tensor([[4, 0]], ms.int32))
    np.testing.assert_array_equal(rows.asnumpy(), table.asnumpy()[[[4, 0]]])
    norm = layers._LayerNorm((4,)).shard(((1, 1),))
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    want = torch.nn.functional.layer_norm(torch.tensor(x), (4,)).numpy()
    np.testing.assert_allclose(norm(Tensor(x)).asnumpy(), want, atol=1e-5)
    linear = layers._Linear(4, 2, activation=nn.Tanh, transpose_b=False, compute_dtype=ms.float32).shard()
    np.testing.assert_allclose(linear(Tensor(x)).asnumpy(), np.tanh(x @ linear.weight.asnumpy()), atol=1e-6)
    assert layers._Linear(4, 2, has_bias=False)(Tensor(x)).shape == (3, 2)
    drop = layers._Dropout(keep_prob=0.5)
    drop.shard(((1,),))
    assert set(drop.set_train()(ops.ones((99,))).asnumpy().tolist()) == {0.0, 2.0}


def test_loss() -> None:
    rng = np.random.default_rng(4)
    logits, label, mask = rng.standard_normal((4, 6)).astype(np.float32), np.array([1, 2, 3, 0]), np.array([1, 1, 0, 1])
    rows = torch.nn.functional.cross_entropy(torch.tensor(logits), torch.tensor(label), reduction="none").numpy()
    got = CrossEntropyLoss()(Tensor(logits), Tensor(label, ms.int32), Tensor(mask, ms.float32))
    np.testing.assert_allclose(got.asnumpy(), [(rows * mask).sum() / 3.00001], rtol=1e-6)
    with pytest.raises(TypeError, match="'label' should be one of"):
        CrossEntropyLoss()(Tensor(logits), Tensor(label, ms.int64), Tensor(mask, ms.float32))
    with pytest.raises(TypeError, match="parallel_config must be an OpParallelConfig, got 3"):
        CrossEntropyLoss(3)


def test_configurations() -> None:
    config = transformer.TransformerOpParallelConfig(data_parallel=2, model_parallel=4, vocab_emb_dp=False)
    config.model_parallel = 8
    assert config.dp_mp_config == config.dpmp == config.embedding_dp_mp_config.dp_mp_config == OpParallelConfig(2, 8)
    assert config.moe_parallel_config == MoEParallelConfig(
        2, 8, 1
    ) and config.moe_parallel_config.dpmp == OpParallelConfig(2, 8)
    assert not config.embedding_dp_mp_config.vocab_emb_dp and OpParallelConfig().dpmp == OpParallelConfig()
    assert str(OpParallelConfig(2, 3)) == "[ParallelConfig]\ndata_parallel:2\nmodel_parallel:3\n"
    with pytest.raises(ValueError, match="'data_parallel' must be int and must > 0, but got '0'"):
        OpParallelConfig(0)
    with pytest.raises(
        ValueError, match="The pipeline stage 1 in auto_parallel_context is not equal to the pipeline_stage 2"
    ):
        _check_config(_PipeLineConfig(2))
    _check_moe_config(MoEConfig())
    with pytest.raises(TypeError, match="'moe_config' must be an instance of MoEConfig, but got int"):
        _check_moe_config(3)


def test_what_is_not_offered() -> None:
    for call, kind, match in (
        (
            lambda: transformer.MultiHeadAttention(1, 2, 2, 4, 2, use_past=True),
            ValueError,
            "use_past=True is not offered",
        ),
        (lambda: transformer.MultiHeadAttention(1, 2, 2, 4, 3), ValueError, "a multiple of num_heads, got 4 and 3"),
        (
            lambda: transformer.MultiHeadAttention(1, 2, 2, 4, 2, 1.0),
            ValueError,
            r"hidden_dropout_rate must be in \[0, 1\), got 1",
        ),
        (
            lambda: transformer.FeedForward(4, 4, 0.1, None),
            TypeError,
            "hidden_act must be a str or a class of Cells, got None",
        ),
        (lambda: transformer.FeedForward(4, 4, 0.1, expert_num=2), ValueError, "several experts are not offered"),
        (lambda: transformer.Transformer(4, 1, 4, 2, 2, encoder_layers=0), ValueError, "3 layers needs an encoder"),
        (lambda: layers._LayerNorm((4,), param_init_type=ms.int32), TypeError, "must be float32 or float16, got Int32"),
        (
            lambda: transformer.TransformerEncoderLayer(1, 4, 4, 2, 2, moe_config=MoEConfig(2)),
            ValueError,
            "several experts are not offered, got expert_num=2",
        ),
    ):
        with pytest.raises(kind, match=match):
            call()


def test_checks() -> None:
    @layers._args_type_validator_check(
        size=layers._valid_type_checks([int], "Net"), dtype=layers._valid_value_checks([ms.float32], "Net")
    )
    def make(size: int, dtype: object = ms.float32, other: object = None) -> int:
        return size

    assert make(3, other=1) == make(size=3) == 3
    for arguments, match in (
        ((3.0,), "For 'Net', the 'size' should be one of"),
        ((3, ms.int8), "For 'Net', the 'dtype'"),
    ):
        with pytest.raises(TypeError, match=match):
            make(*arguments)
    layers._check_input_dtype(ms.int32, "x", [ms.int32], "Net")
    assert layers._check_past_none_input_none(True, "p", "f", None, True, False)
    for arguments, match in (
        ((True, "p", "f", None, False, True), "f p must be a tensor if use_past is True"),
        ((False, "p", "f", None, True, False), "f p must be None if use_past is False"),
    ):
        with pytest.raises(TypeError, match=match):
            layers._check_past_none_input_none(*arguments)
    check = layers._LayerInputCheck
    assert check.check_shape_length((1, 2), "x", "f", [2, 3]) and check.check_shape_equal(
        (1, 2), "x", "f", [[1, 2], [3]]
    )
    assert check.check_shape_value_on_axis((1, 2), 1, "x", "f", 2)
    assert check.check_shape_equal_without_batch((9, 5, 4), "x", "f", [2, 5, 4])
    assert check.check_shape_equal_without_batch((10, 4), "x", "f", [2, 5, 4])
    for call, match in (
        (
            lambda: check.check_shape_length((1,), "x", "f", 2),
            r"f x shape length must be one of \[2\] dimension, but got",
        ),
        (
            lambda: check.check_shape_equal((1, 2), "x", "f", [2, 2]),
            r"f x shape must be one of \[\[2, 2\]\], but got \[1, 2\]",
        ),
        (lambda: check.check_shape_value_on_axis((1, 2), 1, "x", "f", 3), "f x at 1 shape must be 3, but got 2"),
        (lambda: check.check_shape_equal_without_batch((9, 4), "x", "f", [2, 5, 4]), "apart from the batch"),
    ):
        with pytest.raises(ValueError, match=match):
            call()


# --- attention --------------------------------------------------------------------------------------------------------


def test_flash_attention() -> None:
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal((2, 3, 8, 4)).astype(np.float32) for _ in range(3))
    mask = np.triu(np.ones((8, 8)), 1)
    alibi = rng.standard_normal((2, 3, 1, 8)).astype(np.float32)
    tensors = [torch.tensor(x) for x in (q, k, v)]
    attend = torch.nn.functional.scaled_dot_product_attention
    plain = FlashAttention(4, 3, high_precision=True)(Tensor(q), Tensor(k), Tensor(v))
    np.testing.assert_allclose(plain.asnumpy(), attend(*tensors).numpy(), atol=1e-5)
    masked = FlashAttention(head_dim=4)(Tensor(q), Tensor(k), Tensor(v), Tensor(np.stack([mask] * 2), ms.uint8))
    np.testing.assert_allclose(masked.asnumpy(), attend(*tensors, is_causal=True).numpy(), atol=1e-5)
    one = FlashAttention(4, have_attention_mask_batch=False)(
        Tensor(q), Tensor(k), Tensor(v), Tensor(mask[None], ms.float16)
    )
    np.testing.assert_array_equal(one.asnumpy(), masked.asnumpy())
    got = FlashAttention(4, 3, alibi=True)(Tensor(q), Tensor(k), Tensor(v), None, Tensor(alibi))
    np.testing.assert_allclose(got.asnumpy(), attend(*tensors, attn_mask=torch.tensor(alibi)).numpy(), atol=1e-5)
    net = FlashAttention(4, 3, dropout_rate=0.5)
    assert not np.allclose(net.set_train()(Tensor(q), Tensor(k), Tensor(v)).asnumpy(), plain.asnumpy())
    np.testing.assert_array_equal(net.set_train(False)(Tensor(q), Tensor(k), Tensor(v)).asnumpy(), plain.asnumpy())


@pytest.mark.parametrize(
    "case", ["plain", "masks", "float mask", "more", "separate", "each head", "unbatched", "no bias"]
)
def test_multi_head_attention_forward(case: str) -> None:
    rng = np.random.default_rng(6)

    def floats(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    length, keys, batch, size, heads = 3, 5, 2, 4, 2
    q, k, v = floats(length, batch, size), floats(keys, batch, size), floats(keys, batch, size)
    weights = {"in_proj_weight": floats(12, 4), "in_proj_bias": floats(12), "out_proj_weight": floats(4, 4)}
    weights |= {"out_proj_bias": floats(4), "bias_k": None, "bias_v": None}
    options: dict = {}
    if case == "masks":
        padding = np.zeros((batch, keys), bool)
        padding[1, 3:] = True
        options = {"key_padding_mask": padding, "attn_mask": np.triu(np.ones((length, keys), bool), 2)}
    elif case == "float mask":
        options = {"attn_mask": floats(batch * heads, length, keys)}
    elif case == "more":
        weights |= {"bias_k": floats(1, 1, size), "bias_v": floats(1, 1, size)}
        options = {"attn_mask": np.triu(np.ones((length, keys), bool), 2), "add_zero_attn": True}
    elif case == "separate":
        options = {"use_separate_proj_weight": True, "q_proj_weight": floats(4, 4), "k_proj_weight": floats(4, 4)}
        options |= {"v_proj_weight": floats(4, 4)}
        weights["in_proj_weight"] = None
    elif case == "each head":
        options = {"average_attn_weights": False}
    elif case == "unbatched":
        q, k, v = q[:, 0], k[:, 0], v[:, 0]
        options = {"key_padding_mask": np.array([False] * 4 + [True])}
    elif case == "no bias":
        weights |= {"in_proj_bias": None, "out_proj_bias": None}
    add_zero = options.pop("add_zero_attn", False)
    given = {**weights, **options}

    def run(function: object, convert: object) -> object:
        made = {n: convert(x) if isinstance(x, np.ndarray) else x for n, x in given.items()}
        fixed = {"embed_dim_to_check": size, "num_heads": heads, "add_zero_attn": add_zero, "dropout_p": 0.0}
        return function(convert(q), convert(k), convert(v), **fixed, **made)

    want = run(torch.nn.functional.multi_head_attention_forward, torch.tensor)
    got = run(multi_head_attention_forward, Tensor)
    for ours, theirs in zip(got, want, strict=True):
        assert ours.shape == tuple(theirs.shape)
        np.testing.assert_allclose(ours.asnumpy(), theirs.numpy(), atol=1e-5)


def test_multi_head_attention_forward_options() -> None:
    x = ops.ones((2, 1, 4))
    eye = ops.eye(4)
    arguments = (x, x, x, 4, 2, ops.cat((eye, eye, eye)), None, None, None, False)
    ms.set_seed(1)
    dropped, shares = multi_head_attention_forward(*arguments, 0.5, eye, None)
    assert set(np.unique(shares.asnumpy() * 4)) <= {0, 2, 4} and dropped.shape == (2, 1, 4)
    kept, _ = multi_head_attention_forward(*arguments, 0.5, eye, None, training=False)
    np.testing.assert_allclose(kept.asnumpy(), x.asnumpy(), rtol=1e-6)
    static, _ = multi_head_attention_forward(*arguments, 0.0, eye, None, static_v=3 * ops.ones((2, 2, 2)))
    np.testing.assert_allclose(static.asnumpy(), 3 * x.asnumpy(), rtol=1e-6)
    with pytest.raises(ValueError, match=r"must be 3 and a multiple of num_heads=2, got 4"):
        multi_head_attention_forward(x, x, x, 3, *arguments[4:], 0.0, eye, None)
    assert math.isfinite(kept.sum().item())


def test_capacity_of_an_expert() -> None:
    """The share of an expert is rounded up."""
    assert [calculate_expert_capacity(*a) for a in ((2, 8.0, 1.1, 4), (1, 4, 1, 4), (-1, 4, 1, 3))] == [5, 1, -1]
