"""What services that track runs are told, by a stand-in for their packages."""

import sys
from typing import Any

import pytest
from tracked_runs import WANTED
from training import model, rows

from sporax import nn, train
from sporax._src.train.callbacks.tracking import rate_of


class Service:
    """Stands for `wandb` and `mlflow`: notes what is called."""

    def __init__(self, is_open: bool = False) -> None:
        self.calls: list[Any] = []
        self.run = self if is_open else None

    def init(self, **options: Any) -> Any:
        self.calls.append(("begin", options))
        self.run = self
        return self

    start_run = init

    def active_run(self) -> Any:
        return self.run

    def log(self, values: dict[str, float], step: int) -> None:
        assert all(type(value) in (int, float) for value in values.values())
        self.calls.append((set(values), step))

    log_metrics = log

    def log_params(self, params: dict[str, Any]) -> None:
        self.calls.append(("params", params))

    def finish(self, exit_code: int) -> None:
        self.calls.append(("end", exit_code))

    def end_run(self, status: str) -> None:
        self.calls.append(("end", status))


KINDS = {"wandb": (train.WandbCallback, 0, 1), "mlflow": (train.MLflowCallback, "FINISHED", "FAILED")}


@pytest.mark.parametrize("name", KINDS)
def test_what_a_service_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, ended, _ = KINDS[name]
    monkeypatch.setitem(sys.modules, name, service := Service())
    model({"mae"}).fit(2, rows(), rows(), callbacks=kind(3, tags=["a"]))
    assert service.calls == [("begin", {"tags": ["a"]}), *WANTED, ("end", ended)]


@pytest.mark.parametrize("name", KINDS)
def test_a_run_that_is_open_is_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, *_ = KINDS[name]
    monkeypatch.setitem(sys.modules, name, service := Service(is_open=True))
    model({"mae"}).eval(rows(), callbacks=kind())
    assert service.calls == [({"eval/mae"}, 0)]


@pytest.mark.parametrize("name", KINDS)
def test_a_run_that_fails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, _, failed = KINDS[name]
    monkeypatch.setitem(sys.modules, name, service := Service())
    stop = train.LambdaCallback(on_train_step_end=lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model().train(1, rows(), callbacks=[kind(), stop])
    assert service.calls[-1] == ("end", failed)


def test_parameters_and_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", service := Service())
    seen: list[float] = []
    monkeypatch.setattr(
        service, "log_metrics", lambda values, step: seen.append(values["learning_rate"]), raising=False
    )
    model(rate=[0.1, 0.2, 0.3, 0.4]).train(1, rows(), callbacks=train.MLflowCallback(1, params={"batch": 2}))
    assert service.calls[1] == ("params", {"batch": 2}) and seen == pytest.approx([0.1, 0.2, 0.3, 0.4])
    net = nn.Dense(3, 1)
    groups = [{"params": [net.weight], "lr": 0.1}, {"params": [net.bias]}]
    assert train.Model(net, nn.MSELoss(), nn.SGD(groups, 0.2)) is not None
    assert rate_of(nn.SGD(groups, 0.2)) is None and rate_of(None) is None


@pytest.mark.parametrize("name", KINDS)
def test_what_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, *_ = KINDS[name]
    for bad, error, text in (
        (0, ValueError, "every must be >= 1, got 0"),
        ("a", TypeError, "every must be an int, got 'a'"),
    ):
        with pytest.raises(error, match=f"{kind.__name__}: {text}"):
            kind(bad)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(RuntimeError, match=rf"{kind.__name__} needs the package {name} \(pip install {name}\)"):
        model().train(1, rows(), callbacks=kind())
