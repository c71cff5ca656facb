"""A recorded run of a torch module, which is left as it was found."""

import numpy as np
import pytest
import torch
from compared_networks import CLASSES, MLP, ROWS, Tagger

from sporax._src.migrate.compare.torch_recorder import TorchRecorder


def test_layers_leave_inputs_outputs_and_gradients() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU())
    recording = TorchRecorder(net).record([ROWS])
    calls = recording.about["passes"]["forward"]
    assert [(c["path"], c["depth"], c["inputs"], c["outputs"]) for c in calls] == [
        ("0", 1, ["float32"], ["float32"]), ("1", 1, ["float32"], ["float32"]), ("", 0, ["float32"], ["float32"])
    ]  # fmt: skip
    np.testing.assert_array_equal(recording.arrays["forward/0/inputs/0"], ROWS)
    np.testing.assert_array_equal(recording.arrays["forward/1/outputs/0"], net(torch.from_numpy(ROWS)).detach().numpy())
    weight, bias = (recording.arrays[f"gradient/0.{name}"] for name in ("weight", "bias"))
    inner = recording.arrays["forward/0/gradients/0"]
    np.testing.assert_allclose(weight, inner.T @ ROWS, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(bias, inner.sum(0), rtol=1e-5, atol=1e-6)


def test_modes_gradients_and_weights_are_left_as_they_were() -> None:
    net = MLP()
    net.output.eval()
    net.hidden.weight.grad = torch.ones(8, 6)
    before = {name: value.clone() for name, value in net.state_dict().items()}
    recorder = TorchRecorder(net)
    optimizer = torch.optim.Adam(net.parameters())
    recording = recorder.record([ROWS, CLASSES], torch.nn.CrossEntropyLoss(), optimizer)
    assert net.training and net.hidden.training and not net.output.training
    assert torch.equal(net.hidden.weight.grad, torch.ones(8, 6)) and net.output.weight.grad is None
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())
    assert optimizer.state_dict()["state"] == {}
    assert recording.about["optimizer"]["kind"] == "Adam" and recording.arrays["loss"].shape == ()
    assert not np.array_equal(recording.arrays["update/hidden.weight"], before["hidden.weight"].numpy())


def test_normalisations_run_in_training_mode_once_more() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5))
    recording = TorchRecorder(net).record([ROWS])
    assert [*recording.about["passes"]] == ["forward", "training"]
    assert not any(call["random"] for run in recording.about["passes"].values() for call in run)
    moved = recording.arrays["state after/1.running_mean"]
    np.testing.assert_allclose(moved, 0.1 * recording.arrays["training/0/outputs/0"].mean(0), rtol=1e-5, atol=1e-7)
    assert not net[1].running_mean.any()


def test_outputs_that_change_from_run_to_run_are_noted() -> None:
    class Noisy(torch.nn.Module):
        def forward(self, x):
            return x + torch.rand(5, 6)

    (call,) = TorchRecorder(Noisy()).record([ROWS]).about["passes"]["forward"]
    assert call["random"]


@pytest.mark.parametrize(
    ("dtype", "name"), [(torch.bfloat16, "bfloat16"), (torch.float16, "float16"), (torch.int64, "int64")]
)
def test_values_of_short_floats_are_wide(dtype: torch.dtype, name: str) -> None:
    array, shown = TorchRecorder(Tagger()).array(torch.tensor([1, 2], dtype=dtype))
    assert shown == name and array.dtype == ("int64" if dtype is torch.int64 else "float32")
    assert array.tolist() == [1, 2]


class _LastState(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = torch.nn.LSTM(6, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.lstm(x)[1][0]


def test_outputs_that_the_loss_does_not_depend_on_have_gradients_of_zero() -> None:
    arrays = TorchRecorder(_LastState()).record([ROWS[:, None]]).arrays
    assert not arrays["forward/0/gradients/0"].any()
    assert arrays["forward/0/gradients/1"].any()
