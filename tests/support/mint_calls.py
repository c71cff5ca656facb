"""Sample calls of `mint`, evaluated with torch's names and with ours; T, P, I, B, D as in `laws.samples`."""

FUNCTIONS = """
abs(T(2, 3)) acos(U(3)) acosh(P(3)+1) add(T(2, 3),T(3),alpha=2) addbmm(T(2, 3),T(4, 2, 5),T(4, 5, 3))
addcdiv(T(3),T(3),P(3),value=2) addmm(T(2, 3),T(2, 4),T(4, 3),beta=2) addmv(T(2),T(2, 3),T(3)) all(B(2, 3))
all(B(2, 3),1) allclose(D([1.]),D([1.])) amax(T(2, 3),1) amin(T(2, 3)) any(B(2, 3)) any(B(2, 3),dim=0) arange(1,9,2)
arccos(U(3)) arccosh(P(3)+1) arcsin(U(3)) arcsinh(T(3)) arctan(T(3)) arctan2(T(3),T(3)) arctanh(U(3))
argmax(T(2, 3),1) argmin(T(2, 3),1) argsort(T(2, 3),descending=True) asin(U(3)) asinh(T(3)) atan(T(3))
atan2(T(3),T(3)) atanh(U(3)) baddbmm(T(2, 2, 3),T(2, 2, 4),T(2, 4, 3)) bincount(D([0,1,1],np.int64))
bitwise_and(I(4),I(4)) bitwise_not(I(4)) bitwise_or(I(4),I(4)) bitwise_xor(I(4),I(4)) bmm(T(2, 2, 3),T(2, 3, 4))
broadcast_to(T(3),(2, 3)) cat((T(2, 3),T(1, 3))) cdist(T(2, 3),T(4, 3)) ceil(T(3)) chunk(T(5, 2),2)
clamp(T(3),-0.5,0.5) clone(T(3)) concat((T(2, 3),T(2, 1)),1) conv2d(T(1, 2, 5, 5),T(4, 2, 3, 3)) cos(T(3)) cosh(T(3))
count_nonzero(I(2, 3)) count_nonzero(I(2, 3),1) cross(T(2, 3),T(2, 3)) cummax(T(2, 3),1) cummin(T(2, 3),0)
cumprod(T(2, 3),1) cumsum(T(2, 3),0) diag(T(3),1) diag(T(3, 3)) diff(T(2, 4)) div(T(3),P(3),rounding_mode="floor")
divide(T(3),P(3)) dot(T(3),T(3)) dstack((T(3),T(3))) einsum("ij,jk->ik",T(2, 3),T(3, 4)) eq(I(4),I(4))
equal(T(3),T(3)) erf(T(3)) erfc(T(3)) erfinv(U(3)) exp(T(3)) exp2(T(3)) expm1(T(3)) eye(2,3) fix(T(3)*3)
flatten(T(2, 3, 4),1) flip(T(2, 3),(0,)) float_power(P(3),2) floor(T(3)) floor_divide(T(3),P(3)) fmod(T(3),P(3))
frac(T(3)*3) full((2,),1.5) full_like(T(3),2) gather(T(2, 3),1,D([[0,2],[1,1]],np.int64)) gcd(I(4),I(4))
greater(T(3),T(3)) greater_equal(T(3),T(3)) gt(T(3),0) histc(T(20),5) hstack((T(2),T(3)))
index_add(T(3, 2),0,D([0,2],np.int64),T(2, 2),alpha=2) index_select(T(2, 3),1,D([0,2],np.int64)) inverse(T(3, 3))
isclose(T(3),T(3)) isfinite(D([1.,np.inf])) isinf(D([1.,np.inf])) isnan(D([1.,np.nan])) isneginf(D([1.,-np.inf]))
kthvalue(T(2, 5),2) le(T(3),T(3)) lerp(T(3),T(3),0.3) less(T(3),0) less_equal(T(3),0) linspace(0,1,5) log(P(3))
log10(P(3)) log1p(P(3)) log2(P(3)) logaddexp(T(3),T(3)) logaddexp2(T(3),T(3)) logical_and(B(4),B(4)) logical_not(B(4))
logical_or(B(4),B(4)) logical_xor(B(4),B(4)) logsumexp(T(2, 3),1) lt(T(3),0) masked_select(T(4),D([1,0,1,1],bool))
matmul(T(2, 3),T(3, 2)) max(T(2, 3)) max(T(2, 3),1) max(T(3),T(3)) maximum(D([1.0,np.nan]),T(2)) mean(T(2, 3))
mean(T(2, 3),1,True) median(T(2, 3)) median(T(2, 3),1) meshgrid(T(2),T(3),indexing="ij") min(T(2, 3))
min(T(2, 3),dim=0) min(T(3),T(3)) minimum(T(3),T(3)) mm(T(2, 3),T(3, 2)) mul(T(3),2) mv(T(2, 3),T(3))
nan_to_num(D([1.,np.nan,np.inf])) nansum(D([1.,np.nan])) narrow(T(4, 3),0,1,2) ne(I(4),0) neg(T(3)) negative(T(3))
nonzero(D([1,0,2])) norm(T(2, 3)) norm(T(2, 3),1,1) not_equal(I(4),1) ones((2, 3)) ones_like(I(3)) outer(T(2),T(3))
permute(T(2, 3, 4),(2, 0, 1)) polar(P(3),T(3)) pow(P(3),1.5) prod(T(2, 3)) prod(T(2, 3),1) ravel(T(2, 3))
reciprocal(P(3)) remainder(T(3),P(3)) repeat_interleave(T(2, 2),2,1) repeat_interleave(T(3),2) reshape(T(2, 3),(3, 2))
roll(T(2, 3),1,0) round(T(3)*3) round(T(3)*3,decimals=1) rsqrt(P(3)) scatter(T(2, 3),1,D([[0],[2]],np.int64),T(2, 1))
scatter_add(T(2, 3),1,D([[0],[2]],np.int64),T(2, 1)) searchsorted(D([1.,2.,3.]),D([2.,0.])) select(T(2, 3),1,2)
select(T(2, 3),0,-1) sign(T(3)) sin(T(3)) sinc(T(3)) sinh(T(3)) softmax(T(2, 3),1) sort(T(2, 3))
sort(T(2, 3),dim=0,descending=True) split(T(5, 2),2) sqrt(P(3)) square(T(3)) squeeze(T(2, 1, 3),1)
stack((T(3),T(3)),1) std(T(2, 3)) std(T(2, 3),1,correction=0) std_mean(T(2, 3),1) sub(T(3),T(3),alpha=2) sum(T(2, 3))
sum(T(2, 3),1,True) sum(I(3)) swapaxes(T(2, 3),0,1) t(T(2, 3)) take(T(2, 3),D([0,4],np.int64)) tan(T(3)) tanh(T(3))
tile(T(2),(2, 2)) topk(T(2, 5),2) topk(T(2, 5),2,largest=False) trace(T(3, 3)) transpose(T(2, 3, 4),0,2)
triangular_solve(T(3, 2),T(3, 3)+3*D(np.eye(3)))
triangular_solve(T(3, 2),T(3, 3)+3*D(np.eye(3)),upper=False,transpose=True) tril(T(3, 3)) triu(T(3, 3),1)
trunc(T(3)*3) unbind(T(2, 3),1) unique(D([2,1,2],np.int64))
unique(D([2,1,2],np.int64),return_inverse=True,return_counts=True) unique(D([[1,2],[1,2]],np.int64),dim=0)
unique_consecutive(D([1,1,2],np.int64)) unsqueeze(T(3),0) var(T(2, 3)) var_mean(T(2, 3),1,correction=0)
where(B(3),T(3),T(3)) xlogy(T(3),P(3)) zeros((2, 3)) zeros_like(T(3)) linalg.inv(T(3, 3)) linalg.matrix_norm(T(2, 3))
linalg.matrix_norm(T(2, 3),1,keepdim=True) linalg.norm(T(2, 3)) linalg.norm(T(2, 3),1,1) linalg.qr(T(4, 2))
linalg.vector_norm(T(2, 3),3,1) special.erfc(T(3)) special.exp2(T(3)) special.expm1(T(3)) special.log1p(P(3))
special.log_softmax(T(2, 3),1) special.round(T(3)) special.sinc(T(3))
"""

# Names that draw, leave values open or that torch has not: what each must give instead.
SHAPES = """
empty(2, 3) empty_like(T(2, 3)) rand(2, 3) rand_like(T(2, 3)) randn(2, 3) randn_like(T(2, 3)) randint(0, 5, (2, 3))
randint(5, (2, 3)) randint_like(T(2, 3), 5) normal(0.0, 1.0, (2, 3)) normal(T(2, 3), P(2, 3)) bernoulli(U(2, 3))
multinomial(U(2, 5), 3) multinomial(U(2, 2), 3, True)
"""

FUNCTIONAL = """
adaptive_avg_pool1d(T(1, 2, 6),3) adaptive_avg_pool2d(T(1, 2, 6, 6),(3, 2)) adaptive_avg_pool3d(T(1, 2, 4, 4, 4),2)
adaptive_max_pool1d(T(1, 2, 6),3) adaptive_max_pool1d(T(1, 2, 6),3,True) adaptive_max_pool2d(T(1, 2, 6, 6),3)
avg_pool1d(T(1, 2, 7),3,2,1) avg_pool2d(T(1, 2, 7, 7),3,2,1,True,False) avg_pool2d(T(1, 2, 7, 7),3,2,1,True)
avg_pool2d(T(2, 6, 6),2,divisor_override=3) avg_pool3d(T(1, 2, 4, 4, 4),2)
batch_norm(T(2, 3, 4),D([0.,1.,2.]),P(3),T(3),T(3)) batch_norm(T(2, 3, 4),None,None,training=True)
binary_cross_entropy(U(4),U(4)) binary_cross_entropy_with_logits(T(4),U(4),pos_weight=P(4))
conv1d(T(1, 4, 7),T(6, 2, 3),T(6),2,1,1,2) conv2d(T(2, 5, 5),T(4, 2, 3, 3),None,1,(1, 2))
conv2d(T(1, 2, 5, 5),T(4, 2, 3, 3),padding="same") conv3d(T(1, 2, 4, 4, 4),T(3, 2, 2, 2, 2))
conv_transpose2d(T(1, 4, 3, 3),T(4, 2, 3, 3),None,2,1,1) cross_entropy(T(3, 5),D([1,0,4],np.int64))
cross_entropy(T(3, 5),D([1,-100,4],np.int64),label_smoothing=0.1) dropout(T(3),0.5,False)
dropout2d(T(1, 2, 3, 3),0.5,False) elu(T(4),0.5) elu_(T(4)) embedding(D([0,2],np.int64),T(3, 4)) flatten(T(2, 3, 4))
fold(T(1, 8, 4),(3, 3),2) gelu(T(4)) gelu(T(4),approximate="tanh") glu(T(2, 4))
grid_sample(T(1, 2, 3, 3),U(1, 2, 2, 2)) group_norm(T(2, 4, 3),2,T(4),T(4)) hardshrink(T(4)) hardsigmoid(T(4))
hardswish(T(4)) hardtanh(T(4)) hardtanh_(T(4)) interpolate(T(1, 2, 3, 3),scale_factor=2)
interpolate(T(1, 2, 3, 3),size=(5, 4),mode="bilinear") kl_div(T(3, 4),U(3, 4))
kl_div(T(3, 4),T(3, 4),reduction="batchmean",log_target=True) l1_loss(T(3),T(3)) layer_norm(T(2, 3),(3,),T(3),T(3))
leaky_relu(T(4)) linear(T(2, 3),T(4, 3),T(4)) log_softmax(T(2, 3),1) logsigmoid(T(4)) max_pool2d(T(1, 2, 6, 6),3,2,1)
max_pool2d(T(1, 2, 6, 6),2,return_indices=True) max_unpool2d(D([[[[5.]]]]),D([[[[3]]]],np.int64),2) mish(T(4))
mse_loss(T(3),T(3),reduction="sum") nll_loss(T(3, 5),D([1,0,4],np.int64),reduction="none") normalize(T(2, 3))
normalize(T(2, 3),1.0,0) one_hot(D([0,2],np.int64)) one_hot(D([0,2],np.int64),4) pad(T(2, 3),(1, 2))
pad(T(2, 3),(1, -1, 0, 1),value=2.0) pad(T(1, 2, 4),(2, 1),"reflect") pad(T(1, 2, 4),(2, 1),"replicate")
pad(T(1, 2, 4),(2, 1),"circular") pixel_shuffle(T(1, 4, 2, 2),2) prelu(T(2, 3),P(1)) relu(T(4)) relu6(T(4)*9)
relu_(T(4)) selu(T(4)) sigmoid(T(4)) silu(T(4)) smooth_l1_loss(T(4),T(4),beta=0.5)
soft_margin_loss(T(4),D([1.,-1.,1.,1.])) softmax(T(2, 3),1) softplus(T(4)) softshrink(T(4)) tanh(T(4))
threshold(T(4),0.1,5.0) threshold_(T(4),0.1,5.0) unfold(T(1, 2, 4, 4),2) upsample(T(1, 2, 3, 3),scale_factor=2)
"""

LAYERS = """
AdaptiveAvgPool1d(3)|T(1, 2, 6) AdaptiveAvgPool2d(3)|T(1, 2, 6, 6) AdaptiveAvgPool3d(2)|T(1, 2, 4, 4, 4)
AdaptiveMaxPool1d(3)|T(1, 2, 6) AdaptiveMaxPool2d(3)|T(1, 2, 6, 6) AvgPool1d(2)|T(1, 2, 6)
AvgPool2d(3,1,1)|T(1, 2, 6, 6) AvgPool3d(2)|T(1, 2, 4, 4, 4) BCELoss()|U(3),U(3) BCEWithLogitsLoss()|T(3),U(3)
BatchNorm1d(3)|T(4, 3) BatchNorm2d(3)|T(2, 3, 4, 4) BatchNorm3d(2,affine=False)|T(2, 2, 2, 2, 2)
ConstantPad1d(1,2.0)|T(1, 2, 3) ConstantPad2d(1,2.0)|T(1, 2, 3, 3) ConstantPad3d(1,2.0)|T(1, 2, 3, 3, 3)
Conv1d(2,4,3,padding=1,padding_mode="circular")|T(1, 2, 6) Conv2d(2,4,3,2,1)|T(1, 2, 6, 6)
Conv2d(2,4,3,padding="same",padding_mode="reflect")|T(1, 2, 6, 6) Conv3d(2,4,2,groups=2)|T(1, 2, 4, 4, 4)
ConvTranspose2d(2,4,3,2,1,1)|T(1, 2, 4, 4) CrossEntropyLoss()|T(3, 5),D([1,0,4],np.int64) Dropout(0.0)|T(3)
Dropout2d(0.0)|T(1, 2, 3, 3) ELU()|T(4) Embedding(5,3)|D([0,4],np.int64) Flatten()|T(2, 3, 4)
Fold((3, 3),2)|T(1, 8, 4) GELU()|T(4) GLU()|T(2, 4) GroupNorm(2,4)|T(2, 4, 3) Hardshrink()|T(4) Hardsigmoid()|T(4)
Hardswish()|T(4) Hardtanh()|T(4) Identity(1,a=2)|T(3) KLDivLoss()|T(3, 4),U(3, 4) L1Loss()|T(3),T(3)
LayerNorm(3)|T(2, 3) LayerNorm((2, 3),bias=False)|T(2, 2, 3) Linear(3,4)|T(2, 3) LogSigmoid()|T(4)
LogSoftmax(1)|T(2, 3) MSELoss()|T(3),T(3) MaxUnpool2d(2)|D([[[[5.]]]]),D([[[[3]]]],np.int64) Mish()|T(4)
MaxPool2d(2)|T(1, 2, 6, 6)
NLLLoss()|T(3, 5),D([1,0,4],np.int64) PReLU()|T(2, 3) PixelShuffle(2)|T(1, 4, 2, 2) ReLU()|T(4) ReLU6()|T(4)
ReflectionPad1d(1)|T(1, 2, 4) ReflectionPad2d(1)|T(1, 2, 4, 4) ReflectionPad3d(1)|T(1, 2, 4, 4, 4)
ReplicationPad1d(1)|T(1, 2, 4) ReplicationPad2d(1)|T(1, 2, 4, 4) ReplicationPad3d(1)|T(1, 2, 4, 4, 4) SELU()|T(4)
SiLU()|T(4) Sigmoid()|T(4) SmoothL1Loss(beta=0.5)|T(3),T(3) SoftMarginLoss()|T(3),D([1.,-1.,1.]) Softmax(1)|T(2, 3)
Softshrink()|T(4) Tanh()|T(4) Threshold(0.1,5.0)|T(4) Unfold(2)|T(1, 2, 4, 4) Upsample(scale_factor=2)|T(1, 2, 3, 3)
UpsamplingBilinear2d(scale_factor=2)|T(1, 2, 3, 3) UpsamplingNearest2d(scale_factor=2)|T(1, 2, 3, 3)
ZeroPad1d(1)|T(1, 2, 3) ZeroPad2d(1)|T(1, 2, 3, 3) ZeroPad3d(1)|T(1, 2, 3, 3, 3)
"""


def calls(text: str) -> list[str]:
    """Return the calls of a table: blanks part them where no bracket is open."""
    found, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c.isspace() and depth == 0:
            found.append(text[start:i])
            start = i + 1
    return [c.strip() for c in found if c.strip()]
