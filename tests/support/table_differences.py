"""Where sporax answers otherwise than MindSpore 2.7.0 on the CPU does, and why.

Keys are a row ("maximum"), a name of it ("primitive.Maximum"), or a call ("ops.any(B(0, 3))").
"""

# Rows that draw: their dtypes and shapes are compared, their values are not.
DRAWS = {
    "bernoulli", "gumbel_softmax", "log_uniform_candidate_sampler", "multinomial", "multinomial_with_replacement",
    "randperm", "uniform_candidate_sampler",
}  # fmt: skip

_EMPTY = "the kernel leaves the result of empty operands as it finds the memory"

VALUES: dict[str, str] = {
    "any": _EMPTY + ": any() of nothing is False",
    "ops.count_nonzero(I(0, 3))": _EMPTY,
    "matmul(T(2, 0), T(0, 3))": _EMPTY,
    "ops.prod(P(0, 3), 0)": _EMPTY,
    "primitive.MaxPoolWithArgmax(T(1, 2, 5, 6), 3, 2, 'same')": "the kernel pads only at the end of an axis, while the "
    "documents, and MaxPool, pad on both sides",
    "ops.clip_by_norm([T(3), T(2)], 0.5, 1.0)": "the norm of an odd order adds up signed elements there, not magnitudes",
    "primitive.Coalesce": "the kernel does not cut its result down to the places that are left",
    "primitive.ReduceSum(T(2, 3), (), False, True)": "the kernel reduces although skip_mode says not to",
    "primitive.UniqueConsecutive": "the class always returns three Tensors, those not asked for without elements; the "
    "documents return what is asked for",
    "xlogy(D([0.0]), D([0.0]))": "0 · ln 0 is NaN there; the documents of the gradient, and other frameworks, say 0",
    "numpy.unique": "the elements come in the order of their appearance there; the documents say sorted",
    "numpy.ravel_multi_index": "indices are floats there, with which nothing can be indexed",
    "mint.maximum": "NaN is lost there where it is the first operand; the documents hand it on",
}

_WEIGHTS = "weights, and what else is no input, have no gradient there"
_SECOND = "gradients by results after the first are left out there"
_TRIANGLE = "gradients also go to the triangle that the function does not read"
_NEGATIVE = "the gradient leaves out negative indices, which the function itself takes"
_FACTORS = "the gradient of an update leaves out the other updates of its place"
_FLIPPED = "rows are exchanged on the way back"
_REPLACED = "what a function wrote over still gets the gradient of the result there"
_WRITTEN = "gradients of functions that write are not defined there: they answer zeros"

# Positions among the float operands whose gradients differ; None: all of them.
GRADIENTS: dict[str, tuple[tuple[int, ...] | None, str]] = {
    "_layer_norm": (None, _SECOND),
    "_softmax_cross_entropy": (None, _SECOND),
    "_sparse_softmax_cross_entropy": (None, "the class with is_grad returns a gradient, which has none there"),
    "_l2_normalize(T(2, 3), (1,), 100.0)": (None, "the gradient leaves out epsilon"),
    "_max_pool_argmax(T(1, 2, 5, 6), 3, 2, 'same')": (None, "the kernel pads only at the end of an axis"),
    "_nll_loss": ((1,), _WEIGHTS),
    "_sigmoid_cross_entropy": ((1,), _WEIGHTS),
    "batch_norm": ((1, 2), _WEIGHTS),
    "binary_cross_entropy": ((1, 2), _WEIGHTS),
    "binary_cross_entropy_with_logits": ((1, 2, 3), _WEIGHTS),
    "kl_div": ((1,), _WEIGHTS),
    "multi_margin_loss": ((1,), _WEIGHTS),
    "cholesky_inverse": (None, _TRIANGLE),
    "cholesky_solve": ((1,), _TRIANGLE),
    "gather(T(4, 3), D([0, 2, -1], np.int32), 0)": (None, _NEGATIVE),
    "index_select(T(4, 3), 0, D([0, 2, -1], np.int32))": (None, _NEGATIVE),
    "xlogy(D([0.0]), D([0.0]))": (None, "0 · ln 0 is NaN there, its gradient 0"),
    "reduce_prod(P(2, 3))": (None, "the gradient of the product of all elements is 1 for each there"),
    "selu": (None, "the gradient takes the operand for the result there: it is not that of the values"),
    "strided_slice(T(4, 3), (1, 1), (2, 2), (1, 1), 1, 2)": (None, "the gradient leaves out the masks"),
    "tensor_scatter_update(T(4), D([[1], [1]], np.int32), D([2.0, 2.0]))": (
        (1,),
        "of two updates of one place both get its gradient there, the one that stays gets it here",
    ),
    "tensor_scatter_mul(T(4), D([[1], [1]], np.int32), D([2.0, 2.0]))": ((1,), _FACTORS),
    "tensor_scatter_div(T(4), D([[1], [1]], np.int32), D([2.0, 2.0]))": ((1,), _FACTORS),
    "numpy.convolve": ((1,), "the shorter operand has none"),
    "numpy.polymul": ((0,), "the shorter operand has none"),
    "numpy.flip(T(2, 3),1)": (None, _FLIPPED),
    "numpy.fliplr": (None, _FLIPPED),
    "numpy.interp(T(4),[-1.0,0.0,1.0],[1.0,2.0,5.0])": (None, "it is NaN at a kink"),
    "numpy.nanstd": (None, "it is NaN"),
    "numpy.nanvar": (None, "it is NaN"),
    "assign": (None, _REPLACED),
    "scatter_update": (None, _REPLACED),
    "scatter_nd_update": (None, _REPLACED),
    "scatter_max": (None, _REPLACED),
    "scatter_min": (None, _REPLACED),
    "_ctc_sparse": (None, "behind the end of a sequence it is what the memory held"),
    "crop_and_resize": ((1,), "the gradient by boxes leaves out what lies outside of the image"),
    "_roi_align": (None, "boxes have none, and that of the image leaves out roi_end_mode"),
    "gumbel_softmax": (None, "drawn, though the result is not"),
    "iou": (None, "the gradient is 0 there"),
    "zeta": (None, "the gradient is 0 there"),
    "inplace_add": (None, _WRITTEN),
    "inplace_sub": (None, _WRITTEN),
    "inplace_update": (None, _WRITTEN),
}

_INTEGERS = "int32 int64 uint8 bool"
_TRUNCATES = "integers are truncated on the way there; here they are an error that says so"
_NO_FLOAT = "the documents ask for floats; the other framework converts"
_WIDE = "computed in float32 there whatever comes in"
_NUMBER = "a number becomes a Tensor of float32 there; here it yields to the Tensor it meets"
_LOSS = "the loss of integers is an integer there"

# The dtypes of operands for which dtypes of results differ.
DTYPES: dict[str, tuple[str, str]] = {
    "_layer_norm": ("float64", "the statistics are float32 there"),
    "adaptive_avg_pool3d": (_INTEGERS, _TRUNCATES),
    "addcdiv": (_INTEGERS, _TRUNCATES),
    "any": ("uint8", "the kernel returns the dtype of its operand for uint8 alone"),
    "clip_by_global_norm": (_INTEGERS, _NO_FLOAT),
    "clip_by_norm": (_INTEGERS, _NO_FLOAT),
    "copysign": ("float16 bfloat16 float64", _WIDE),
    "csr_div": ("float16 bfloat16", _NUMBER),
    "csr_mul": ("float16 bfloat16", _NUMBER),
    "dense_to_sparse_coo": ("uint8", "the negative floats of the case have no value as uint8"),
    "dropout1d": (_INTEGERS, _TRUNCATES),
    "dropout2d": (_INTEGERS, _TRUNCATES),
    "dropout3d": (_INTEGERS, _TRUNCATES),
    "exp2": ("bfloat16", _NUMBER),
    "frac": (_INTEGERS, _NO_FLOAT),
    "l1_loss": (_INTEGERS, _LOSS),
    "matrix_norm": ("float16 bfloat16 float64 " + _INTEGERS, _WIDE),
    "nll_loss": (_INTEGERS, _NO_FLOAT),
    "norm": ("float16 bfloat16 float64 " + _INTEGERS, _WIDE),
    "normal": ("float64", _WIDE),
    "prod": (_INTEGERS, "the product over several axes keeps the dtype there, over one it is int64"),
    "rrelu": (_INTEGERS, _TRUNCATES),
    "selu": ("int32", _TRUNCATES),
    "subtract": ("bool", _NUMBER),
    "trapz": ("float16 bfloat16 float64", _WIDE),
    "vector_norm": (_INTEGERS, _NO_FLOAT),
    "xlogy": ("float16 bfloat16", _NUMBER),
}

EMPTY: dict[str, str] = {
    "bincount": "minlength is left out there where nothing is counted",
    "combinations": "nothing, in place of rows of no elements",
    "tensor_split": "an axis without elements is one part there, however many are asked for",
    "vsplit": "as tensor_split",
    "unique": _EMPTY,
}
