"""Calls at kinks, ties and limits, where a gradient is a convention: ``expression @ inputs``."""

_WIDE = "np.array([-4, -3, -1, -0.5, 0, 0.5, 1, 3, 4, 6, 7], np.float32)"
_TIES = "np.array([[1, 3, 3], [2, 2, 2]], np.float32)"
_IMAGE = "np.array([[[[1, 1, 0, 2], [1, 1, 2, 2], [0, 0, 5, 5], [0, 0, 5, 5]]]], np.float32)"

EDGES = "\n".join(
    [
        *(
            f"ops.{call} @ {_WIDE}"
            for call in (
                "abs(a)", "relu(a)", "relu6(a)", "leaky_relu(a)", "elu(a)", "celu(a)", "selu(a)", "hardtanh(a)", "hardswish(a)",
                "hardsigmoid(a)", "hardshrink(a)", "softshrink(a)", "threshold(a, 1.0, 9.0)", "gelu(a)", "silu(a)", "mish(a)",
                "softsign(a)", "logsigmoid(a)", "sign(a)", "square(a)", "trunc(a)", "floor(a)", "ceil(a)", "round(a)", "frac(a)",
                "clamp(a, -1.0, 3.0)", "clip_by_value(a, -1.0, 3.0)", "l1_loss(a, ops.zeros_like(a))", "norm(a, 1)", "norm(a, 3)",
                "smooth_l1_loss(a, ops.zeros_like(a))", "huber_loss(a, ops.zeros_like(a))", "nan_to_num(a)", "logit(a, 0.1)",
                "sinc(a)", "hypot(a, ops.zeros_like(a))", "heaviside(a, a)", "tanhshrink(a)", "softplus(a)", "relu(-a)",
                "prelu(a, ms.Tensor([0.25]))", "xlogy(a, ops.ones_like(a))", "float_power(a, 2)", "pow(a, 2)", "pow(a, 0)",
                "max(a)", "min(a)", "cumsum(a, 0)", "cumprod(a, 0)", "prod(a)", "std(a)", "var(a)", "fmod(a, 2.0)",
                "remainder(a, 2.0)", "floor_div(a, 2.0)", "copysign(a, -a)", "lerp(a, -a, 0.5)", "dist(a, a)", "glu(a[:10])",
            )
        ),
        *(
            f"ops.{call} @ {_TIES}"
            for call in (
                "amax(a, 1)", "amin(a, 1)", "max(a, 1)", "min(a, 1)", "reduce_max(a)" , "cummax(a, 1)", "cummin(a, 1)",
                "median(a, 1)", "sort(a, 1)", "topk(a, 2)", "argmax(a)", "logsumexp(a, 1)", "softmax(a, 1)", "logcumsumexp(a, 1)",
                "maximum(a, a.flip((1,)))", "minimum(a, a.flip((1,)))", "norm(a, 1)", "norm(a, float('inf'))", "norm(a - a)",
                "vector_norm(a - a)", "std(a, 1)", "var(a, 1)", "renorm(a, 1, 0, 3.0)", "cosine_similarity(a - a, a)",
                "pdist(a)", "cdist(a, a)", "triplet_margin_loss(a, a, a)", "margin_ranking_loss(a, a, ops.ones_like(a))",
                "hinge_embedding_loss(a, ops.ones_like(a))", "mse_loss(a, a)", "cross_entropy(a, a)",
                "ReduceMax()(a, 1)", "ReduceMin()(a, 1)", "L2Normalize(1)(a - a)", "Maximum()(a, a)", "Minimum()(a, a)",
            )
        ),
        *(
            f"ops.{call} @ {_IMAGE}"
            for call in (
                "max_pool2d(a, 2)", "max_pool2d(a, 3, 1, 1)", "MaxPool(2, 2)(a)", "MaxPool(3, 1, 'same')(a)", "adaptive_max_pool2d(a, 2)",
                "lp_pool2d(a, 2.0, 2)", "adaptive_avg_pool2d(a, 3)", "max_pool3d(a[None], 2)", "interpolate(a, (3, 3), mode='bilinear')",
                "interpolate(a, (8, 8), mode='nearest')", "interpolate(a, (3, 3), mode='bilinear', align_corners=True)",
                "interpolate(a, (3, 5), mode='bicubic')", "interpolate(a, (3, 3), mode='area')", "pad(a, (1, 1), mode='reflect')",
                "pad(a, (1, 2, 2, 1), mode='replicate')", "pad(a, (1, 1, 2, 2), mode='circular')", "pad(a, (-1, 1))",
            )
        ),
        "ops.sqrt(a) @ np.array([0, 1, -1], np.float32)",
        "ops.rsqrt(a) @ np.array([0, 1, 4], np.float32)",
        "ops.log(a) @ np.array([0, 1, -1], np.float32)",
        "ops.log1p(a) @ np.array([-1, 0, -2], np.float32)",
        "ops.reciprocal(a) @ np.array([0, 1, -2], np.float32)",
        "ops.asin(a) @ np.array([-1, 0, 1, 2], np.float32)",
        "ops.acos(a) @ np.array([-1, 0, 1, 2], np.float32)",
        "ops.atanh(a) @ np.array([-1, 0, 1, 2], np.float32)",
        "ops.acosh(a) @ np.array([0, 1, 2], np.float32)",
        "ops.exp(a) @ np.array([-200, 0, 88, 200], np.float32)",
        "ops.expm1(a) @ np.array([-200, 1e-6, 0, 88], np.float32)",
        "ops.sigmoid(a) @ np.array([-200, 0, 88, 200], np.float32)",
        "ops.tanh(a) @ np.array([-200, 0, 88, 1e-6], np.float32)",
        "ops.softplus(a) @ np.array([-200, 0, 19, 20, 21, 200], np.float32)",
        "ops.logsigmoid(a) @ np.array([-200, 0, 88, 200], np.float32)",
        "ops.log_softmax(a) @ np.array([[-200, 0, 200]], np.float32)",
        "ops.softmax(a) @ np.array([[-200, 0, 200]], np.float32)",
        "ops.pow(a, b) @ np.array([0, 0, 2, -2], np.float32), np.array([0, 2, 0, 3], np.float32)",
        "ops.div(a, b) @ np.array([0, 1, -1], np.float32), np.array([0, 0, 2], np.float32)",
        "ops.atan2(a, b) @ np.array([0, 0, 1, -1], np.float32), np.array([0, -1, 0, 0], np.float32)",
        "ops.maximum(a, b) @ np.array([1, 2, 3], np.float32), np.array([1, 3, 2], np.float32)",
        "ops.minimum(a, b) @ np.array([1, 2, 3], np.float32), np.array([1, 3, 2], np.float32)",
        "ops.fmax(a, b) @ np.array([1, 2, 3], np.float32), np.array([1, 3, 2], np.float32)",
        "ops.fmin(a, b) @ np.array([1, 2, 3], np.float32), np.array([1, 3, 2], np.float32)",
        "ops.clamp(a, b, c) @ np.array([1, 2, 3], np.float32), np.array([1, 3, 2], np.float32), np.array([2, 4, 2.5], np.float32)",
        "ops.hypot(a, b) @ np.array([0, 3], np.float32), np.array([0, 4], np.float32)",
        "ops.prod(a, 1) @ np.array([[0, 2, 3], [0, 0, 3], [1, 2, 3]], np.float32)",
        "ops.cumprod(a, 1) @ np.array([[2, 3, 4], [1, 2, 3]], np.float32)",
        "ops.binary_cross_entropy(a, b) @ np.array([0, 1, 0.5], np.float32), np.array([0, 1, 1], np.float32)",
        "ops.det(a) @ np.array([[2, 1], [1, 3]], np.float32)",
        "ops.gather(a, b, 0) @ r(4, 2), np.array([1, 1, 3], np.int32)",
        "ops.gather_elements(a, 1, b) @ r(2, 3), np.array([[0, 0], [2, 2]], np.int32)",
        "ops.gather_nd(a, b) @ r(2, 3), np.array([[0, 1], [0, 1]], np.int32)",
        "ops.unsorted_segment_max(a, b, 2) @ np.array([1, 3, 3], np.float32), np.array([0, 1, 1], np.int32)",
        "ops.unsorted_segment_sum(a, b, 3) @ r(3, 2), np.array([0, 2, 2], np.int32)",
        "ops.tensor_scatter_add(a, b, c) @ r(3), np.array([[1], [1]], np.int32), r(2)",
        "ops.tensor_scatter_max(a, b, c) @ r(3), np.array([[1], [2]], np.int32), r(2)",
        "ops.where(a > 0, a, b) @ np.array([0, 1, -1], np.float32), r(3)",
        "ops.masked_fill(a, a > 0, 2.0) @ np.array([0, 1, -1], np.float32)",
    ]
)  # fmt: skip
