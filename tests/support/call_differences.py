"""Where sporax answers recorded calls otherwise than MindSpore 2.7.0 on the CPU does, and why; keys begin a case."""

from table_differences import _SECOND, _WRITTEN

_LABELS = "labels, weights and what fills the rest have no gradient there"
_DISCRETE = "the gradient is 0 there"
_STATISTICS = "the moments that nobody asked for are what the memory held"
_NOT_WRITTEN = (
    "the kernel of the CPU returns the result and leaves the Tensor as it was; the documents, and Ascend, write"
)
_UNREAD = "the kernel writes the Parameters alone: its results are memory as found"
_ROUNDED = "the products of the second derivative are rounded to float16 one by one"
_ROWS = "the gradient of the table is the rows of a sparse Tensor"
_ZERO = "the derivative at 0 is NaN there"
_BY_NUMBER = "a number's Tensor has no gradient there"

# What is not compared: "call" (nothing is), "values" (of the results), "state" (what is written), "gradient", the gradients
# from the n-th on ("gradient 1"); the reason.
CALLS: dict[str, tuple[str, str]] = {
    "DCT()(a, 2, None, -1, None)": ("gradient", "without norm the value is that of 'ortho' there, the gradient is not"),
    "Eig()(": ("values", "the eigenvectors that nobody asked for are what the memory held"),
    "EmbeddingLookup(": ("gradient", _ROWS),
    "MatrixDiagPartV3(": ("gradient", _LABELS),
    "MatrixDiagV3(": ("gradient", _LABELS),
    "Median(global_median=True)": ("values", "the index is what the memory held"),
    "MultiMarginLoss(2": ("gradient", _LABELS),
    "a.choose(": ("call", "choices are truncated to integers there"),
    "a.inplace_update(": ("gradient", _WRITTEN),
    "a.set_dtype(": ("call", "it returns the dtype there"),
    "ops.BCEWithLogitsLoss(": ("gradient", _LABELS),
    "ops.BatchNorm(": ("values gradient 3", _STATISTICS + "; " + _LABELS),
    "ops.CTCLoss(": ("call", "the second result, a gradient, is what the memory held after the end of a sequence"),
    "ops.IOU(": ("gradient", _DISCRETE),
    "ops.KLDivLoss(": ("gradient", _LABELS),
    "ops.LayerNorm(": ("gradient", _SECOND),
    "ops.LinSpace(": ("gradient", _BY_NUMBER),
    "ops.NLLLoss(": ("gradient", _LABELS),
    "ops.OneHot(": ("gradient", _BY_NUMBER),
    "ops.PadV3(": ("gradient", _LABELS),
    "ops.ROIAlign(": ("gradient", "boxes have no gradient there"),
    "ops.SigmoidCrossEntropyWithLogits(": ("gradient", _LABELS),
    "ops.SoftmaxCrossEntropyWithLogits(": ("gradient", _SECOND),
    "ops.StridedSlice(begin_mask=1, shrink_axis_mask=2)": ("gradient", "the gradient leaves out the masks there"),
    "ops.batch_norm(": ("gradient", _LABELS),
    "ops.binary_cross_entropy": ("gradient 1", _LABELS),
    "ops.bool_not(": ("call", "it makes a Tensor of a bool there"),
    "ops.cumprod(a, 0) @ np": ("gradient", _ZERO),
    "ops.div(a, b) @ np": ("gradient", "0 / 0 has the derivative -∞ there, NaN here"),
    "ops.hypot(": ("gradient", _ZERO),
    "ops.iou(": ("gradient", _DISCRETE),
    "ops.kl_div(": ("gradient 1", _LABELS),
    "ops.linspace(": ("gradient", _BY_NUMBER),
    "ops.logsigmoid(a) @ np.array([-200": ("call", "it overflows there"),
    "ops.norm(a - a)": ("gradient", _ZERO),
    "ops.norm(a, 1) @ np.array([[1": ("gradient", "columns of one norm share the gradient; the first gets it there"),
    "ops.one_hot(": ("gradient", _BY_NUMBER),
    "ops.pow(a, b) @ np": (
        "gradient",
        "by an exponent of 0 or of a negative number the derivatives are ∞, NaN and 0 there",
    ),
    "ops.selu(": ("gradient", "the gradient takes the operand for the result there: it is not that of the values"),
    "ops.var(a, 1)": ("gradient", _ZERO),
    "ops.vector_norm(a - a)": ("gradient", _ZERO),
    "Adam(": ("values", _UNREAD),
    "AdamWeightDecay(": ("values", _UNREAD),
    "ApplyCenteredRMSProp(": ("values", _UNREAD),
    "ApplyRMSProp(": ("values", _UNREAD),
    "FusedAdaFactor(": ("values", "the result, in a tuple, is a dummy: memory as the kernel finds it"),
    "FusedAdaFactorWithGlobalNorm(": ("values", "the result, in a tuple, is a dummy: memory as the kernel finds it"),
    "FusedCastAdamWeightDecay(": ("values", _UNREAD),
    "ApplyAdagrad(update_slots=False)": ("call", "the kernel updates accum although update_slots says not to"),
    "ApplyAdagradDA()(state(a), state(b), state(c), d, 0.1, 0.2": (
        "call",
        "the kernel takes l1 · step off the sum before it takes the magnitude; the documents do it after",
    ),
    "ApplyFtrl()(state(a), state(b), state(c), d, 0.1, 0.2": (
        "call",
        "the kernel adds l1, not takes it off, if the linear term is negative; SparseApplyFtrl is right",
    ),
    "ApplyMomentum(gradient_scale": ("call", "the kernel leaves gradient_scale out"),
    "ApplyMomentum(use_nesterov": ("call", "the kernel leaves use_nesterov out"),
    "SparseApplyMomentum(use_nesterov": ("call", "the kernel leaves use_nesterov out"),
    "SparseApplyAdagradV2(0.1, 1e-3": ("call", "the kernel divides by √(a + ε); the documents say √a + ε"),
    "BufferAppend(": ("values", "the result, of which the documents say that there is none, is an undefined number"),
    "ClipByNorm(1)": ("call", "the kernel adds up squares of elements of other slices if axis leaves an axis out"),
    "GRUV2(": ("gradient", "the gradient by x has the shape of the outputs there, which is wrong"),
    "InplaceAdd(": ("gradient", _WRITTEN),
    "InplaceSub(": ("gradient", _WRITTEN),
    "InplaceUpdate(": ("gradient", _WRITTEN),
    "InplaceUpdateV2(": ("gradient", _WRITTEN),
    "SparseCountSparseOutput(": ("call", "the results are zeros in PyNative mode; those of a graph are sporax's"),
    "SparseMatrixSoftmax(ms.float32)(a, b, c, d, e) @ np.array([2, 3], np.int64)": (
        "call",
        "the kernel reads int64 places as int32 and normalises the first row only",
    ),
    "SparseMatrixSoftmax(ms.float32)(a, b, c, d, e) @ np.array([2, 2, 3]": (
        "call",
        "the kernel normalises the rows of the first matrix of a batch only",
    ),
    "SparseReshape()(a, b, Tensor([3, -1]))": ("call", "the kernel computes the places with a size of -1"),
    "(lambda o: (o.real(), o.imag()))(": (
        "gradient",
        "second derivatives by complex operands are not the finite differences",
    ),
    "StridedSliceGrad(1, 2)(": ("values", "the masks are ignored there: the begin and end that they replace are used"),
    "L2NormalizeGrad(-1, 1.0)(": (
        "call",
        "the kernel takes the gradient of x / ‖x‖ also where epsilon replaces the norm",
    ),
    "SiLUGrad()(a, b) @ r(2, 3).astype('f2')": ("gradient", _ROUNDED),
    "SoftplusGrad()(a, b) @ r(2, 3).astype('f2')": ("gradient", _ROUNDED),
    "a.searchsorted(b, side='right')": ("call", "side is ignored there"),
    "state(a).": ("state", _NOT_WRITTEN),
}
_TANH = "MindSpore's tanh on the CPU is off by up to 1.0e-4 near ±5 (against float64)"
# The tolerance of what MindSpore rounds differently, and the reason.
LOOSER: dict[str, tuple[float, str]] = {
    "ops.exp(a) @ np.array([-200": (3e-5, "MindSpore's exp near 88 is off by 2.3e-5 (against float64)"),
    "ops.softmax(a, axis=0, dtype=ms.float16)": (5e-3, "the gradient is computed in float16 on the way"),
    "ops.mish(": (1e-4, _TANH),
    "ops.tanhshrink(": (1e-4, _TANH),
}
