"""Calls of functions that copies of MindSpore's files import from its private modules, by module.

A line `name: a | b` calls `name(a)` and `name(b)`; a line of names alone is their values. `T(1, 2)` is a Tensor of float32,
`P(1, 2)` a Parameter of it, `I(1, 2)` a Tensor of int32.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from behaviours import answer

CALLS = {
    "numpy.dtypes": """
PINF NINF inf nan pi int_ uint float_ bool_ numeric_types all_types dtype_map dtype_tuple
sorted(map(str,rule_for_trigonometric.items()))
sorted(map(str,promotion_rule.items()))
""",
    "numpy.utils_const": """
_abs: -2
_add_unit_axes: (2,), 3 | 4, 3 | (2, 3), 3, True | (2, 3), 1
_broadcast_tuples: 1, 2 | (1, 2), 3 | (1,), (2, 3) | (1, 2), (3, 4, 5) | "a", 1 | [1], (1, 2) | (), (1,)
_can_broadcast: (2,), (3, 2) | (2,), (3,) | (0,), (2,)
_canonicalize_axis: -1, 3 | [1], 3 | (2, 0), 3 | (0, -3), 3 | 4, 3 | (1.5,), 3
_ceil: 1.2
_check_axes_range: 0, 3 | (0, -1), 3 | [2, 0], 3 | (0, 0), 3 | 1.5, 3 | (0, 1.5), 3 | 3, 3
_check_axis_in_range: 0, 2 | -1, 2 | 2, 2 | 1.0, 2
_check_axis_type: 1, True, True, True | (1,), True, False, True | [1, "a"], True, True, True | None
_check_axis_valid: None, 2 | 1, 2 | (0, -1), 2 | (0, -2), 2 | [1], 2 | 3, 2 | 1.5, 2
_check_dtype: "int" | "Float32" | "x" | int | float | bool | ms.int8 | np.float16 | complex | ms.complex64 | None | 3
_check_element_int: [1, 2] | [1, 2.0]
_check_is_float: ms.float16 | ms.float64 | ms.int8
_check_is_inf: float("inf") | 1.0 | -float("inf"), True | float("inf"), True
_check_is_int: ms.int8 | ms.uint8 | ms.float32 | ms.bool_
_check_same_type: ms.int8, ms.int8 | ms.int8, ms.int16
_check_shape: 3 | (1, 2) | [2, 3] | I(2, 3) | (1, -1) | (1.5,) | "a" | None | ()
_check_shape_aligned: (1, 2), (3, 2) | (1, 2), (3,)
_check_start_normalize: 0, 3 | -1, 3 | 3, 3 | 4, 3 | -3, 3 | -4, 3
_cumprod: (2, 3, 4)
_expanded_shape: 3, 5, 1 | 2, 4, 0
_in: 1, [1] | 2, [1]
_infer_out_shape: (2,), (3, 2) | (2,), (3,) | (0,), (1,) | (2, 1), (1, 3), (4, 1, 1)
_iota: ms.int32, 4 | ms.float32, 3, False | ms.int32, 0
_is_shape_empty: (1, 0) | [1] | ()
_isscalar: ms.float32 | ms.bool_ | ms.string | ms.list_ | 3
_list_comprehensions: 3 | [1, 2] | [1, 2], 5 | 3, None, True | (1, 2), None, False, True | 2, 0
_make_tensor: 3, ms.float16 | [1, 2], ms.int8
_max: 1, 3
_min: 1, 3
_promote: ms.int8, ms.int8 | ms.float16, ms.uint8 | ms.bool_, ms.int32 | ms.complex64, ms.int8 | ms.float64, ms.uint16
_promote_for_trigonometric: ms.int8 | ms.int32 | ms.complex64
_raise_runtime_error: "a" | "a", 3
_raise_type_error: "a" | "a", 3
_raise_unimplemented_error: "a" | "a", 3
_raise_value_error: "a" | "a", 3
_seq_prod: (1, 2), (3, 4)
_tile_size: (1, 2), (3, 2), 2 | (1,), (3,), 3 | (2, 1), (2, 5), 2
_tuple_setitem: (1, 2, 3), 1, 9
_tuple_slice: (1, 2, 3), 0, 2 | (1, 2, 3), 1, None
_type_convert: int, 1.7 | list, (1, 2)
""",
    "numpy.utils": """
_broadcast_to: T(1, 2), (2,), (2,), 1 | T(1, 2).reshape(1, 2), (1, 2), (3, 2), 2
_broadcast_to_shape: T(1, 2), (3, 2) | T(1), (2, 3)
_callable: T(1), len | T(1), lambda: 0 | T(1), 3
_check_input_for_asarray: 1 | None | "a" | [] | np.ones(1)
_check_input_tensor: T(1), T(2) | T(1), 3
_convert_64_to_32: Tensor(1, ms.int64) | Tensor(1, ms.float64) | Tensor(1, ms.int8)
_convert_bool_to_int: Tensor(True) | Tensor(1, ms.int8)
_convert_list_tensor_to_tuple_tensor: [1, 2] | (1,) | 3
_deep_list: ((1, (2,)), [3]) | 3
_deep_tensor_to_nparray: [T(1), [T(2, 3), 4]] | T(1)
_expand: T(1, 2), 3 | T(1, 2), 3, -1
_get_dtype_from_scalar: 1, 2 | True, None | 1, 2.0 | None | True, 1
_get_size: T(1, 2, 3).reshape(1, 3) | T(1, 2, 3).reshape(1, 3), (1,) | T(1), ()
_is_scalar: () | (1, 1) | (2,)
_slice_along_axis: I(1, 2, 3, 4).reshape(2, 2), 0, 0, 1 | I(1, 2, 3, 4).reshape(2, 2), 1, 0, 1
_to_tensor: 1 | 1, 2.5 | [] | (1, 2) | "a" | Tensor(1, ms.float64) | True
_to_tensor_origin_dtype: 1 | 1, 2.5 | [1, 2] | "a"
_isnan: T(1, float("nan"))
""",
    "numpy.math_ops": """
_apply_tensor_op: lambda x: x + 1, 2 | lambda x, y: x * y, 2, 2.5, dtype=ms.float16 | abs, "a"
""",
    "ops.composite.multitype_ops._compile_utils": """
reduce_: T(1, 2), ops.reduce_sum | T(1, 2), ops.reduce_max, ops.maximum, 0, initial=1.5 | T(1, 2), ops.reduce_sum, where=I(1, 0)
reduce_: T(1, 2), ops.reduce_max, ops.maximum, initial=0.0, where=Tensor([True, False]) | T(1, 2), ops.reduce_sum, axis=3
reduce_: T(1, 2), ops.reduce_sum, ops.add, initial="a" | T(1, 2), ops.reduce_sum, dtype=ms.float16
reduce_: T(1, 2), ops.reduce_max, ops.maximum, 0, False, 0.0, Tensor([[True, False], [False, True]])
""",
    "ops.composite.multitype_ops._constexpr_utils": """
check_equal: 1, 1 | 1, 2 | 1, 2, "{} and {}"
check_type_valid: 1, (1, 2), "x" | 3, (1, 2), "x" | 3, (1, 2), "tensor getitem" | 3, 4, "x"
raise_value_error: "a"
raise_type_error: "a"
raise_index_error: "a"
real_axes: 2, 3, (0, 1) | 2, 2, (1,)
""",
    "ops": """
shape_mul: (2, 3) | ()
tensor_slice: I(1, 2, 3), (1,), (2,)
isconstant: T(1)
""",
    "ops.operations._inner_ops": """
IsSubClass(): ms.int32, ms.number | ms.int32, ms.float32 | ms.float32, ms.common.dtype.float_ | 3, ms.float32
SameTypeShape(): T(1), T(2) | T(1), I(2) | T(1), T(1, 2) | T(1), 3
same_type_shape_: T(1), T(2)
""",
    "scipy.utils": """
_convert_64_to_32: Tensor(1, ms.int64)
_dtype_check: "f", T(1), [ms.float32], "a" | "f", T(1), [ms.float64, ms.int32], "a"
_matvec: T(1, 2, 3, 4).reshape(2, 2), T(1, 2) | lambda x: x + 1, T(1, 2)
_mstype_check: "f", 3, ms.common.dtype.TensorType, "a"
_nd_transpose: T(1, 2, 3, 4).reshape(1, 2, 2) | T(1)
_norm: T(3, 4) | T(3, -4), float("inf")
_safe_normalize: T(3, 4) | T(0, 0) | T(3, 4), 9.0
_solve_check: "f", T(1, 2, 3, 4).reshape(2, 2), T(1, 2) | "f", T(1, 2, 3, 4).reshape(2, 2), T(1, 2, 3) | "f", T(1), T(1)
_solve_check: "f", T(1, 2, 3, 4).reshape(2, 2), I(1, 2)
_square_check: "f", T(1, 2, 3, 4).reshape(2, 2) | "f", T(1, 2).reshape(1, 2) | "f", T(1)
_to_scalar: 1 | T(1) | Tensor(2.5) | "a"
_to_tensor: 1 | 1, 2.5 | [1, 2], dtype=ms.float16 | "a"
_type_check: "f", 1, int, "a" | "f", True, int, "a" | "f", "x", (int, float), "a"
_value_check: "f", 1, (1, 2), "a", "v" | "f", 3, (1, 2), "a", "v" | "f", 3, (1, 2), "a", "v", msg=("no ", 3) | "f", 1, 1, op="=="
""",
    "scipy.utils_const": """
_raise_type_error: "a", 3
_raise_value_error: "a", 3
_super_check: (1, 1), ("f", "a"), "is", "todo", None, True | (1, 2), ("f", "a"), "is", "todo", None, False
pack: 1, 2
""",
    "nn.probability.distribution._utils.utils": """
CheckTensor(): None, "n" | T(1), "n" | (1,), "n"
CheckTuple(): (1,), "n" | T(1), "n"
cast_to_tensor: None | True | 1 | 2.5 | [1, 2] | np.ones(2) | "a" | (1, 2) | P(1)
check_distribution_name: None, "N" | "N", "N" | "B", "N"
check_greater: T(1), T(2), "a", "b" | T(2), T(2), "a", "b" | P(2), T(1), "a", "b" | None, T(1), "a", "b"
check_greater_equal_zero: T(0, 1), "v" | T(-1, 1), "v" | P(-1), "v"
check_greater_zero: T(0, 1), "v" | T(1, 2), "v" | P(-1), "v" | None, "v" | T(float("nan")), "v"
check_prob: T(0.25, 0.75) | T(0, 0.5) | T(0.5, 1) | P(2) | None
check_rank: T(1) | Tensor(1.0) | None
check_sum_equal_one: T(0.25, 0.75) | np.array([0.25, 0.7]) | P(0.5) | None
clamp_probs: T(0, 0.5, 1)
logits_to_probs: T(0, 1, -3) | T(0, 1, -3), True
probs_to_logits: T(0, 0.5, 1) | T(0, 0.5, 1), True
raise_broadcast_error: (1,), (2,)
raise_none_error: "x"
raise_not_defined: "f", "d"
raise_not_impl_error: "x"
raise_not_implemented_util: "f", "d"
raise_type_error: "x", int, str
set_param_type: {"a": T(1)}, None | {"a": I(1)}, ms.float16 | {"a": T(1), "b": I(1)}, None | {}, ms.int32 | {}, ms.float16
set_param_type: {"a": np.ones(2)}, None | {"a": np.ones(2, np.float16)}, None | {"a": 1.0}, ms.float16
""",
    "nn.probability.distribution._utils.custom_ops": """
broadcast_to: T(1, 2), T(1, 2, 3, 4).reshape(2, 2) | T(1, 2), T(3, 4)
exp_generic: T(-1, 0, 2) | I(-1, 0, 2)
log1p_generic: T(-1, 0, -2) | I(0, 2)
log_generic: T(-1, 0, 2) | I(-1, 0, 2)
log_generic_with_check: T(2) | 3
""",
    "dataset.core.validator_helpers": """
valid_detype INT32_MAX INT32_MIN UINT8_MAX UINT32_MAX UINT64_MAX INT64_MAX FLOAT_MAX_INTEGER DOUBLE_MIN_INTEGER POS_INT_MIN
check_2tuple: (1, 2) | [1, 2] | (1,)
check_columns: "a" | "" | [] | ["a", "b"], "n" | ["a", "a"], "n" | ["a", ""], "n" | ["a", 1], "n" | 3, "n"
check_dataset_num_shards_shard_id: None, None | 1, None | 2, 1 | 2, 2 | 0, 0 | "a", 1
check_dict: None, str, int, "n" | {"a": 1}, str, int, "n" | {1: 1}, str, int, "n" | {"a": "b"}, str, int, "n" | 3, str, int, "n"
check_dir: "/" | "/etc/nothing" | 3
check_file: "/etc/nothing" | "/" | 3
check_filename: "a.txt" | "a b" | "a*b" | "a " | "x/y.z" | 3 | "a'b"
check_float32: 0 | 1.5 | 2**24 | 2**24 + 1 | True | "a"
check_float32_not_zero: 0 | 1.5 | 2**24 + 1 | float("nan")
check_float64: 2**53 | 2**53 + 1 | None
check_int32: 0 | 2**31 | -(2**31) | True | 1.0
check_int32_not_zero: 0 | 1 | 2**31 | "a"
check_list_same_size: [1], [2] | [1], []
check_non_negative_float32: 0 | -0.5
check_non_negative_float64: 0 | -0.5
check_non_negative_int32: 0 | -1
check_num_parallel_workers: 1 | 0 | "a" | 10**6
check_num_samples: 0 | -1 | "a"
check_odd: 1 | 2
check_padding_options: {} | {"padded_sample": {"a": 1}} | {"num_padded": 1} | {"padded_sample": {"a": 1}, "num_padded": -1}
check_padding_options: {"padded_sample": {"a": 1}, "num_padded": 1, "columns_list": ["a"]}
check_padding_options: {"padded_sample": {"a": 1}, "num_padded": 1, "columns_list": ["b"]}
check_padding_options: {"padded_sample": {"a": 1}, "num_padded": 1}
check_pos_float32: 0 | 0.5
check_pos_float64: 0 | 0.5
check_pos_int32: 0 | 1 | 2**31
check_pos_int64: 0 | 2**63
check_pos_uint32: 0 | 2**32 - 1 | 2**32
check_positive: 0 | 1
check_range: (1, 2), (1, 3) | (2, 1), (1, 3) | (0, 2), (1, 3)
check_sampler_shuffle_shard_options: {} | {"sampler": 1, "shuffle": True} | {"sampler": 1, "num_samples": 1} | {"num_shards": 2}
check_sampler_shuffle_shard_options: {"num_shards": 2, "shard_id": 1} | {"num_shards": 2, "shard_id": 2} | {"shard_id": 1}
check_tensor_op: len, "n" | 3, "n"
check_uint32: -1 | 2**32
check_uint64: 2**64 - 1 | 2**64
check_uint8: 255 | 256 | True
check_valid_detype: "int8" | "str" | None
check_valid_list_tuple: [1, 2], ([1, 2],), (int,) | [1, 3], ([1, 2],), (int,) | [1], ([1, 2],), (int,) | 3, ([1, 2],), (int,)
check_valid_str: "a", ["a"] | "b", ["a"] | 1, ["a"]
check_value: 1, (1, 3) | 4, (1, 3) | 1, (1, 3), "v", True | 3, (1, 3), "v", False, True | 2, (1, 3), "v", True, True
check_value_cutoff: 1, (1, 3) | 3, (1, 3)
check_value_normalize_std: 1, (1, 3) | 3, (1, 3)
check_value_ratio: 1, (1, 3) | 3, (1, 3)
deprecator_factory("1.8", "a", "b")(lambda x: x + 1): 2
is_iterable: [] | 1
pad_arg_name: "" | "a"
(lambda *a, **k: parse_user_args(*a, **k)[0]): lambda x, y=1: 0, 4 | lambda self, a, b=2, *, c=3: 0, 1, c=5 | lambda self, a: 0
replace_none: None, 3 | 0, 3
type_check: 1, (int,), "n" | True, (int,), "n" | True, (int, bool), "n" | "", (int,), "n"
type_check_list: [1, 2], (int,), "n" | [1, 2], (int,), ["a"] | [1, "x"], (int,), ["a", "b"] | 3, (int,), "n"
validate_dataset_param_value: ["num_samples"], {"num_samples": -1}, int | ["x"], {"x": "a"}, int | ["x"], {"x": None}, int
validate_dataset_param_value: ["num_parallel_workers"], {"num_parallel_workers": 0}, int
""",
    "dataset.transforms.validators": """
check_random_transform_ops(lambda self, transforms: len(transforms)): 0, [len] | 0, [] | 0, [3] | 0, [int] | 0, (len,) | 0, 3
check_random_transform_ops(lambda self, transforms, prob=0.5: prob): 0, [len] | 0, [len], 2 | 0, [len], "a"
invalidate_callable(lambda self: 3): type("Operation", (), {})()
""",
    "dataset.transforms.py_transforms_util": """
all_numpy: (np.ones(1), 3) | (np.ones(1),) | 3
compose: [lambda x: x + 1, lambda x: (x, x * 2)], np.ones(2)
one_hot_encoding: np.array(2), 3, 0.1 | np.array([[1], [2]]), 3, 0.0 | np.array(3), 3, 0.1 | np.array(1.0), 3, 0.1 | 2, 3, 0.1
random_apply: 1, [lambda x: x + 1], 1.0
random_choice: 1, [lambda x: x + 1]
random_order: 1, [lambda x: x + 1, lambda x: x + 1]
""",
    "dataset.vision.utils": """
parse_padding: 3 | (1, 2) | [1, 2] | (1, 2, 3, 4) | [1, 2, 3, 4]
int(AFFINE) int(ANTIALIAS) int(CUBIC) int(FLIP_LEFT_RIGHT) int(FLIP_TOP_BOTTOM) int(LINEAR) int(NEAREST) int(PERSPECTIVE)
""",
    "_checkparam": """
_check_3d_int_or_tuple: "k", 3, "C" | "k", (1, 2, 3), "C" | "k", (1, 2), "C" | "k", 0, "C" | "k", 0, "C", greater_zero=False
_check_3d_int_or_tuple: "k", (1, 1, 2, 2, 2), "C" | "k", (1, 1, 2, 2, 2), "C", True | "k", (1, 1, 2, 2, 2), "C", True, True
_check_3d_int_or_tuple: "k", 2, "C", ret_five=True | "k", 2, "C", third_one=True | "k", (1, 2, 2), "C", third_one=True
_check_3d_int_or_tuple: "k", "a", "C" | "k", (1, 2, 3), "C", True, True, pad_value=0
_check_3d_int_or_tuple: "k", (1, 1, 2, 2, 2), "C", True, three_input=True
check_and_canonicalize_axes: 0, 2 | (0, -1), 2 | (0, -2), 2 | 2, 2 | 1.5, 2
check_axis_in_range: 0, 2 | -1, 2 | 2, 2 | 1.0, 2
check_axis_type: 1 | (1,) | (1,), True, False | ["a"] | 1.5
check_axis_valid: None, 2 | 1, 2 | [0, -1], 2 | (0, -2), 2
check_element_type_of_dict: "a", {"x": 1}, [str], [int] | "a", {1: 1}, [str], [int]
check_element_type_of_dict: "a", {"x": "y"}, [str], [int] | "a", 3, [str], [int]
check_element_type_of_iterable: "a", [1, 2], [int] | "a", [1, "x"], [int] | "a", 3, [int]
check_file_name_by_regular: "a/b.ckpt" | "a/" | "a b" | 3
check_flatten_order: "C" | "A" | 1
check_hook_fn: lambda g: g | 3
check_input_data: 1, data_class=int | "a", data_class=int | [1, (2,)], data_class=int | {"a": None}, data_class=(int, None)
check_input_data: T(1), data_class=(int, Tensor) | np.zeros(0), data_class=np.ndarray | None, data_class=None
check_input_dataset: 1, 2, dataset_type=int | 1, "a", dataset_type=int
check_input_format: "NCHW" | "NHWC"
check_non_negative_int_sequence: (0, 1) | (0, -1) | (0, 1.5)
check_output_data: 1 | None
check_pad_value_by_mode: "pad", 1, "C" | "same", 1, "C" | "same", 0, "C"
check_positive_float_sequence: (0.5, 1.0) | (0.0, 1.0)
check_reduce_shape: (2, 3), (3,), 0, "C", "a", "b" | (2, 3), (2,), 0, "C", "a", "b" | (2, 3), (), (0, 1), "C", "a", "b"
check_size_and_element_type_of_tuple: "a", (1, 2), 2, int | "a", (1,), 2, int | "a", (1, "x"), 2, int | "a", [1, 2], 2, int
check_str_and_none_by_regular: "" | "a-b.c" | "a/b"
check_str_by_regular: "" | "a_b.c" | "a-b" | "ab", "^a"
check_swapaxes_axis: 1, 2 | (0, -1), 2 | (0, 2), 2 | 1.5, 2
check_valid_input: "a", 1, "C" | "a", None, "C"
expanded_shape: 3, 5, 1
infer_out_shape: (2,), (3, 2) | (2,), (3,)
max_: 1, 3
min_: 1, 3
once: 3 | (3,) | (1, 2) | "a"
prepare_shape_for_squeeze: (1, 2, 1), 0 | (1, 2, 1), (0, 2) | (1, 2, 1), 1 | (1, 2, 1), 3 | (1, 2, 1), "a"
triple: 3 | (1, 2, 3) | [1, 2, 3] | (1, 2)
triple_sequence: 3 | [1, 2, 3]
tuple_slice: (1, 2, 3), 0, 2
twice: 3 | (1, 2) | [1, 2] | True | (1, 2.0)
twice_sequence: 3 | [1, 2] | (1, 2, 3)
once_sequence: 3 | [1] | "a"
""",
    "nn.loss.loss": """
_check_channel_and_shape: 3, 1 | 3, 3 | 1, 1 | 3, 2
_check_dice_shape: (1, 2), (1, 2) | (1, 2), (2, 1)
_check_input_dtype: ms.int32, "C" | ms.float32, "C" | ms.int8, "C"
_check_is_tensor: "a", T(1), "C" | "a", None, "C" | "a", 3, "C"
_check_label_dtype: ms.int32, "C" | ms.float32, "C"
_check_ndim: 2, 2 | 1, 2 | 2, 5 | 2, 3
_check_ndim_multi: 2, 3 | 1, 2 | 2, 1
_check_rmseloss_dtype: ms.int8, [ms.int8], "C" | ms.float32, [ms.int8], "C"
_check_shape: (1, 2), (1, 2) | (1, 2), (2, 1)
_check_weights: 2, 2 | 2, 3
""",
    "nn.optim.optimizer": """
_grad_scale: 1.0, T(1, 2) | 0.5, T(1, 2) | Tensor(0.5), T(1, 2)
""",
    "nn.wrap.loss_scale": """
_grad_scale: T(4), T(1, 2) | T(4), Tensor([1.0, 2.0], ms.float16)
""",
    "ops.function.nn_func": """
_scaled_dot_product_attention: *[T(1, 2, 3, 4).reshape(1, 2, 2)] * 3, None, 0.0, False, True, ms.float32
_scaled_dot_product_attention: *[T(1, 2, 3, 4).reshape(1, 2, 2)] * 3, T(0, -1), 0.5, False, False, ms.float32
_scaled_dot_product_attention: *[T(1, 2, 3, 4).reshape(1, 2, 2)] * 3, None, 0.0, True, False, ms.float32
""",
    "nn.optim._dist_optimizer_registry": """
[f.__name__ for f in generate_dist_optimizer_list("adam", [1, 2])[0]] generate_dist_optimizer_list("adam", [1, 2], True)[1]
_register_dist_optimizer: "x", lambda: 0 | "y", 3
""",
    "experimental.optim.optimizer": """
check_not_less_than: 0.0, "a", "P" | -1.0, "a", "P" | 1.0, "a", "P", 2.0
check_not_less_than_without_equal: 0.0, "a", "P" | 1.0, "a", "P" | 2.0, "a", "P", 2.0
""",
    "nn.layer.basic": """
tril: (2, 3), ms.float32, 0 | (3, 3), ms.int32, -1
triu: (2, 3), ms.float32, 0 | (3, 3), ms.int32, 1
""",
    "nn.layer.conv": """
_check_input_3d: (1, 2, 3), "Conv1d" | (1, 2), "Conv1d"
""",
    "parallel._ps_context": """
_get_ps_mode_rank: *()
""",
    "train.metrics.metric": """
_binary_clf_curve: np.array([0.9, 0.1, 0.4, 0.4]), np.array([1, 0, 0, 1])
_binary_clf_curve: np.array([0.9, 0.1, 0.4]), np.array([1, 0, 1]), [1.0, 0.5, 2.0]
_binary_clf_curve: np.array([[0.9, 0.2], [0.1, 0.3]]), np.array([2, 0]), None, 2
_check_onehot_data: np.eye(3) | np.ones((2, 2)) | np.array([1, 0]) | np.array([[0.5, 0.5]])
""",
    "train.model": """
_transfer_tensor_to_tuple: T(1) | [T(1)] | 3
_is_role_pserver: *()
_cache_enable: *()
_enable_distributed_mindrt: *()
""",
    "train.serialization": """
_check_async_save: True | "thread" | "process" | "x" | 3
tensor_to_np_type: "Float32" | "str" | "UInt8" | "Int64" | "Int4" | "x"
np.dtype(tensor_to_np_type("Bool")).name
tensor_to_np_type("BFloat16").__name__
sorted(map(str,tensor_to_ms_type.items()))
_convert_save_obj_to_param_list: [{"name": "a", "data": T(1)}], True, {"x": 1}, None
_convert_save_obj_to_param_list: {"a": P(1), "w": P(2)}, True, None, "a".__eq__ | {"a": P(1)}, True, None, None
""",
    "train.summary.summary_record": """
process_export_options: None | {"tensor_format": "npy"} | {"tensor_format": "csv"} | {"x": "npy"} | 3 | {"tensor_format": 3}
""",
    "train.summary.enums": """
PluginEnum.to_list() ModeEnum.to_list() WriterPluginEnum.LINEAGE.value
""",
    "train.dataset_helper": """
_has_dynamic_shape: [(1, 2), (3, -1)] | [(1, 2)] | [(-2,)]
""",
    "common._utils": """
is_dim_unknown: (-2,) | (1, 2) | (1, -2)
is_shape_unknown: (1, -1) | (1, 2) | (-2,) | (1, -3) | (1, -2)
""",
    "common.api": """
ARG_SPECIFIED TOTAL_ARG_LEN
_is_args_fullmode: (1, 2) | {} | {}, False | {"arg_specified_infos": [], "total_arg_length": 2}, False
""",
    "common.dtype": """
int_type uint_type complex_type bool int float
isinstance(list_,List) isinstance(tuple_,Tuple)
_pytype_to_dtype: bool | float | np.int8 | 3
_dtype_to_nptype: ms.int8
""",
    "parallel._utils": """
_check_full_batch: *()
_get_stage_device_num: *()
_is_in_hybrid_parallel_mode: *()
_need_to_full: *()
_origin_shapes: [(2, 3)]
_parameter_broadcast_check: "stand_alone", False | "stand_alone", True | "data_parallel", True | "semi_auto_parallel", True
_to_full_shapes: [(2, 3), (4,), (-1, 3)], 2
""",
    "parallel._recovery_context": """
_get_recovery_context: "enable_recovery" | "latest_ckpt_epoch" | "recovery_path" | "x"
_set_recovery_context: x=1 | need_reset=3
""",
}


def calls() -> Iterator[tuple[str, str]]:
    """Yield each module with each expression that is evaluated in it."""
    for path, text in CALLS.items():
        for line in text.strip().splitlines():
            name, *rest = _parts(line, ": ")
            if rest:
                yield from ((path, f"{name}({args})") for args in ": ".join(rest).split(" | "))
            else:
                yield from ((path, value) for value in _parts(line, " "))


def _parts(line: str, sign: str) -> list[str]:
    """Return the parts of a line between a sign, which counts outside of brackets alone."""
    found = [""]
    for piece in line.split(sign):
        text = f"{found[-1]}{sign if found[-1] else ''}{piece}"
        found[-1] = text
        if all(text.count(left) == text.count(right) for left, right in ("()", "[]", "{}")):
            found.append("")
    return found[:-1] if not found[-1] else found


class _Names(dict[str, Any]):
    """Names beside those of a module, some of which this makes when it is asked for them."""

    def __init__(self, module: Any, names: dict[str, Any]) -> None:
        super().__init__(names)
        self._module = module

    def __missing__(self, name: str) -> Any:
        if hasattr(self._module, name):
            return getattr(self._module, name)
        raise KeyError(name)


def evaluate(path: str, expression: str) -> Any:
    """Return what an expression gives, or the types of its error, with `mindspore` as it is served."""
    ms = importlib.import_module("mindspore")

    def tensor(*values: float) -> Any:
        return ms.Tensor(np.array(values, np.float32))

    module = importlib.import_module(f"mindspore.{path}")
    names = {
        "ms": ms, "np": np, "ops": ms.ops, "Tensor": ms.Tensor, "T": tensor, "P": lambda *v: ms.Parameter(tensor(*v), name="p"),
        "I": lambda *v: ms.Tensor(np.array(v, np.int32)),
    }  # fmt: skip
    return answer(lambda: eval(expression, {**vars(module), **names}, _Names(module, names)))
