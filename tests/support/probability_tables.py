"""The tables that test every distribution and bijector, and the rows of them that belong to one module."""

import functools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from by_module import cases_of
from scipy import stats

import sporax as ms
from sporax import Tensor
from sporax._src.base.public_names import defined_in
from sporax.nn.probability import bijector as msb
from sporax.nn.probability import distribution as msd

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens" / "probability.json").read_text(encoding="utf-8"))
NAMES = {"ms": ms, "np": np, "msd": msd, "msb": msb, "Tensor": Tensor}
# MindSpore takes log(1 - cdf) where it has the cdf, and pow(1 - p, k): both lose digits in float32.
TOLERANCE = 6e-6


@functools.cache
def named() -> dict[str, Any]:
    names = dict(NAMES)
    for name, text in GOLDENS["make"].items():
        names[name] = eval(text, names)
    return names


def assert_described(got: Any, expected: Any) -> None:
    if not isinstance(got, Tensor):
        assert str(got) == expected
        return
    dtype, shape, elements = expected
    assert (str(got.dtype).lower(), list(got.shape)) == (dtype, shape)
    tolerance = 2e-3 if dtype == "float16" else TOLERANCE
    np.testing.assert_allclose(got.asnumpy().ravel(), elements, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("text", sorted(GOLDENS["values"]))
def test_values_are_mindspores(text: str) -> None:
    assert_described(eval(text, named()), GOLDENS["values"][text])


@pytest.mark.parametrize("text", sorted(GOLDENS["gradients"]))
def test_gradients_are_mindspores(text: str) -> None:
    gradient = ms.grad(lambda v: eval(text, {**named(), "v": v}).astype(ms.float32).sum())(named()["v"])
    assert_described(gradient, GOLDENS["gradients"][text])


@pytest.mark.parametrize("text", sorted(GOLDENS["errors"]))
def test_errors_are_mindspores(text: str) -> None:
    with pytest.raises(Exception) as caught:
        eval(text, named())
    assert type(caught.value).__name__ == GOLDENS["errors"][text]


P = np.array([0.2, 0.5, 0.7])
CASES = {
    "Normal": (msd.Normal(0.5, 2.0), stats.norm(0.5, 2.0)),
    "Logistic": (msd.Logistic(0.5, 2.0), stats.logistic(0.5, 2.0)),
    "Cauchy": (msd.Cauchy(0.5, 2.0), stats.cauchy(0.5, 2.0)),
    "Laplace": (msd.Laplace(0.5, 2.0), stats.laplace(0.5, 2.0)),
    "HalfNormal": (msd.HalfNormal(0.0, 2.0), stats.halfnorm(0.0, 2.0)),
    "StudentT": (msd.StudentT(3.0, 0.5, 2.0), stats.t(3.0, 0.5, 2.0)),
    "Exponential": (msd.Exponential(2.0), stats.expon(scale=0.5)),
    "Gamma": (msd.Gamma([2.0], [3.0]), stats.gamma(2.0, scale=1 / 3)),
    "Beta": (msd.Beta([2.0], [3.0]), stats.beta(2.0, 3.0)),
    "Uniform": (msd.Uniform(-1.0, 2.0), stats.uniform(-1.0, 3.0)),
    "LogNormal": (msd.LogNormal(0.5, 0.75), stats.lognorm(0.75, scale=np.exp(0.5))),
    "Gumbel": (msd.Gumbel(0.5, 2.0), stats.gumbel_r(0.5, 2.0)),
    "Bernoulli": (msd.Bernoulli(P.tolist()), stats.bernoulli(P)),
    "Geometric": (msd.Geometric(P.tolist()), stats.geom(P, loc=-1)),
    "Poisson": (msd.Poisson([0.5, 2.0, 4.0]), stats.poisson([0.5, 2.0, 4.0])),
}
DISCRETE = ("Bernoulli", "Geometric", "Poisson")
SCIPY = {
    "log_prob": "logpdf", "prob": "pdf", "cdf": "cdf", "log_cdf": "logcdf", "survival_function": "sf",
    "log_survival": "logsf",
}  # fmt: skip
OF_NONE = {"mean": "mean", "sd": "std", "var": "var", "entropy": "entropy"}


def quantity(dist: Any, name: str, *args: Any) -> np.ndarray | None:
    try:
        return getattr(dist, name)(*args).asnumpy()
    except NotImplementedError:
        return None


@pytest.mark.parametrize("name", sorted(CASES))
def test_against_scipy(name: str) -> None:
    dist, reference = CASES[name]
    values = np.array([[0.0, 1.0, 2.0]]).T if name in DISCRETE else np.array([0.1, 0.3, 0.9])
    for ours, theirs in SCIPY.items():
        theirs = theirs.replace("pdf", "pmf") if name in DISCRETE else theirs
        got = quantity(dist, ours, Tensor(values, ms.float32))
        if got is not None:
            with np.errstate(divide="ignore"):
                expected = getattr(reference, theirs)(values)
            # Bernoulli's value 2 is outside; MindSpore's formula does not look at that
            inside = slice(0, 2) if name == "Bernoulli" else slice(None)
            np.testing.assert_allclose(got[inside], expected[inside], rtol=2e-5, atol=2e-6, err_msg=ours)
    for ours, theirs in OF_NONE.items():
        if name == "Cauchy" and ours != "entropy":
            continue
        got = quantity(dist, ours)
        if got is not None:
            expected = np.broadcast_to(getattr(reference, theirs)(), got.shape)
            np.testing.assert_allclose(got, expected, rtol=1e-5, err_msg=ours)


TORCH = torch.distributions
DIVERGENCES = {
    "Normal": (msd.Normal(0.5, 2.0), (1.0, 3.0), TORCH.Normal),
    "Cauchy": (msd.Cauchy(0.5, 2.0), (1.0, 3.0), TORCH.Cauchy),
    "Gamma": (msd.Gamma([0.5], [2.0]), (1.0, 3.0), TORCH.Gamma),
    "Beta": (msd.Beta([0.5], [2.0]), (1.0, 3.0), TORCH.Beta),
    "Uniform": (msd.Uniform(0.5, 2.0), (0.0, 3.0), TORCH.Uniform),
    "Gumbel": (msd.Gumbel(0.5, 2.0), (1.0, 3.0), TORCH.Gumbel),
    "LogNormal": (msd.LogNormal(0.5, 2.0), (1.0, 3.0), TORCH.LogNormal),
    "Exponential": (msd.Exponential(0.5), (2.0,), TORCH.Exponential),
    "Bernoulli": (msd.Bernoulli(0.25), (0.5,), TORCH.Bernoulli),
    "Geometric": (msd.Geometric(0.25), (0.5,), TORCH.Geometric),
    "Categorical": (msd.Categorical([0.25, 0.75]), ([0.5, 0.5],), TORCH.Categorical),
}


@pytest.mark.parametrize("name", sorted(DIVERGENCES))
def test_divergence_against_torch(name: str, mode: int) -> None:
    dist, other, kind = DIVERGENCES[name]
    b = [Tensor(x, ms.float32) for x in other]
    own = kind(*[torch.tensor(x.asnumpy()) for x in dist.get_dist_args()])
    expected = TORCH.kl_divergence(own, kind(*[torch.tensor(x) for x in other])).numpy()
    np.testing.assert_allclose(dist.kl_loss(name, *b).asnumpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(dist.cross_entropy(name, *b).asnumpy(), expected + dist.entropy().asnumpy(), rtol=1e-5)
    if name == "Uniform":
        assert np.isinf(dist.kl_loss(name, Tensor(1.0), Tensor(3.0)).asnumpy())


@pytest.mark.parametrize("name", sorted(CASES))
def test_samples_follow_their_distribution(name: str) -> None:
    dist, reference = CASES[name]
    if name in ("Laplace", "HalfNormal", "StudentT"):
        with pytest.raises(NotImplementedError, match=f"sample is not implemented for {name} distribution"):
            dist.sample()
        return
    draws = dist.sample((4000,)).asnumpy()
    assert draws.shape == (4000, *dist.broadcast_shape)
    if name in DISCRETE:
        error = 5 * np.asarray(reference.std()) / np.sqrt(4000)  # five standard errors
        assert (np.abs(draws.mean(0) - reference.mean()) < error).all()
        assert (draws == np.round(draws)).all() and draws.min() >= 0
    else:
        # the seed of the tests is fixed; a right sampler fails one seed in a thousand
        assert stats.kstest(draws.ravel().astype(np.float64), reference.cdf).pvalue > 1e-3


@pytest.mark.parametrize("name", sorted(CASES))
def test_graph_mode_is_the_same(name: str) -> None:
    dist, _ = CASES[name]
    values = Tensor([0.0, 1.0, 1.0] if name in DISCRETE else [0.1, 0.3, 0.9], ms.float32)

    @ms.jit
    def compiled(x: Tensor) -> tuple[Tensor, Tensor]:
        return dist("log_prob", x), dist.prob(x)

    for got, eager in zip(compiled(values), (dist.log_prob(values), dist.prob(values)), strict=True):
        np.testing.assert_allclose(got.asnumpy(), eager.asnumpy(), rtol=1e-5, atol=2e-6)  # one fused program


@pytest.mark.parametrize(
    "bijector",
    [msb.Exp(), msb.PowerTransform(0.5), msb.ScalarAffine(-2.0, 1.0), msb.Softplus(2.0), msb.GumbelCDF(0.5, 2.0),
     msb.Invert(msb.Softplus())],
    ids=lambda b: b.name,
)  # fmt: skip
def test_laws_of_bijectors(bijector: Any, mode: int) -> None:
    x = Tensor([0.25, 0.5, 1.5])
    y = bijector.forward(x)
    np.testing.assert_allclose(bijector.inverse(y).asnumpy(), x.asnumpy(), rtol=1e-5)
    slope = ms.grad(lambda v: bijector.forward(v).sum())(x).asnumpy()
    forward, inverse = bijector.forward_log_jacobian(x).asnumpy(), bijector.inverse_log_jacobian(y).asnumpy()
    np.testing.assert_allclose(np.broadcast_to(forward, slope.shape), np.log(np.abs(slope)), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(inverse, -forward, rtol=1e-4, atol=1e-6)


def module_of(row: Any) -> str:
    """Return the module that defines what a row is about: a name, an object, or an expression that begins with one."""
    kind = row if not isinstance(row, str) else _kind(*re.match(r"(?:\(|str\()?(?:ms[db]\.)?(\w+)", row).groups())  # type: ignore[union-attr]
    return defined_in(kind if isinstance(kind, type) else type(kind))


def _kind(name: str) -> Any:
    kind = {**vars(msd), **vars(msb)}.get(name)
    return kind if isinstance(kind, type) else named()[name]  # `normal` is a module once a program has imported it


TABLES = [
    (test, module_of)
    for test in (
        test_values_are_mindspores,
        test_gradients_are_mindspores,
        test_errors_are_mindspores,
        test_against_scipy,
        test_divergence_against_torch,
        test_samples_follow_their_distribution,
        test_graph_mode_is_the_same,
        test_laws_of_bijectors,
    )
]


def distributions_of(*modules: str) -> type:
    """Return the tests of the distributions and bijectors that these modules define, a method for each table."""
    return cases_of(modules, TABLES)
