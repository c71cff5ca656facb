"""Primitives of `mindspore.ops.auto_generate.gen_ops_prim` that MindSpore has for Ascend.

mindformers imports those of experts and quantized networks, mindone AdamW. mindnlp (`mindtorch/_op_prim`) makes all of them by
`import *`; repositories of the census import the others. Those with a formula compute it; the others can be made.
MindSpore's own tests use FFN, under the name FFNExt, and dropout_ext_op.
"""

from __future__ import annotations

from typing import Any

from sporax import Tensor, float16, float32, int8, int32, int64
from sporax._src.api.ops import PUBLIC
from sporax._src.compat.no_kernel import DescribedOperator, without_kernel
from sporax._src.compat.operators import ops
from sporax.ops import Primitive


def _rounded(x: Tensor, mode: str = "ROUND") -> Tensor:
    ways = {"ROUND": ops.round, "RINT": ops.round, "FLOOR": ops.floor, "CEIL": ops.ceil, "TRUNC": ops.trunc}
    if mode.upper() not in ways:
        raise ValueError(f"rounding_mode must be one of {', '.join(ways)}, got {mode!r}.")
    return ops.clamp(ways[mode.upper()](x), -128, 127).astype(int8)


class QuantV2(Primitive):
    """round(x · scale + offset) as int8; with `sqrt_mode` round(x · scale² + offset).

    Inputs:
        x, scale, offset: Tensors that broadcast. sqrt_mode: Default False. rounding_mode: "ROUND" (half to even), "FLOOR",
        "CEIL" or "TRUNC". dst_type: int8.

    Raises:
        ValueError: If `rounding_mode` is unknown or `dst_type` is not int8.
    """

    def __init__(self) -> None:
        super().__init__("QuantV2")

    def __call__(self, x: Any, scale: Any, offset: Any, sqrt_mode: bool = False, rounding_mode: str = "ROUND",
                 dst_type: object = int8) -> Tensor:  # fmt: skip
        if dst_type != int8:
            raise ValueError(f"QuantV2: dst_type must be int8, got {dst_type}.")
        wide = x.astype(float32) * scale.astype(float32)
        wide = wide * scale.astype(float32) if sqrt_mode else wide
        return _rounded(wide + offset.astype(float32), rounding_mode)


class QuantBatchMatmul(Primitive):
    """((x1 · x2 + bias) · scale + offset) · pertoken_scale of int8 matrices, in `dtype`; a bias of floats comes last.

    Args:
        transpose_x1, transpose_x2: Whether the last two axes are swapped first.
        dtype: The type of the result, int8 (rounded) or a type of floats. Default float16.

    Inputs:
        x1: (..., M, K). x2: (..., K, N). scale: (N,) or (1,), of floats. offset: (N,) or None. bias: (N,) or None.
        pertokenScaleOptional: (M,) or None.
    """

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False, dtype: object = float16) -> None:
        super().__init__("QuantBatchMatmul")
        self.transpose_x1, self.transpose_x2, self.dtype = transpose_x1, transpose_x2, dtype

    def __call__(self, x1: Any, x2: Any, scale: Any, offset: Any = None, bias: Any = None,
                 pertokenScaleOptional: Any = None) -> Tensor:  # fmt: skip
        if not scale.dtype.is_floating_point:
            raise ValueError(f"QuantBatchMatmul: scale must be of floats, got {scale.dtype}.")
        x1 = x1.swapaxes(-1, -2) if self.transpose_x1 else x1
        x2 = x2.swapaxes(-1, -2) if self.transpose_x2 else x2
        out = ops.matmul(x1.astype(int32), x2.astype(int32))
        late = bias is not None and bias.dtype.is_floating_point
        out = (out if bias is None or late else out + bias).astype(float32) * scale.astype(float32)
        out = out if offset is None else out + offset.astype(float32)
        out = out if pertokenScaleOptional is None else out * pertokenScaleOptional.astype(float32).expand_dims(-1)
        if late and bias is not None:
            out = out + bias.astype(float32)
        return _rounded(out) if self.dtype == int8 else out.astype(self.dtype)


class GroupedMatmulV4(Primitive):
    """A product of each group of rows with a weight of its own.

    Inputs:
        x, weight, bias, scale, offset, antiquant_scale, antiquant_offset, pre_token_scale: Lists of Tensors, or None.
        group_list: Where the groups end, or with `group_list_type` 1 how many rows they have.
        split_item, group_type: 0 and -1: the i-th x with the i-th weight; 3 and 0: the rows of one x (M, K) with one
            weight (E, K, N), rows behind the last group giving zeros.

    Outputs:
        A list: x · weight + bias; of a quantized weight x · ((weight + antiquant_offset) · antiquant_scale) + bias; of
        quantized rows (x · weight + bias) · scale · pre_token_scale, in the type of scale.

    Raises:
        ValueError: If `split_item` and `group_type` do not belong together, `group_list` is missing, or an argument is
            passed that MindSpore does not support either.
    """

    def __init__(self) -> None:
        super().__init__("GroupedMatmulV4")

    def __call__(
        self,
        x: Any,
        weight: Any,
        bias: Any = None,
        scale: Any = None,
        offset: object = None,
        antiquant_scale: Any = None,
        antiquant_offset: Any = None,
        pre_token_scale: Any = None,
        group_list: Any = None,
        activation_input: object = None,
        activation_quant_scale: object = None,
        activation_quant_offset: object = None,
        split_item: int = 0,
        group_type: int = -1,
        group_list_type: int = 0,
        act_type: int = 0,
    ) -> list[Tensor]:
        unsupported = (offset, activation_input, activation_quant_scale, activation_quant_offset)
        if any(value is not None for value in unsupported) or act_type:
            raise ValueError("GroupedMatmulV4: offset and activations are not supported.")
        if (split_item, group_type) not in ((0, -1), (3, 0)) or (split_item == 3) != (group_list is not None):
            raise ValueError(
                "GroupedMatmulV4: split_item and group_type must be 0 and -1 without group_list, or 3 and 0 with it, "
                f"got {split_item} and {group_type}."
            )
        lists = (bias, scale, antiquant_scale, antiquant_offset, pre_token_scale)
        out = []
        for i, rows in enumerate(x):
            terms = [None if values is None else values[i] for values in lists]
            if split_item == 0:
                out.append(_product(rows, weight[i], *terms))
                continue
            ends = group_list if group_list_type == 0 else ops.cumsum(group_list.astype(int64), 0)
            out.append(_grouped(rows, weight[i], ends, *terms))
        return out


def _grouped(rows: Tensor, weight: Tensor, ends: Tensor, *terms: Any) -> Any:
    """Return the product of each row with the weight of its group, zeros behind the last group."""
    positions = ops.arange(rows.shape[0]).expand_dims(1)
    group = (positions >= ends.astype(int64)).astype(int32).sum(1)
    *per_group, per_row = terms
    total = 0
    for e in range(weight.shape[0]):
        own: list[Any] = [None if v is None else v[e] for v in per_group]
        one = _product(rows, weight[e], *own, per_row=per_row)
        masked = ops.where((group == e).expand_dims(1), one, ops.zeros_like(one))
        total = total + masked
    return total


def _product(
    x: Tensor, weight: Tensor, bias: object, scale: Any, anti: Any, anti_offset: Any, per_row: Any = None
) -> Tensor:
    if x.dtype == int8:
        out = ops.matmul(x.astype(int32), weight.astype(int32))
        out = out if bias is None else out + bias
        dtype = float32 if scale is None else scale.dtype
        out = out.astype(float32) if scale is None else out.astype(float32) * scale.astype(float32)
        return (out if per_row is None else out * per_row.expand_dims(-1)).astype(dtype)
    if anti is not None:
        weight = (weight.astype(anti.dtype) + (0 if anti_offset is None else anti_offset)) * anti
    out = ops.matmul(x, weight.astype(x.dtype))
    return out if bias is None else (out + bias).astype(x.dtype)


class FusedAddTopKDiv(Primitive):
    """The experts of each token: the best `k` of the best groups, by sigmoid(x) + add_num.

    Inputs:
        x: (tokens, experts). add_num: (experts,), added for the choice only.
        group_num, group_topk: How many groups the experts form, and how many of them count.
        n: A group is as good as the sum of its best n experts.
        k: How many experts a token gets.
        activate_type: 0, the sigmoid. is_norm: Whether the weights are divided by their sum and multiplied by `scale`.
        mapping_num, mapping_table: With `enable_expert_mapping`: how many copies an expert has, and their numbers.

    Outputs:
        The weights, float32 (tokens, k), and the experts, int32 (tokens, k), the best first.

    Raises:
        ValueError: If `activate_type` is not 0.
    """

    def __init__(self) -> None:
        super().__init__("FusedAddTopKDiv")

    def __call__(
        self,
        x: Tensor,
        add_num: Tensor,
        group_num: int,
        group_topk: int,
        n: int,
        k: int,
        activate_type: int = 0,
        is_norm: bool = True,
        scale: float = 2.5,
        mapping_num: Any = None,
        mapping_table: Any = None,
        enable_expert_mapping: bool = False,
    ) -> tuple[Tensor, Tensor]:
        if activate_type != 0:
            raise ValueError(f"FusedAddTopKDiv: activate_type must be 0, got {activate_type}.")
        tokens, experts = x.shape
        activated = ops.sigmoid(x.astype(float32))
        grouped = (activated + add_num.astype(float32)).reshape(tokens, group_num, experts // group_num)
        worth = ops.topk(grouped, n)[0].sum(-1)
        rank = _stable_ranks(-worth)
        grouped = ops.where((rank < group_topk).expand_dims(-1), grouped, ops.zeros_like(grouped))
        order = ops.argsort(-grouped.reshape(tokens, experts), -1)
        chosen = order[:, :k]
        weights = ops.gather_elements(activated, 1, chosen)
        if is_norm:
            weights = weights / weights.sum(-1, keepdims=True) * scale
        if enable_expert_mapping:
            last = order[:, group_topk * (experts // group_num) - 1] + _SHIFT
            copies = mapping_num.expand_dims(0) * ((_PRIME % last) / last.astype(float32)).expand_dims(1)
            copy = ops.gather_elements(ops.floor(copies).astype(int32), 1, chosen)
            chosen = mapping_table[chosen, copy]
        return weights, chosen.astype(int32)


_SHIFT, _PRIME = 7, 100000007  # what the operator draws the copy of an expert from


def _stable_ranks(values: Tensor) -> Any:
    """Return the rank of each element along the last axis, the first of equals first."""
    return ops.argsort(ops.argsort(values, -1), -1)


class MoeInitRoutingV2(Primitive):
    """Puts the rows of tokens in the order of their experts.

    Inputs:
        x: (tokens, H). expert_idx: int32 (tokens, K).
        active_num: At most so many rows come; 0 for all.
        expert_capacity, expert_num: How many rows an expert takes, and how many experts there are.
        drop_pad_mode: 0, or 1 to cut and fill each expert's rows to its capacity.
        expert_tokens_count_or_cumsum_flag: 0, 1 for where each expert's rows end, or 2 for their number.
        expert_tokens_before_capacity_flag: Whether the numbers before rows are cut are asked for.

    Outputs:
        The rows, (tokens · K, H) or (experts, capacity, H); where each row of `expert_idx` went, -1 if nowhere; and both
        kinds of numbers, int32 (experts,), zeros where they are not asked for.
    """

    def __init__(self) -> None:
        super().__init__("MoeInitRoutingV2")

    def __call__(
        self,
        x: Tensor,
        expert_idx: Tensor,
        active_num: int,
        expert_capacity: int,
        expert_num: int,
        drop_pad_mode: int,
        expert_tokens_count_or_cumsum_flag: int,
        expert_tokens_before_capacity_flag: bool,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        k, experts = expert_idx.shape[1], expert_idx.reshape(-1)
        order = ops.argsort(experts, -1)
        where = ops.argsort(order, -1).astype(int32)
        counts = (experts.expand_dims(1) == ops.arange(expert_num)).astype(int32).sum(0)
        none, ends = ops.zeros_like(counts), ops.cumsum(counts, 0)
        if drop_pad_mode == 0:
            rows = ops.gather(x, order[: active_num or None] // k, 0)
            return rows, where, (none, ends, counts)[expert_tokens_count_or_cumsum_flag], none
        starts = ends - counts
        slot = where - ops.gather(starts, experts, 0)
        went = ops.where(slot < expert_capacity, experts * expert_capacity + slot, ops.full_like(slot, -1))
        slots = ops.arange(expert_capacity).expand_dims(0)
        source = ops.clamp(starts.expand_dims(1) + slots, 0, order.shape[0] - 1)
        rows = ops.gather(x, ops.gather(order, source.reshape(-1), 0) // k, 0)
        filled = (slots < counts.expand_dims(1)).reshape(-1, 1)
        rows = ops.where(filled, rows, ops.zeros_like(rows)).reshape(expert_num, expert_capacity, -1)
        return rows, went.astype(int32), none, counts if expert_tokens_before_capacity_flag else none


class MoeTokenUnpermute(Primitive):
    """`ops.moe_token_unpermute` as an object."""

    def __init__(self) -> None:
        super().__init__("MoeTokenUnpermute")

    def __call__(self, permuted_tokens: Tensor, sorted_indices: Tensor, probs: object = None, padded_mode: bool = False,
                 restore_shape: object = None) -> Tensor:  # fmt: skip
        return ops.moe_token_unpermute(permuted_tokens, sorted_indices, probs, padded_mode, restore_shape)


class PromptFlashAttention(Primitive):
    """`ops.prompt_flash_attention` as an object, which takes the options.

    Args:
        num_heads, scale_value, pre_tokens, next_tokens, input_layout, num_key_value_heads, sparse_mode, inner_precise: See
            `ops.prompt_flash_attention`.
    """

    def __init__(
        self,
        num_heads: int = 1,
        scale_value: float = 1.0,
        pre_tokens: int = 2147483647,
        next_tokens: int = 0,
        input_layout: str = "BSH",
        num_key_value_heads: int = 0,
        sparse_mode: int = 0,
        inner_precise: int = 1,
    ) -> None:
        super().__init__("PromptFlashAttention")
        self.options = {
            "num_heads": num_heads,
            "scale_value": scale_value,
            "pre_tokens": pre_tokens,
            "next_tokens": next_tokens,
            "input_layout": input_layout,
            "num_key_value_heads": num_key_value_heads,
            "sparse_mode": sparse_mode,
            "inner_precise": inner_precise,
        }

    def __call__(self, query: Tensor, key: Tensor, value: Tensor, *more: object) -> Tensor:
        return ops.prompt_flash_attention(query, key, value, *more, **self.options)


def as_int8(x: Tensor) -> Tensor:
    return ops.clamp(x, -128, 127).astype(int8)


class DynamicQuantExt(Primitive):
    """Each row of x in 127ths of its largest magnitude: (round(x / scale) as int8, scale), scale = max |x| / 127.

    Inputs:
        x: (..., K). smooth_scales: (K,), which x is multiplied with first, or None.
    """

    def __init__(self) -> None:
        super().__init__("DynamicQuantExt")

    def __call__(self, x: Tensor, smooth_scales: Any = None) -> tuple[Tensor, Tensor]:
        wide = x.astype(float32) if smooth_scales is None else x.astype(float32) * smooth_scales.astype(float32)
        scale = ops.amax(ops.abs(wide), -1, True) / 127
        return as_int8(ops.round(wide / scale)), ops.squeeze(scale, -1)


class WeightQuantBatchMatmul(Primitive):
    """x · ((weight + antiquant_offset) · antiquant_scale) + bias in the type of x; with `quant_scale` rounded to int8.

    Args:
        transpose_x, transpose_weight: Whether the last two axes are swapped first.
        antiquant_group_size: 0; groups of rows with scales of their own are not offered.

    Raises:
        ValueError: If `antiquant_group_size` is not 0.
    """

    def __init__(
        self, transpose_x: bool = False, transpose_weight: bool = False, antiquant_group_size: int = 0
    ) -> None:
        super().__init__("WeightQuantBatchMatmul")
        if antiquant_group_size:
            raise ValueError(f"WeightQuantBatchMatmul: antiquant_group_size must be 0, got {antiquant_group_size}.")
        self.transpose_x, self.transpose_weight = transpose_x, transpose_weight

    def __call__(self, x: Any, weight: Any, antiquant_scale: Any, antiquant_offset: Any = None, quant_scale: Any = None,
                 quant_offset: Any = None, bias: Any = None) -> Tensor:  # fmt: skip
        x = x.swapaxes(-1, -2) if self.transpose_x else x
        dense = weight.astype(float32)
        dense = dense.swapaxes(-1, -2) if self.transpose_weight else dense
        dense = dense if antiquant_offset is None else dense + antiquant_offset.astype(float32)
        dense = dense * antiquant_scale.astype(float32)
        out = ops.matmul(x.astype(float32), dense)
        out = out if bias is None else out + bias.astype(float32)
        if quant_scale is None:
            return out.astype(x.dtype)
        out = out * quant_scale.astype(float32)
        return as_int8(ops.round(out if quant_offset is None else out + quant_offset.astype(float32)))


class FFN(Primitive):
    """act(x · weight1 + bias1) · weight2 + bias2; with `expert_tokens` each group of rows with weights of its own.

    Args:
        activation: `"fastgelu"`, `"gelu"`, `"relu"` or `"silu"`.
        inner_precise: Accepted.

    Inputs:
        x: (..., H). weight1: ([E,] H, F). weight2: ([E,] F, H). expert_tokens: (E,), how many rows each expert has, or None.
        bias1, bias2: ([E,] F), ([E,] H), or None.

    Raises:
        ValueError: If `activation` is unknown, or a scale or an offset of quantization is given.
    """

    _ACTIVATIONS = {"fastgelu": ops.fast_gelu, "gelu": ops.gelu, "relu": ops.relu, "silu": ops.silu}

    def __init__(self, activation: str = "fastgelu", inner_precise: int = 0) -> None:
        super().__init__("FFN")
        if activation not in self._ACTIVATIONS:
            raise ValueError(f"FFN: activation must be one of {', '.join(self._ACTIVATIONS)}, got {activation!r}.")
        self.activation, self.inner_precise = activation, inner_precise

    def __call__(self, x: Any, weight1: Any, weight2: Any, expert_tokens: Any = None, bias1: Any = None, bias2: Any = None,
                 *scales: object) -> Tensor:  # fmt: skip
        if any(scale is not None for scale in scales):
            raise ValueError("FFN: scales and offsets of quantization are not offered.")
        weights = weight1, weight2, bias1, bias2
        if expert_tokens is None:
            return self._layer(x, *weights)
        rows = x.reshape(-1, x.shape[-1])
        ends = ops.cumsum(expert_tokens.astype(int64), 0)
        expert = ops.searchsorted(ends, ops.arange(rows.shape[0]), right=True)
        out = ops.zeros((rows.shape[0], weight2.shape[-1]), x.dtype)
        for i in range(weight1.shape[0]):
            own = self._layer(rows, *[None if w is None else w[i] for w in weights])
            out = ops.where((expert == i).expand_dims(-1), own, out)
        return out.reshape(*x.shape[:-1], -1)

    def _layer(self, x: object, weight1: object, weight2: object, bias1: object, bias2: object) -> Any:
        inner = ops.matmul(x, weight1)
        inner = self._ACTIVATIONS[self.activation](inner if bias1 is None else inner + bias1)
        out = ops.matmul(inner, weight2)
        return out if bias2 is None else out + bias2


class Embedding(Primitive):
    """Rows of a table, see `ops.embedding`."""

    def __init__(self) -> None:
        super().__init__("Embedding")

    def __call__(self, input: Any, weight: object, padding_idx: object = None, max_norm: object = None, norm_type: float = 2.0,
                 scale_grad_by_freq: bool = False) -> Tensor:  # fmt: skip
        return ops.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)


class GroupNorm(Primitive):
    """(ops.group_norm(...), mean, 1 / √(variance + eps)), the last two of shape (N, num_groups)."""

    def __init__(self) -> None:
        super().__init__("GroupNorm")

    def __call__(
        self, input: Any, num_groups: int, weight: object = None, bias: object = None, eps: float = 1e-5
    ) -> Any:
        groups = input.reshape(input.shape[0], num_groups, -1)
        mean = groups.mean(-1)
        inverse = ops.rsqrt(ops.var(groups, -1, 0) + eps)
        return ops.group_norm(input, num_groups, weight, bias, eps), mean, inverse


class KVCacheScatterUpdate(DescribedOperator):
    """A cache of keys or values with updates at indices."""


class GenerateEodMaskV2(DescribedOperator):
    """A Tensor in which a bit is flipped to see whether errors of memory are found."""


embedding_op = Embedding()
dropout_ext_op = PUBLIC["DropoutExt"]()
tracev2_grad_op = PUBLIC["TraceV2Grad"]()
AdamW = without_kernel("AdamW", "")
GroupedMatmul = without_kernel("GroupedMatmul", "split_item=0, group_type=-1, transpose_a=False, transpose_b=False")
MoeComputeExpertTokens = without_kernel("MoeComputeExpertTokens", "")
MoeDistributeCombine = without_kernel("MoeDistributeCombine", "")
MoeDistributeDispatch = without_kernel("MoeDistributeDispatch", "")
MoeFinalizeRouting = without_kernel("MoeFinalizeRouting", "")
MoeGatingTopKSoftmax = without_kernel("MoeGatingTopKSoftmax", "")
MoeInitRouting = without_kernel("MoeInitRouting", "")
RotaryPositionEmbedding = without_kernel("RotaryPositionEmbedding", "")
Scatter = without_kernel("Scatter", "")
