"""Rotary embedding of queries and keys, and the routing of tokens to experts and back."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal, op
from sporax._src.ops.array.assign import write, writes

_REF = "references.inference."

# --- rotary embedding ------------------------------------------------------------------------------------------------


# --- experts ---------------------------------------------------------------------------------------------------------


@internal("GroupTopk")
def _grouped(token: Array, groups: int, k: int, inner: int) -> Array:
    parts = token.reshape(token.shape[0], groups, -1)
    worth = jnp.sum(jax.lax.top_k(parts, inner)[0], -1)
    best = jax.lax.top_k(worth, k)[1]
    chosen = jnp.any(best[..., None] == jnp.arange(groups, dtype=best.dtype), 1)
    return jnp.where(chosen[..., None], parts, 0).reshape(token.shape)


@writes(
    cases=("P(3, 8), np.arange(8, dtype=np.int32), 4, 2", "P(3, 8), np.arange(8, dtype=np.int32), 4, 2, 2"),
    ref=_REF + "group_topk",
    errors=(("P(3, 8), I(8), 3, 2", "group_num"), ("P(3, 8), I(8), 4, 5", "k must")),
    name="_group_topk",
    primitive="GroupTopk()",
)
def group_topk(token: Tensor, idx_arr: Tensor, group_num: int, k: int, k_inner: int = 1) -> Tensor:
    """Set to 0, in place, the scores of experts outside of each token's k best groups, and return the scores.

    Args:
        token: Scores (tokens, experts), which are written.
        idx_arr: Accepted: the numbers from 0 on.
        group_num: The number of groups of consecutive experts.
        k: How many groups are kept.
        k_inner: A group's worth is the sum of its `k_inner` best scores.

    Raises:
        ValueError: If `group_num` does not divide the experts, or `k` is out of range.

    Examples:
        >>> ops.GroupTopk()(Tensor([[1.0, 2.0, 3.0, 4.0]]), Tensor([0, 1, 2, 3]), 2, 1).asnumpy()
        array([[0., 0., 3., 4.]], dtype=float32)
    """
    if token.ndim != 2 or token.shape[1] % group_num:
        raise ValueError(
            f"ops.GroupTopk: group_num must divide the experts of token {list(token.shape)}, got {group_num}."
        )
    if not 1 <= k <= group_num:
        raise ValueError(f"ops.GroupTopk: k must be in [1, {group_num}], got {k}.")
    return write("GroupTopk", token, _grouped(token, group_num, k, k_inner))


@op(
    ref=_REF + "moe_token_permute",
    cases=("T(6, 3), D([5, 0, 3, 1, 2, 4], np.int32)", "T(3, 2), D([[1, 0], [0, 2], [1, 2]], np.int32), 4"),
    errors=(
        ("T(6), I(6)", "tokens must"),
        ("T(6, 3), I(5)", "as many rows"),
        ("T(6, 3), I(6), padded_mode=True", "padded_mode"),
    ),
)
def moe_token_permute(
    tokens: Array, indices: Array, num_out_tokens: Static = None, padded_mode: bool = False
) -> tuple[Array, Array]:
    """Return the tokens in the order of their experts, and the new position of each (int32).

    Args:
        tokens: A Tensor (tokens, features).
        indices: The expert, or experts, of each token: (tokens,) or (tokens, k).
        num_out_tokens: How many rows are returned; None or 0: all.
        padded_mode: False.

    Raises:
        ValueError: If shapes do not fit, or `padded_mode` is True.

    Examples:
        >>> rows, positions = ops.moe_token_permute(Tensor([[1.0], [2.0], [3.0]]), Tensor([1, 0, 1]))
        >>> rows.asnumpy()[:, 0], positions.asnumpy()
        (array([2., 1., 3.], dtype=float32), array([1, 0, 2], dtype=int32))
    """
    if tokens.ndim != 2 or indices.ndim not in (1, 2):
        raise ValueError(f"tokens must have 2 axes and indices 1 or 2, got {tokens.ndim} and {indices.ndim}.")
    if tokens.shape[0] != indices.shape[0]:
        raise ValueError(f"tokens and indices must have as many rows, got {tokens.shape[0]} and {indices.shape[0]}.")
    if padded_mode:
        raise ValueError("padded_mode must be False.")
    order = jnp.argsort(indices.reshape(-1), stable=True)
    positions = jnp.argsort(order).astype(jnp.int32)
    return tokens[order[: num_out_tokens or None] // (indices.size // indices.shape[0])], positions


@op(
    ref=_REF + "moe_token_unpermute",
    cases=(
        "T(6, 3), D([5, 0, 3, 1, 2, 4], np.int32)",
        "T(4, 2), D([2, 0, 1, 4, 3, 5], np.int32), U(3, 2)",
    ),
    errors=(("T(6, 3), I(6), padded_mode=True", "padded_mode"),),
)
def moe_token_unpermute(
    permuted_tokens: Array,
    sorted_indices: Array,
    probs: OptArray = None,
    padded_mode: bool = False,
    restore_shape: Static = None,
) -> Array:
    """Return the tokens in the order that they had before `moe_token_permute`, those of one token merged.

    Args:
        permuted_tokens: A Tensor (rows, features).
        sorted_indices: Where each token went; a row that was dropped counts as 0.
        probs: Weights (tokens, k) with which the k rows of a token are summed.
        padded_mode: False.
        restore_shape: For the padded mode.

    Raises:
        ValueError: If `padded_mode` is True.

    Examples:
        >>> ops.moe_token_unpermute(Tensor([[2.0], [1.0], [3.0]]), Tensor([1, 0, 2])).asnumpy()[:, 0]
        array([1., 2., 3.], dtype=float32)
    """
    if padded_mode:
        raise ValueError("padded_mode must be False.")
    rows = jnp.take(permuted_tokens, sorted_indices, 0, mode="fill", fill_value=0)
    if probs is None:
        return rows
    weighted = rows.reshape(*probs.shape, -1) * probs[..., None]
    return jnp.sum(weighted, 1).astype(permuted_tokens.dtype)
