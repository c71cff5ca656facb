"""Classes of optimizer steps, buffers, sequences, segments, sparse operands: ``expression @ inputs``.

A name without a module before it is a Primitive class.
"""

_CSR = (
    "np.array([2, 3], np.int32), np.array([0, 3], np.int32), "
    "np.array([0, 1, 3], np.int32), np.array([1, 0, 2], np.int32)"
)
_PLACES = "np.array([[0, 1], [1, 0], [1, 2]], np.int64)"
_OTHERS = "np.array([[0, 0], [1, 0], [1, 1]], np.int64)"
_SHAPE = "np.array([2, 3], np.int64)"
_ROWS = "np.array([2, 0, 1], np.int32)"
_EQUAL = "np.array([2, 0, 2], np.int32)"
_TAKEN = "np.array([0, 2, 1, 3], np.int32)"
_IDS = "np.array([0, 0, 1, 3], np.int32)"
_BUFFERS = "3, ((2,), (1,)), (ms.float32, ms.int32)"
_FACTORED = "(1e-30, 1e-3), 1.0, 0.9, 0.8, 0.01, 0.1, a, state(b), state(c), state(d), state(e), state(f)"
_CSR64 = _CSR.replace("int32", "int64")

STATES = f"""
# steps of optimizers
ApplyMomentum()(state(a), state(b), 0.1, c, 0.9) @ r(2, 3), r(2, 3), r(2, 3)
ApplyMomentum(use_nesterov=True)(state(a), state(b), 0.1, c, 0.9) @ r(2, 3), r(2, 3), r(2, 3)
ApplyMomentum(gradient_scale=0.5)(state(a), state(b), 0.1, c, 0.9) @ r(2, 3), r(2, 3), r(2, 3)
ApplyMomentum()(state(a), state(b), c, d, e) @ r(2, 3), r(2, 3), u(), r(2, 3), u()
ApplyMomentum()(state(a), state(b), 0.1, c, 0.5) @ \
r(2, 3).astype(np.float16), r(2, 3).astype(np.float16), r(2, 3).astype(np.float16)
ApplyGradientDescent()(state(a), 0.1, b) @ r(2, 3), r(2, 3)
ApplyGradientDescent()(state(a), 0.1, b) @ r(2, 3).astype(np.float16), r(2, 3).astype(np.float16)
ApplyProximalGradientDescent()(state(a), 0.1, 0.2, 0.3, b) @ r(2, 3), r(2, 3)
ApplyProximalGradientDescent()(state(a), 0.1, 0.0, 0.3, b) @ r(2, 3), r(2, 3)
SGD()(state(a), b, c, state(d), e, state(f)) @ r(2, 3), r(2, 3), u(), r(2, 3), u(), np.ones((2, 3), np.float32)
SGD(0.5, 0.1)(state(a), b, c, state(d), e, state(f)) @ r(2, 3), r(2, 3), u(), r(2, 3), u(), np.ones((2, 3), np.float32)
SGD(0.0, 0.1, True)(state(a), b, c, state(d), e, state(f)) @ \
r(2, 3), r(2, 3), u(), r(2, 3), u(), np.ones((2, 3), np.float32)
SGD(0.5, 0.1)(state(a), b, c, state(d), e, state(f)) @ r(2, 3), r(2, 3), u(), r(2, 3), u(), np.zeros((2, 3), np.float32)
SGD(0.0, 0.1, True)(state(a), b, c, state(d), e, state(f)) @ \
r(2, 3), r(2, 3), u(), r(2, 3), u(), np.zeros((2, 3), np.float32)
SGD(0.5)(state(a), b, c, state(d), e, state(f)) @ \
r(3).astype(np.float16), r(3).astype(np.float16), u(1).astype(np.float16), r(3).astype(np.float16), \
u(1).astype(np.float16), np.zeros(3, np.float16)
ApplyAdagrad()(state(a), state(b), 0.1, c) @ r(2, 3), u(2, 3), r(2, 3)
ApplyAdagrad(update_slots=False)(state(a), state(b), 0.1, c) @ r(2, 3), u(2, 3), r(2, 3)
ApplyAdagradV2(1e-3)(state(a), state(b), 0.1, c) @ r(2, 3), u(2, 3), r(2, 3)
ApplyAdagradV2(1e-3, False)(state(a), state(b), 0.1, c) @ r(2, 3), u(2, 3), r(2, 3)
ApplyProximalAdagrad()(state(a), state(b), 0.1, 0.2, 0.3, c) @ r(2, 3), u(2, 3), r(2, 3)
ApplyProximalAdagrad()(state(a), state(b), 0.1, 0.0, 0.3, c) @ r(2, 3), u(2, 3), r(2, 3)
ApplyAdagradDA()(state(a), state(b), state(c), d, 0.1, 0.2, 0.3, 2) @ r(2, 3), r(2, 3), u(2, 3), r(2, 3)
ApplyAdagradDA()(state(a), state(b), state(c), d, 0.1, 0.0, 0.3, 2) @ r(2, 3), r(2, 3), u(2, 3), r(2, 3)
ApplyAdadelta()(state(a), state(b), state(c), 0.1, 0.9, 1e-6, d) @ r(2, 3), u(2, 3), u(2, 3), r(2, 3)
ApplyAddSign()(state(a), state(b), 0.1, 0.5, 0.9, 0.8, c) @ r(2, 3), r(2, 3), r(2, 3)
ApplyPowerSign()(state(a), state(b), 0.1, 0.5, 0.9, 0.8, c) @ r(2, 3), r(2, 3), r(2, 3)
Adam()(state(a), state(b), state(c), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, d) @ r(2, 3), r(2, 3), u(2, 3), r(2, 3)
Adam(use_nesterov=True)(state(a), state(b), state(c), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, d) @ \
r(2, 3), r(2, 3), u(2, 3), r(2, 3)
AdamNoUpdateParam()(state(a), state(b), c, d, e, f, g, h, i) @ r(2, 3), u(2, 3), u(), u(), u(), u(), u(), u(), r(2, 3)
AdamNoUpdateParam(use_nesterov=True)(state(a), state(b), c, d, e, f, g, h, i) @ \
r(2, 3), u(2, 3), u(), u(), u(), u(), u(), u(), r(2, 3)
FusedSparseAdam()(state(a), state(b), state(c), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, d, e)[0] @ \
r(4, 2), r(4, 2), u(4, 2), r(3, 2), {_EQUAL}
FusedSparseAdam(use_nesterov=True)(state(a), state(b), state(c), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, d, e)[0] @ \
r(2, 2), r(2, 2), u(2, 2), r(3, 2), np.array([1, 0, 1], np.int32)
FusedSparseLazyAdam()(state(a), state(b), state(c), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, d, e)[0] @ \
r(4, 2), r(4, 2), u(4, 2), r(3, 2), {_EQUAL}
FusedSparseLazyAdam(use_nesterov=True)(state(a), state(b), state(c), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, d, e)[0] @ \
r(4, 2), r(4, 2), u(4, 2), r(3, 2), {_EQUAL}
AdamWeightDecay()(state(a), state(b), state(c), 0.1, 0.9, 0.99, 1e-8, 0.1, d) @ r(2, 3), r(2, 3), u(2, 3), r(2, 3)
AdamWeightDecay()(state(a), state(b), state(c), 0.1, 0.9, 0.99, 1e-8, 0.0, d) @ r(2, 3), r(2, 3), u(2, 3), r(2, 3)
ApplyAdaMax()(state(a), state(b), state(c), 0.9, 0.1, 0.9, 0.99, 1e-8, d) @ r(2, 3), r(2, 3), u(2, 3), r(2, 3)
ApplyAdamWithAmsgrad()(state(a), state(b), state(c), state(d), e, f, g, h) @ \
r(2, 3), r(2, 3), u(2, 3), u(2, 3), u(), u(), u(), r(2, 3)
ApplyAdamWithAmsgrad(0.8, 0.9, 1e-3)(state(a), state(b), state(c), state(d), e, f, g, h) @ \
r(2, 3), r(2, 3), u(2, 3), u(2, 3), u(), u(), u(), r(2, 3)
ApplyAdamWithAmsgradV2()(state(a), state(b), state(c), state(d), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, e) @ \
r(2, 3), r(2, 3), u(2, 3), u(2, 3), r(2, 3)
ApplyRMSProp()(state(a), state(b), state(c), 0.1, d, 0.9, 0.5, 1e-6) @ r(2, 3), u(2, 3), r(2, 3), r(2, 3)
ApplyCenteredRMSProp()(state(a), state(b), state(c), state(d), e, 0.1, 0.9, 0.5, 1e-6) @ \
r(2, 3), u(2, 3), u(2, 3) + 1, r(2, 3), r(2, 3)
ApplyFtrl()(state(a), state(b), state(c), d, 0.1, 0.2, 0.3, -0.5) @ r(2, 3), u(2, 3), r(2, 3), r(2, 3)
ApplyFtrl()(state(a), state(b), state(c), d, 0.1, 0.2, 0.3, -0.3) @ r(2, 3), u(2, 3), r(2, 3), r(2, 3)
ApplyFtrl()(state(a), state(b), state(c), d, 0.1, 0.0, 0.3, -0.5) @ r(2, 3), u(2, 3), r(2, 3), r(2, 3)
ApplyFtrl()(state(a), state(b), state(c), d, 0.1, 0.0, 0.3, -0.3) @ r(2, 3), u(2, 3), r(2, 3), r(2, 3)
SparseApplyMomentum()(state(a), state(b), 0.1, c, d, 0.9) @ r(4, 2), r(4, 2), r(3, 2), {_ROWS}
SparseApplyMomentum(use_nesterov=True)(state(a), state(b), 0.1, c, d, 0.9) @ r(4, 2), r(4, 2), r(3, 2), {_ROWS}
SparseApplyMomentum()(state(a), state(b), 0.1, c, d, 0.9) @ r(4), r(4), r(2), np.array([3, 1], np.int64)
SparseApplyAdagrad(0.1)(state(a), state(b), c, d) @ r(4, 2), u(4, 2), r(3, 2), {_ROWS}
SparseApplyAdagrad(0.1)(state(a), state(b), c, d) @ r(4, 2), u(4, 2), r(3, 2), {_EQUAL}
SparseApplyAdagrad(0.1, False)(state(a), state(b), c, d) @ r(4, 2), u(4, 2), r(3, 2), {_ROWS}
SparseApplyAdagradV2(0.1, 1e-3)(state(a), state(b), c, d) @ r(4, 2), u(4, 2), r(3, 2), {_ROWS}
SparseApplyAdagradV2(0.1, 1e-3, update_slots=False)(state(a), state(b), c, d) @ r(4, 2), u(4, 2), r(3, 2), {_ROWS}
SparseApplyAdagradV2(0.1, 1e-6)(state(a), state(b), c, d) @ r(4, 2), u(4, 2), r(3, 2), {_ROWS}
SparseApplyAdagradV2(0.1, 1e-6, update_slots=False)(state(a), state(b), c, d) @ r(4, 2), u(4, 2), r(3, 2), {_ROWS}
FusedSparseProximalAdagrad()(state(a), state(b), 0.1, 0.2, 0.3, c, d)[0] @ r(4, 2), u(4, 2), r(3, 2), {_ROWS}
FusedSparseProximalAdagrad()(state(a), state(b), 0.1, 0.2, 0.3, c, d)[0] @ r(4, 2), u(4, 2), r(3, 2), {_EQUAL}
FusedSparseFtrl(0.1, 0.2, 0.3, -0.5)(state(a), state(b), state(c), d, e)[0] @ \
r(4, 2), u(4, 2), r(4, 2), r(3, 2), {_ROWS}
FusedSparseFtrl(0.1, 0.2, 0.3, -0.5)(state(a), state(b), state(c), d, e)[0] @ \
r(4, 2), u(4, 2), r(4, 2), r(3, 2), {_EQUAL}
SparseApplyRMSProp(0.9, 0.5, 1e-6)(state(a), state(b), state(c), 0.1, d, e) @ \
r(3, 2), u(3, 2), r(3, 2), r(3, 2), {_ROWS}
SparseApplyCenteredRMSProp()(state(a), state(b), state(c), state(d), 0.1, 0.9, 0.5, 1e-6, e, f) @ \
r(4, 2), u(4, 2), u(4, 2) + 1, r(4, 2), r(3, 2), {_ROWS}
SparseApplyFtrl(0.1, 0.2, 0.3, -0.5)(state(a), state(b), state(c), d, e) @ r(4, 2), u(4, 2), r(4, 2), r(3, 2), {_ROWS}
SparseApplyFtrl(0.1, 0.0, 0.0, 0.0)(state(a), state(b), state(c), d, e) @ \
r(4, 2), u(4, 2), r(4, 2), r(1, 2), np.array([2], np.int64)
FusedCastAdamWeightDecay()(state(a), state(b), state(c), 0.1, 0.9, 0.99, 1e-8, 0.1, d, e) @ \
r(2, 3), r(2, 3), u(2, 3), r(2, 3).astype(np.float16), u()
FusedCastAdamWeightDecay()(state(a), state(b), state(c), 0.1, 0.9, 0.99, 1e-8, 0.1, d, e) @ \
r(2, 3).astype(np.float16), r(2, 3), u(2, 3), r(2, 3).astype(np.float16), u()
FusedAdaFactor()({_FACTORED}) @ r(2, 3), r(2, 3), r(2, 3), u(2), u(3), u(2, 3)
FusedAdaFactor(True)({_FACTORED}) @ r(2, 3), r(2, 3), r(2, 3), u(2), u(3), u(2, 3)
FusedAdaFactor(False, True)({_FACTORED}) @ r(2, 3), r(2, 3), r(2, 3), u(2), u(3), u(2, 3)
FusedAdaFactor(True, True, True)({_FACTORED}) @ r(2, 3), r(2, 3), r(2, 3), u(2), u(3), u(2, 3)
FusedAdaFactor(True, True, True)({_FACTORED}) @ r(3), r(3), r(3), u(3), u(3), u(3)
FusedAdaFactorWithGlobalNorm()({_FACTORED}, g) @ r(2, 3), r(2, 3), r(2, 3), u(2), u(3), u(2, 3), u() + 1
FusedAdaFactorWithGlobalNorm(True)({_FACTORED}, g) @ r(2, 3), r(2, 3), r(2, 3), u(2), u(3), u(2, 3), u() + 1
FusedAdaFactorWithGlobalNorm(False, True)({_FACTORED}, g) @ r(2, 3), r(2, 3), r(2, 3), u(2), u(3), u(2, 3), u() + 1
FusedAdaFactorWithGlobalNorm(True, True, True)({_FACTORED}, g) @ r(2, 3), r(2, 3), r(2, 3), u(2), u(3), u(2, 3), u() + 1
FusedAdaFactorWithGlobalNorm(True, True, True)({_FACTORED}, g) @ r(3), r(3), r(3), u(3), u(3), u(3), u() + 1

# buffers of experience
BufferAppend({_BUFFERS})((state(a), state(b)), (c, d), state(e), state(f)) @ \
r(3, 2), i(9, 3, 1), r(2), i(9, 1), np.array(1, np.int32), np.array(0, np.int32)
BufferAppend({_BUFFERS})((state(a), state(b)), (c, d), state(e), state(f)) @ \
r(3, 2), i(9, 3, 1), r(2), i(9, 1), np.array(3, np.int32), np.array(1, np.int32)
BufferAppend({_BUFFERS})((state(a), state(b)), (c, d), state(e), state(f)) @ \
r(3, 2), i(9, 3, 1), r(2, 2), i(9, 2, 1), np.array(3, np.int32), np.array(1, np.int32)
BufferAppend({_BUFFERS})((state(a), state(b)), (c, d), state(e), state(f)) @ \
r(3, 2), i(9, 3, 1), r(2, 2), i(9, 2, 1), np.array(1, np.int32), np.array(0, np.int32)
BufferAppend({_BUFFERS})((state(a), state(b)), (c, d), state(e), state(f)) @ \
r(3, 2), i(9, 3, 1), r(3, 2), i(9, 3, 1), np.array(0, np.int32), np.array(0, np.int32)
BufferGetItem({_BUFFERS})((state(a), state(b)), state(c), state(d), 0) @ \
r(3, 2), i(9, 3, 1), np.array(3, np.int32), np.array(2, np.int32)
BufferGetItem({_BUFFERS})((state(a), state(b)), state(c), state(d), 1) @ \
r(3, 2), i(9, 3, 1), np.array(3, np.int32), np.array(2, np.int32)
BufferGetItem({_BUFFERS})((state(a), state(b)), state(c), state(d), -1) @ \
r(3, 2), i(9, 3, 1), np.array(3, np.int32), np.array(2, np.int32)
BufferGetItem({_BUFFERS})((state(a), state(b)), state(c), state(d), -1) @ \
r(3, 2), i(9, 3, 1), np.array(2, np.int32), np.array(0, np.int32)

# writing into slices
InplaceAdd((0, 2))(a, b) @ r(3, 2), r(2, 2)
InplaceAdd(1)(a, b) @ r(3, 2), r(1, 2)
InplaceAdd((2, 0))(a, b) @ r(3, 2).astype(np.float16), r(2, 2).astype(np.float16)
InplaceSub((0, 2))(a, b) @ r(3, 2), r(2, 2)
InplaceSub(2)(a, b) @ i(9, 3, 2), i(9, 1, 2)
InplaceUpdate((0, 2))(a, b) @ r(3, 2), r(2, 2)
InplaceUpdateV2()(a, (0, 2), b) @ r(3, 2), r(2, 2)
InplaceUpdateV2()(a, 1, b) @ r(3, 2), r(1, 2)
ScatterAddWithAxis(0)(a, b, c) @ r(3, 2), np.array([[0, 2], [2, 1]], np.int32), r(2, 2)
ScatterAddWithAxis(1)(a, b, c) @ r(2, 3), np.array([[0, 2], [2, 2]], np.int32), r(2, 2)
ScatterAddWithAxis(-1)(a, b, c) @ r(2, 3), np.array([[0, -1], [1, 1]], np.int32), r(2, 2)
TensorCopySlices()(a, b, (1,), (3,), (1,)) @ r(4, 2), r(2, 2)
TensorCopySlices()(a, b, (1, 0), (2, 2), (1, 1)) @ r(4, 3), r(1, 2)
TensorCopySlices()(a, b, (0, 1, 0), (1, 2, 4), (1, 1, 1)) @ r(2, 3, 4), r(1, 1, 4)

# elements, reductions, parts
AddV2()(a, b) @ r(2, 3), r(2, 3)
AddV2()(a, b) @ i(9, 2, 3), i(9, 2, 3)
AddExt()(a, b, 2) @ r(2, 3), r(3)
AddExt()(a, b) @ i(9, 2, 3), i(9, 3)
AddExt()(a, b, 3) @ i(9, 2, 3), r(3)
SubExt()(a, b, 2) @ r(2, 3), r(3)
SubExt()(a, b, 0.5) @ r(2, 3), r(2, 1)
SubExt()(a, b, 2) @ i(9, 2, 3), i(9, 3)
SiLU()(a) @ r(2, 3)
SiLU()(a) @ r(2, 3).astype(np.float16)
SumExt()(a) @ r(2, 3)
SumExt()(a, 1, True) @ r(2, 3)
SumExt()(a, (0, 2), False, ms.float64) @ r(2, 3, 2)
SumExt()(a, 0) @ b(2, 3)
SumExt()(a, None, True, ms.int32) @ r(2, 3) * 5
SumExt()(a, (-1,)) @ i(9, 2, 3)
SumExt()(a, ()) @ r(2, 3)
SliceExt()(a, 1, 1, 4, 1) @ r(2, 5)
SliceExt()(a, 1, 0, 5, 2) @ r(2, 5)
SliceExt()(a, -1, -3, -1, 1) @ r(2, 5)
SliceExt()(a, 0, 1, 9, 1) @ r(3, 2)
ClipByNorm()(a, b) @ r(2, 3), u()
ClipByNorm(1)(a, b) @ r(2, 3), u(1)
ClipByNorm((0, 1))(a, b) @ r(2, 3), np.array(9, np.float32)
ClipByNorm()(a, b) @ r(2, 3).astype(np.float16), np.array(0.5, np.float16)
ConcatOffsetV1()(a, (b, c, d)) @ \
np.array(1, np.int32), np.array([2, 3, 4], np.int32), np.array([2, 5, 4], np.int32), np.array([2, 1, 4], np.int32)
ConcatOffsetV1()(a, (b, c)) @ np.array(-1, np.int32), np.array([2, 3], np.int32), np.array([2, 5], np.int32)

# sequences
SequenceAdd()((a,), (b,)) @ r(2), r(2)
SequenceAdd()([a], [b, a]) @ r(2), r(3)
SequenceAdd()((1, 2), (3,)) @
SequenceCount()((1, 2, 1), 1) @
SequenceCount()((1, 2, 1), 5) @
SequenceIndex()((1, 2, 1), 2, 0, 3) @
SequenceMax()((1, 3, 2)) @
SequenceMax()((1.5, 0.5)) @
SequenceMin()((2, 1, 3)) @
SequenceMul()((1, 2), 2) @
SequenceMul()((a, b), 2) @ r(2), r(2)
SequenceSlice()((1, 2, 3, 4), 1, 3, 1) @
SequenceSlice()((a, b, c), 0, 3, 2) @ r(2), r(2), r(2)
SequenceSlice()((1, 2, 3, 4), 3, 0, -2) @
TensorToTuple()(a) @ r(3)
TensorToTuple()(a) @ i(9, 3)
TupleToTensor()((1, 2, 3), ms.float32) @
TupleToTensor()((1.5, 2.5), ms.float64) @
TupleToTensor()((1, 2, 3), ms.int32) @
ListToTensor()([1, 2, 3], ms.float32) @
ListToTensor()([1.5, 2.5], ms.float64) @
ListToTensor()([1, 2, 3], ms.int32) @
TopTypeof()(a) @ r(2)

# segments
SegmentSum()(a, b) @ r(4, 2), {_IDS}
SegmentSum()(a, b) @ i(9, 4), np.array([0, 1, 1, 2], np.int64)
SegmentMean()(a, b) @ r(4, 2), {_IDS}
SegmentMean()(a, b) @ i(9, 4), np.array([0, 1, 1, 2], np.int64)
SegmentMean()(a, b) @ np.array([-7, 2, 3, -8], np.int32), np.array([0, 0, 1, 1], np.int32)
SegmentMax()(a, b) @ r(4, 2), {_IDS}
SegmentMax()(a, b) @ i(9, 4), np.array([0, 1, 1, 2], np.int64)
SegmentMax()(a, b) @ r(4, 2).astype(np.float64), np.array([1, 1, 1, 3], np.int32)
SegmentMin()(a, b) @ r(4, 2), {_IDS}
SegmentMin()(a, b) @ i(9, 4), np.array([0, 1, 1, 2], np.int64)
SegmentProd()(a, b) @ r(4, 2), {_IDS}
SegmentProd()(a, b) @ i(9, 4), np.array([0, 1, 1, 2], np.int64)
SegmentProd()(a, b) @ i(5, 4, 2), np.array([0, 0, 2, 2], np.int32)
SparseSegmentSum()(a, b, c) @ r(4, 2), {_TAKEN}, np.array([0, 0, 1, 2], np.int32)
SparseSegmentSum()(a, b, c) @ r(4), np.array([0, 2, 1, 3], np.int64), np.array([0, 0, 1, 2], np.int64)
SparseSegmentSum()(a, b, c) @ i(9, 4, 2), np.array([0, 2, 1], np.int32), np.array([0, 0, 1], np.int32)
SparseSegmentSumWithNumSegments()(a, b, c, d) @ r(4, 2), {_TAKEN}, {_IDS}, np.array([5], np.int32)
SparseSegmentSumWithNumSegments()(a, b, c, d) @ r(4, 2), {_TAKEN}, {_IDS}, np.array(4, np.int32)
SparseSegmentSumWithNumSegments()(a, b, c, d) @ \
i(9, 4), np.array([3, 3, 1], np.int64), np.array([1, 1, 2], np.int64), np.array(5, np.int64)
SparseSegmentSqrtN()(a, b, c) @ r(4, 2), {_TAKEN}, np.array([0, 0, 1, 2], np.int32)
SparseSegmentSqrtN()(a, b, c) @ r(4), np.array([0, 2, 1, 3], np.int64), np.array([0, 0, 1, 2], np.int64)
SparseSegmentSqrtNWithNumSegments()(a, b, c, d) @ r(4, 2), {_TAKEN}, {_IDS}, np.array([5], np.int32)
SparseSegmentSqrtNWithNumSegments()(a, b, c, d) @ r(4, 2), {_TAKEN}, {_IDS}, np.array(4, np.int32)
SparseSegmentMeanWithNumSegments()(a, b, c, d) @ r(4, 2), {_TAKEN}, {_IDS}, np.array([5], np.int32)
SparseSegmentMeanWithNumSegments()(a, b, c, d) @ r(4, 2), {_TAKEN}, {_IDS}, np.array(4, np.int32)

# sparse operands
SparseAdd()(a, b, c, d, e, f, g) @ {_PLACES}, r(3), {_SHAPE}, {_OTHERS}, r(3), {_SHAPE}, np.array(0, np.float32)
SparseAdd()(a, b, c, d, e, f, g) @ {_PLACES}, r(3), {_SHAPE}, {_OTHERS}, r(3), {_SHAPE}, np.array(0.7, np.float32)
SparseAdd()(a, b, c, d, e, f, g) @ {_PLACES}, i(5, 3), {_SHAPE}, {_OTHERS}, i(5, 3), {_SHAPE}, np.array(3, np.int32)
SparseAdd()(a, b, c, d, e, f, g) @ \
np.array([[0, 0], [1, 1]], np.int64), np.array([1, 2], np.float32), np.array([2, 2], np.int64), \
np.array([[0, 0], [1, 1]], np.int64), np.array([2, -2.5], np.float32), np.array([2, 2], np.int64), \
np.array(0.5, np.float32)
SparseSparseMinimum()(a, b, c, d, e, f) @ {_PLACES}, r(3), {_SHAPE}, {_OTHERS}, r(3), {_SHAPE}
SparseSparseMinimum()(a, b, c, d, e, f) @ {_PLACES}, i(9, 3) - 4, {_SHAPE}, {_OTHERS}, i(9, 3) - 4, {_SHAPE}
SparseSparseMinimum()(a, b, c, d, e, f) @ \
np.array([[1], [3]], np.int64), r(2).astype(np.float64), np.array([5], np.int64), np.array([[3], [4]], np.int64), \
r(2).astype(np.float64), np.array([5], np.int64)
SparseReshape()(a, b, Tensor([3, -1])) @ {_PLACES}, {_SHAPE}
SparseReshape()(a, b, c) @ {_PLACES}, {_SHAPE}, np.array([6], np.int64)
SparseReshape()(a, b, c) @ \
np.array([[0, 0, 1], [1, 2, 0]], np.int64), np.array([2, 3, 2], np.int64), np.array([4, 3], np.int64)
SparseTensorToCSRSparseMatrix()(a, b, c) @ {_PLACES}, r(3), {_SHAPE}
SparseTensorToCSRSparseMatrix()(a, b, c) @ \
np.array([[0, 0, 1], [0, 1, 0], [1, 1, 2]], np.int32), r(3), np.array([2, 2, 3], np.int32)
SparseTensorToCSRSparseMatrix()(a, b, c) @ \
np.array([[0, 1], [2, 0]], np.int32), r(2).astype(np.float64), np.array([4, 2], np.int32)
SparseMatrixSoftmax(ms.float32)(a, b, c, d, e) @ {_CSR}, r(3)
SparseMatrixSoftmax(ms.float32)(a, b, c, d, e) @ {_CSR64}, r(3)
SparseMatrixSoftmax(ms.float32)(a, b, c, d, e) @ \
np.array([2, 2, 3], np.int32), np.array([0, 2, 4], np.int32), np.array([0, 1, 2, 0, 2, 2], np.int32), \
np.array([1, 0, 0, 2], np.int32), r(4)
SparseMatrixSoftmax(ms.float64)(a, b, c, d, e) @ {_CSR}, r(3).astype(np.float64)
SparseMatrixMatMul()(a, b, c, d, e, f) @ {_CSR}, r(3), r(3, 4)
SparseMatrixMatMul()(a, b, c, d, e, f) @ {_CSR64}, r(3), r(3, 4)
SparseMatrixMatMul(transpose_x1=True)(a, b, c, d, e, f) @ {_CSR}, r(3), r(2, 4)
SparseMatrixMatMul(transpose_x2=True)(a, b, c, d, e, f) @ {_CSR}, r(3), r(4, 3)
SparseMatrixMatMul(adjoint_x1=True)(a, b, c, d, e, f) @ {_CSR}, r(3), r(2, 4)
SparseMatrixMatMul(adjoint_x2=True)(a, b, c, d, e, f) @ {_CSR}, r(3), r(4, 3)
SparseMatrixMatMul(transpose_output=True)(a, b, c, d, e, f) @ {_CSR}, r(3), r(3, 4)
SparseMatrixMatMul(conjugate_output=True)(a, b, c, d, e, f) @ {_CSR}, r(3) + 1j * r(3), r(3, 4) + 1j * r(3, 4)
SparseMatrixMatMul()(a, b, c, d, e, f) @ \
np.array([2, 2, 3], np.int32), np.array([0, 2, 3], np.int32), np.array([0, 1, 2, 0, 0, 1], np.int32), \
np.array([1, 0, 2], np.int32), r(3), r(2, 3, 4)
SparseMatrixMatMul(adjoint_x1=True)(a, b, c, d, e, f) @ {_CSR}, r(3) + 1j * r(3), r(2, 4) + 1j * r(2, 4)
SparseMatrixMatMul(True, True)(a, b, c, d, e, f) @ {_CSR}, r(3).astype(np.float64), r(4, 2).astype(np.float64)
SparseCountSparseOutput()(a, b, c, d) @ \
np.array([[0, 0], [0, 1], [1, 0], [1, 2], [1, 1]], np.int64), np.array([2, 0, 3, 3, 1], np.int64), {_SHAPE}, r(5)
SparseSoftmaxCrossEntropyWithLogitsV2()(a, b) @ r(3, 4), i(4, 3)
SparseSoftmaxCrossEntropyWithLogitsV2()(a, b) @ r(3, 4), i(4, 3).astype(np.int64)
SparseSoftmaxCrossEntropyWithLogitsV2()(a, b) @ r(2, 3).astype(np.float16), i(3, 2)

# recurrent kernels, pooling
LSTM(2, 3, 1, False, False, 0.0)(a, b, c, d)[:3] @ r(4, 2, 2), r(1, 2, 3), r(1, 2, 3), r(60, 1, 1)
LSTM(2, 3, 1, False, False, 0.0, 2)(a, b, c, d)[:3] @ r(4, 2, 2), r(1, 2, 2), r(1, 2, 3), r(54, 1, 1)
LSTM(2, 3, 1, True, False, 0.0)(a, b, c, d)[:3] @ r(4, 2, 2), r(1, 2, 3), r(1, 2, 3), r(72, 1, 1)
LSTM(2, 3, 1, True, True, 0.0)(a, b, c, d)[:3] @ r(4, 2, 2), r(2, 2, 3), r(2, 2, 3), r(144, 1, 1)
LSTM(2, 3, 1, False, True, 0.0)(a, b, c, d)[:3] @ r(4, 2, 2), r(2, 2, 3), r(2, 2, 3), r(120, 1, 1)
GRUV2(2, 3, 1, True, False, 0.0)(a, b, c, d)[:2] @ r(4, 2, 2), r(1, 2, 3), r(63, 1, 1), np.array([4, 4], np.int32)
GRUV2(2, 3, 1, True, True, 0.0)(a, b, c, d)[:2] @ r(4, 2, 2), r(2, 2, 3), r(126, 1, 1), np.array([4, 4], np.int32)
GRUV2(2, 3, 1, False, False, 0.0)(a, b, c, d)[:2] @ r(4, 2, 2), r(1, 2, 3), r(45, 1, 1), np.array([4, 3], np.int32)
PSROIPooling(1.0, 2, 1)(a, b) @ r(1, 4, 6, 6), np.array([[[0], [1], [1], [4], [4]]], np.float32)
PSROIPooling(0.5, 3, 2)(a, b) @ r(1, 18, 8, 8), np.array([[[0], [1], [0], [9], [11]]], np.float32)
PSROIPooling(1.0, 2, 1)(a, b) @ \
r(2, 4, 8, 8), np.array([[[0], [1], [0], [5], [4]], [[1], [2], [3], [6], [7]]], np.float32)
UpdateCache()(state(a), b, c, 4) @ r(4, 2), np.array([2, 0, 5], np.int32), r(3, 2)
"""
