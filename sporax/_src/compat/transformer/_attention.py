"""The parts of a transformer's layers: attention, the feed-forward part, embedding and mask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sporax import Parameter, Tensor, float16, float32, nn
from sporax._src.compat.operators import ops
from sporax._src.compat.transformer._settings import default_embedding_parallel_config
from sporax._src.compat.transformer.layers import _Linear
from sporax._src.compat.transformer.op_parallel_config import _check_config, default_dpmp_config
from sporax.common.initializer import initializer


def _rate(cls_name: str, name: str, value: float) -> float:
    if not 0 <= value < 1:
        raise ValueError(f"{cls_name}: {name} must be in [0, 1), got {value}.")
    return value


class FeedForward(nn.Cell):
    """dropout(projection(activation(mapping(x)))), in float16.

    Args:
        hidden_size, ffn_hidden_size: The sizes outside and inside.
        dropout_rate: The share of elements that is dropped in training.
        hidden_act: The name or the class of the activation.
        expert_num: 1.
        param_init_type: The type of the Parameters.

    Raises:
        TypeError: If `hidden_act` is neither a name nor a class of Cells.
        ValueError: If `dropout_rate` is not in [0, 1), or `expert_num` is not 1.
    """

    def __init__(
        self,
        hidden_size: int,
        ffn_hidden_size: int,
        dropout_rate: float,
        hidden_act: object = "gelu",
        expert_num: int = 1,
        expert_group_size: int | None = None,
        param_init_type: object = float32,
        parallel_config: object = default_dpmp_config,
    ) -> None:
        super().__init__()
        if not (isinstance(hidden_act, str) or (isinstance(hidden_act, type) and issubclass(hidden_act, nn.Cell))):
            raise TypeError(f"FeedForward: hidden_act must be a str or a class of Cells, got {hidden_act!r}.")
        _check_config(parallel_config)
        options = {"transpose_b": False, "expert_num": expert_num, "param_init_type": param_init_type}
        self.mapping = _Linear(hidden_size, ffn_hidden_size, activation=hidden_act, **options)
        self.projection = _Linear(ffn_hidden_size, hidden_size, **options)
        self.dropout = nn.Dropout(p=_rate("FeedForward", "dropout_rate", dropout_rate))

    def construct(self, x: Tensor) -> Tensor:
        return self.dropout(self.projection(self.mapping(x.astype(float16))))


class AttentionMask(nn.Cell):
    """Gives the mask (B, S, S) in which each token sees itself and those before it, none of them padding.

    Args:
        seq_length: The length S.

    Inputs:
        - **input_mask**: (B, S), 0 at padding.
    """

    def __init__(self, seq_length: int, parallel_config: object = default_dpmp_config) -> None:
        super().__init__()
        self.seq_length = seq_length
        self.lower_triangle_mask = Tensor(np.tril(np.ones((seq_length, seq_length))), float32)

    def construct(self, input_mask: Any) -> Tensor:
        present = (input_mask != 0).astype(float16)
        both = present.expand_dims(2) * present.expand_dims(1)
        return both * self.lower_triangle_mask


class VocabEmbedding(nn.Cell):
    """Looks rows up in a table.

    Args:
        vocab_size, embedding_size: The shape of the table.
        parallel_config: Accepted.
        param_init: The initializer of the table.

    Outputs:
        The rows, and the table.
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        parallel_config: object = default_embedding_parallel_config,
        param_init: Any = "normal",
    ) -> None:
        super().__init__()
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        table = initializer(param_init, [vocab_size, embedding_size])
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, input_ids: Tensor) -> tuple[Tensor, Tensor]:
        return ops.gather(self.embedding_table, input_ids, 0), self.embedding_table.value()


class MultiHeadAttention(nn.Cell):
    """Attention of several heads; `nn.MultiheadAttention` is its successor.

    Args:
        batch_size: Accepted.
        src_seq_length, tgt_seq_length: The lengths of the queries and of the keys.
        hidden_size, num_heads: The size of a token, and how many heads share it.
        hidden_dropout_rate, attention_dropout_rate: The shares of outputs and of weights that are dropped in training.
        compute_dtype, softmax_compute_type, param_init_type: Types of the products, the softmax and the Parameters.
        use_past: False.

    Inputs:
        - **query_tensor, key_tensor, value_tensor**: (B, S, H) or (B · S, H).
        - **attention_mask**: (B, S, T), 1 where a query sees a key; None if all do.

    Outputs:
        The result in the shape of the query, and (keys (B, heads, d, T), values (B, heads, T, d)).

    Raises:
        ValueError: If the heads do not divide the size, a rate is not in [0, 1), or `use_past` is True.
    """

    def __init__(
        self,
        batch_size: int | None,
        src_seq_length: int,
        tgt_seq_length: int,
        hidden_size: int,
        num_heads: int,
        hidden_dropout_rate: float = 0.1,
        attention_dropout_rate: float = 0.1,
        compute_dtype: Any = float16,
        softmax_compute_type: Any = float32,
        param_init_type: Any = float32,
        use_past: bool = False,
        parallel_config: object = default_dpmp_config,
    ) -> None:
        super().__init__()
        if use_past:
            raise ValueError("MultiHeadAttention: use_past=True is not offered.")
        if hidden_size % num_heads:
            raise ValueError(
                f"MultiHeadAttention: hidden_size must be a multiple of num_heads, got {hidden_size} and {num_heads}."
            )
        _check_config(parallel_config)
        self.src_seq_length, self.tgt_seq_length = src_seq_length, tgt_seq_length
        self.n_head, self.size_per_head = num_heads, hidden_size // num_heads
        self.dtype, self.softmax_dtype = compute_dtype, softmax_compute_type
        options = {"compute_dtype": compute_dtype, "param_init_type": param_init_type}
        self.projection = _Linear(hidden_size, hidden_size, transpose_b=False, **options)
        self.dense1 = _Linear(hidden_size, hidden_size, **options)
        self.dense2 = _Linear(hidden_size, hidden_size, **options)
        self.dense3 = _Linear(hidden_size, hidden_size, **options)
        self.dropout = nn.Dropout(p=_rate("MultiHeadAttention", "hidden_dropout_rate", hidden_dropout_rate))
        self.prob_dropout = nn.Dropout(p=_rate("MultiHeadAttention", "attention_dropout_rate", attention_dropout_rate))

    def construct(
        self,
        query_tensor: Tensor,
        key_tensor: Tensor,
        value_tensor: Tensor,
        attention_mask: Any,
        key_past: Any = None,
        value_past: Any = None,
        batch_valid_length: Any = None,
    ) -> Any:
        shape, dtype = query_tensor.shape, query_tensor.dtype
        batch = shape[0] // self.src_seq_length if len(shape) == 2 else shape[0]
        query = self._heads(self.dense1(query_tensor.astype(self.dtype)), batch, (0, 2, 1, 3))
        key = self._heads(self.dense2(key_tensor.astype(self.dtype)), batch, (0, 2, 3, 1))
        value = self._heads(self.dense3(value_tensor.astype(self.dtype)), batch, (0, 2, 1, 3))
        weights = self.prob_dropout(self._weights(query, key, attention_mask))
        merged = ops.matmul(weights, value).transpose(0, 2, 1, 3).reshape(-1, self.n_head * self.size_per_head)
        return self.dropout(self.projection(merged)).reshape(shape).astype(dtype), (key, value)

    def _heads(self, x: Tensor, batch: int, order: tuple[int, ...]) -> Tensor:
        return x.reshape(batch, -1, self.n_head, self.size_per_head).transpose(order)

    def _weights(self, query: Any, key: Any, attention_mask: Any) -> Tensor:
        root = math.sqrt(math.sqrt(self.size_per_head))  # half of the scale on each side keeps float16 in range
        scores = ops.matmul(query / root, key / root)
        dtype, scores = scores.dtype, scores.astype(self.softmax_dtype)
        if attention_mask is not None:
            mask = attention_mask.expand_dims(1) if attention_mask.ndim == 3 else attention_mask
            scores = scores + (1.0 - mask.astype(scores.dtype)) * -10000.0
        return ops.softmax(scores, -1).astype(dtype)
