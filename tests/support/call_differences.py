"""Where sporax answers recorded calls otherwise than MindSpore 2.7.0 on the CPU does, and why; keys begin a case."""

_LABELS = "labels, weights and what fills the rest have no gradient there"
_DISCRETE = "the gradient is 0 there"
_CTC = "the gradient there is that of the logits before log_softmax"
_WRITTEN = "gradients of functions that write are not defined there: they answer zeros"
_STATISTICS = "the moments that nobody asked for are what the memory held"
_NOT_WRITTEN = "the kernel of the CPU returns the result and leaves the Tensor as it was; the documents, and Ascend, write"
_ROWS = "the gradient of the table is the rows of a sparse Tensor"
_ZERO = "the derivative at 0 is NaN there"
_SECOND = "gradients by results after the first are left out there"
_BY_NUMBER = "a number's Tensor has no gradient there"

# What is not compared: "call" (nothing is), "values" (of the results), "state" (what is written), "gradient", the gradients
# from the n-th on ("gradient 1"); the reason.
CALLS: dict[str, tuple[str, str]] = {
    "CTCLossV2(": ("gradient", _CTC),
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
    "ops.ctc_loss(": ("gradient", _CTC),
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
    "ops.pow(a, b) @ np": ("gradient", "by an exponent of 0 or of a negative number the derivatives are ∞, NaN and 0 there"),
    "ops.selu(": ("gradient", "the gradient takes the operand for the result there: it is not that of the values"),
    "ops.var(a, 1)": ("gradient", _ZERO),
    "ops.vector_norm(a - a)": ("gradient", _ZERO),
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
