"""Distributions and bijectors: what their methods return, gradients by the value, texts, types of errors."""

from pathlib import Path
from typing import Any

import mindspore as ms
import mindspore.nn.probability.bijector as msb
import mindspore.nn.probability.distribution as msd
import numpy as np
from mindspore import Tensor

from .common import attempt, dtype_name, set_mode, to_numpy, write_json

MAKE = {
    "v": "Tensor([0.3, 0.6, 0.9], ms.float32)",
    "k": "Tensor([-1, 0, 1, 2], ms.int32)",
    "a": "Tensor([0.4, 0.5, 0.7], ms.float32)",
    "b": "Tensor([1.5, 2.0, 3.0], ms.float32)",
    "normal": "msd.Normal(0.5, [1.0, 2.0, 4.0])",
    "half": "msd.HalfNormal(0.0, 2.0)",
    "laplace": "msd.Laplace(0.5, 2.0)",
    "logistic": "msd.Logistic(0.5, [1.0, 2.0, 4.0])",
    "cauchy": "msd.Cauchy(0.5, [1.0, 2.0, 4.0])",
    "student": "msd.StudentT(3.0, 0.5, 2.0)",
    "exponential": "msd.Exponential([1.0, 2.0, 4.0])",
    "gamma": "msd.Gamma([0.5, 2.0, 4.0], [1.0, 2.0, 3.0])",
    "beta": "msd.Beta([0.5, 2.0, 4.0], [1.5, 2.0, 3.0])",
    "uniform": "msd.Uniform(0.5, [1.0, 0.8, 4.0])",
    "bernoulli": "msd.Bernoulli([0.2, 0.5, 0.7])",
    "geometric": "msd.Geometric([0.2, 0.5, 0.7])",
    "poisson": "msd.Poisson([0.5, 2.0, 4.5])",
    "categorical": "msd.Categorical([0.2, 0.3, 0.5])",
    "rows": "msd.Categorical(Tensor([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]], ms.float32))",
    "lognormal": "msd.LogNormal(0.5, [1.0, 0.5, 0.8])",
    "gumbel": "msd.Gumbel(0.5, [1.0, 2.0, 4.0])",
    "affine": "msd.TransformedDistribution(msb.ScalarAffine(2.0, 1.0), msd.Normal(0.5, 1.5))",
    "power": "msb.PowerTransform(0.5)",
    "softplus": "msb.Softplus(2.0)",
}
LINE = "normal half laplace logistic cauchy student exponential gamma beta uniform lognormal gumbel affine".split()
COUNTS = "bernoulli geometric poisson categorical".split()
OF_VALUE = "prob log_prob cdf log_cdf survival_function log_survival".split()
OF_NONE = "mean mode sd var entropy".split()
PAIRS = {
    "normal": "a, b", "cauchy": "a, b", "gamma": "a, b", "beta": "a, b", "uniform": "a, b", "lognormal": "a, b",
    "gumbel": "a, b", "exponential": "b", "bernoulli": "a", "geometric": "a", "categorical": "Tensor([0.1, 0.3, 0.6], ms.float32)",
}  # fmt: skip
KINDS = {"lognormal": "LogNormal"}
BIJECTORS = (
    "msb.Exp() power msb.PowerTransform(0.0) msb.ScalarAffine(2.0,1.0) softplus msb.GumbelCDF(0.5,2.0) msb.Invert(softplus)"
).split()
DIRECTIONS = "forward inverse forward_log_jacobian inverse_log_jacobian".split()
VALUES = [
    *[f"{d}.{m}(v)" for d in LINE for m in OF_VALUE],
    *[f"{d}.{m}({'k' if d == 'categorical' else 'k[1:]'})" for d in COUNTS for m in OF_VALUE],
    *[f"{d}.{m}()" for d in [*LINE, *COUNTS, "rows"] for m in OF_NONE],
    *[f"{d}.{m}({KINDS.get(d, d.title())!r}, {p})" for d, p in PAIRS.items() for m in ("kl_loss", "cross_entropy")],
    *[f"{b}.{d}(v)" for b in BIJECTORS for d in DIRECTIONS],
    *"""msd.Normal().log_prob(v, a, b)
msd.Normal().log_prob(v, sd=b, mean=a)
msd.Normal(0.0).sd(None, b)
msd.Bernoulli().mean(a)
msd.Categorical().log_prob(k, Tensor([0.1, 0.9], ms.float32))
msd.Normal().kl_loss('Normal', a, b, b, a)
rows.log_prob(Tensor([0, 2], ms.int32))
rows.log_prob(Tensor(1, ms.int32))
rows.cdf(Tensor([[0, 2], [1, 1]], ms.int32))
categorical.log_prob(Tensor(1, ms.int32))
msd.Normal(0.0, 1.0, dtype=ms.float16).log_prob(v)
msd.Normal(Tensor(0.0, ms.float16), Tensor(1.0, ms.float16)).mean()
msd.Exponential(2.0).cdf(Tensor([-1.0, 1.0], ms.float32))
normal('prob', v)
msb.Exp()('inverse', v)
msb.Exp()(msd.Normal(0.0, 1.0)).log_prob(v)
normal.sample((2,)).shape
rows.sample((4,)).shape
gumbel.sample((2, 1)).shape
lognormal.sample().shape
str(msd.Bernoulli(0.5).sample((2,)).dtype)
normal.get_dist_type()
normal.get_dist_args(a)[0]
(normal.batch_shape, normal.is_scalar_batch, rows.broadcast_shape, msd.Normal(0.0).batch_shape)
(affine.is_linear_transformation, affine.batch_shape, msb.Invert(softplus).name)
str(normal)
str(msd.Gumbel(0.0, 1.0))
str(msb.ScalarAffine(1.0, 2.0))""".splitlines(),
]
ERRORS = """normal.log_prob(0.5)
normal.log_prob(v, 1.0)
msd.Normal().log_prob(v)
msd.Normal().log_prob(v, a)
normal.kl_loss('Gamma', a, b)
normal.kl_loss(None, a, b)
normal('median', v)
laplace.mean()
poisson.entropy()
logistic.kl_loss('Logistic', a, b)
beta.cdf(v)
cauchy.mean()
cauchy.sd()
cauchy.var()
normal.sample([2])
msd.Normal(0.0, -1.0)
msd.StudentT(0.0, 0.0, 1.0)
msd.Uniform(1.0, 0.0)
msd.Bernoulli(1.0)
msd.Bernoulli(0.0)
msd.Categorical([0.1, 0.1])
msd.Categorical(0.5)
msd.Poisson(1.0)
msd.Gamma(1.0, [1.0])
msd.Beta([1.0], 1.0)
msd.Normal(0.0, 1.0, dtype=ms.int32)
msd.Normal(0.0, 1.0, seed=-1)
msd.Normal(0.0, 1.0, name=3)
msd.Normal(True, 1.0)
msd.Normal('a', 1.0)
msd.Normal(Tensor(0.0, ms.float16), Tensor(1.0, ms.float32))
msb.Exp().forward(k)
msb.Exp().forward(1.0)
msb.PowerTransform(-1.0)
msb.GumbelCDF(0.0, 0.0)
msb.ScalarAffine(1, 0.0)
msb.ScalarAffine(None, 0.0)
msb.Invert(3)
msd.TransformedDistribution(3, normal)
msd.TransformedDistribution(power, 3)
msd.TransformedDistribution(msb.Exp(), normal).mean()""".splitlines()
NAMES: dict[str, Any] = {"ms": ms, "np": np, "msd": msd, "msb": msb, "Tensor": Tensor}


def named() -> dict[str, Any]:
    """Return what expressions may use."""
    names = dict(NAMES)
    for name, text in MAKE.items():
        names[name] = eval(text, names)
    return names


def described(value: Any) -> Any:
    """Return a result as its dtype, shape and elements; what is no Tensor, as its text."""
    if not isinstance(value, Tensor):
        return str(value)
    return [dtype_name(value), list(value.shape), [float(f"{x:.7g}") for x in to_numpy(value).ravel().tolist()]]


def record(out: Path) -> None:
    """Write ``probability.json``."""
    set_mode("pynative")
    names = named()
    values, gradients, errors = {}, {}, {}
    for text in VALUES:
        value, error = attempt(lambda text=text: eval(text, names))
        if error is None:
            values[text] = described(value)
        else:
            errors[text] = error.split(":")[0]
    for text in [t for t in values if "(v" in t and "'" not in t]:
        gradient, error = attempt(
            lambda text=text: ms.grad(lambda v: eval(text, {**names, "v": v}).astype(ms.float32).sum())(names["v"])
        )
        if error is None and not np.isnan(gradient.asnumpy()).all():  # nan: 1 / 0 in a branch that is not taken
            gradients[text] = described(gradient)
    for text in ERRORS:
        _, error = attempt(lambda text=text: eval(text, named()))
        errors[text] = "no error" if error is None else error.split(":")[0]
    write_json(out / "probability.json", {"make": MAKE, "values": values, "gradients": gradients, "errors": errors})
