"""Checkpoints: what MindSpore wrote loads here with equal values, what is written here loads there, and errors say all."""

import json
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn

FOLDER = Path(__file__).parent.parent / "goldens" / "checkpoint"
INDEX = json.loads((FOLDER / "index.json").read_text())
VALUES = np.load(FOLDER / "values.npz")


class Network(nn.Cell):
    """The network whose checkpoints MindSpore wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, has_bias=True)
        self.bn = nn.BatchNorm2d(2)
        self.head = nn.SequentialCell(nn.Flatten(), nn.Dense(32, 3))
        self.tied = nn.Dense(32, 3, has_bias=False)
        self.tied.weight = self.head[1].weight
        self.scale = Parameter(Tensor(2.0, ms.float32))
        self.frozen = Parameter(Tensor([1, 2], ms.int32), requires_grad=False)

    def construct(self, x: Tensor) -> Tensor:
        return self.head(nn.ReLU()(self.bn(self.conv(x)))) * self.scale


def snapshot(cell: nn.Cell) -> dict[str, np.ndarray]:
    """Return all Parameters' values."""
    return {p.name: p.asnumpy().copy() for p in cell.get_parameters()}


def assert_same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> None:
    assert list(a) == list(b)
    for name, value in a.items():
        np.testing.assert_array_equal(value, b[name], err_msg=name)


# --- MindSpore's files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n, entries in INDEX["files"].items() if isinstance(entries, list)])
def test_files_of_mindspore(name: str) -> None:
    """Names, order, dtypes, shapes and bits."""
    found = ms.load_checkpoint(str(FOLDER / name), format=name.rsplit(".", 1)[1])
    assert list(found) == [entry[0] for entry in INDEX["files"][name]]
    for number, (key, dtype, shape) in enumerate(INDEX["files"][name]):
        value = found[key]
        if dtype == "string":
            assert value == shape
            continue
        assert isinstance(value, Parameter) and value.name == key
        assert (str(value.dtype).lower(), list(value.shape)) == (dtype, shape)
        want = VALUES[f"{name}/{number}"]
        got = value.astype(ms.float32).asnumpy() if value.dtype == ms.bfloat16 else value.asnumpy()
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", ["empty.ckpt", "nothing.ckpt"])
def test_files_that_hold_nothing(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}.*it is empty"):
        ms.load_checkpoint(str(FOLDER / name))


@pytest.mark.parametrize("name", ["network.ckpt", "choice.ckpt", "momentum.ckpt"])
@pytest.mark.filterwarnings("ignore:load_param_into_net")
def test_loading_answers(name: str) -> None:
    """The names that were not loaded, and those that were not used, are MindSpore's."""
    got = ms.load_param_into_net(Network(), ms.load_checkpoint(str(FOLDER / name)))
    assert [list(part) for part in got] == INDEX["loading"][name]


def test_selecting_names() -> None:
    path = str(FOLDER / "network.ckpt")
    assert sorted(ms.load_checkpoint(path, filter_prefix="conv")) == INDEX["loading"]["prefix"]
    assert sorted(ms.load_checkpoint(path, specify_prefix="conv")) == INDEX["loading"]["specify_prefix"]
    assert sorted(ms.load_checkpoint(path, specify_prefix=["conv", "bn"], filter_prefix=("bn.moving",))) == [
        "bn.beta", "bn.gamma", "conv.bias", "conv.weight",
    ]  # fmt: skip
    assert list(ms.load_checkpoint(path, choice_func=lambda name: name.endswith("gamma"))) == ["bn.gamma"]
    assert sorted(ms.load_checkpoint(path, Network())) == INDEX["loading"]["into the network"]


def test_names_changed(recwarn: pytest.WarningsRecorder) -> None:
    loaded = ms.load_checkpoint(str(FOLDER / "network.ckpt"))
    loaded["extra"] = loaded.pop("bn.gamma")
    for strict in (False, True):
        got = ms.load_param_into_net(Network(), loaded, strict_load=strict)
        assert [list(part) for part in got] == INDEX["loading"]["one name changed"]
    text = str(recwarn.pop(UserWarning).message)
    assert "missing in the checkpoint: bn.gamma." in text
    assert "In the checkpoint but not in the net: extra." in text


def test_forward_of_a_loaded_network() -> None:
    """The shared weight is one Parameter; both its owners use what was loaded."""
    net = Network()
    ms.load_checkpoint(str(FOLDER / "trained.ckpt"), net)
    number = [e[0] for e in INDEX["files"]["trained.ckpt"]].index("head.1.weight")
    np.testing.assert_array_equal(net.tied.weight.asnumpy(), VALUES[f"trained.ckpt/{number}"])
    assert net.tied.weight is net.head[1].weight


# --- our files ------------------------------------------------------------------------------------------------------


def saved_by_us(path: Path, **options: object) -> None:
    """Save the network and further values, all of them computed exactly everywhere."""
    net = Network()
    for i, p in enumerate(net.get_parameters()):
        p.set_data(Tensor((np.arange(p.size, dtype=np.float32).reshape(p.shape) - i) / 8).astype(p.dtype))
    extra = {"epoch_num": 3, "lr": 0.25, "done": False, "tensor": Tensor([1, 2]), "half": Tensor([0.5], ms.float16)}
    extra["brain"] = Tensor([1.5, -2.0], ms.bfloat16)
    ms.save_checkpoint(net, str(path), append_dict=extra, **options)


def test_files_that_mindspore_has_read(tmp_path: Path) -> None:
    """`sporax.ckpt` was loaded by MindSpore 2.7.0, which found the values in `sporax.json`; we still write those bytes."""
    saved_by_us(tmp_path / "net.ckpt")
    assert (tmp_path / "net.ckpt").read_bytes() == (FOLDER / "sporax.ckpt").read_bytes()
    read = json.loads((FOLDER / "sporax.json").read_text())
    found = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    assert list(found) == list(read)
    for name, (dtype, values) in read.items():
        assert str(found[name].dtype) == dtype
        np.testing.assert_array_equal(found[name].astype(ms.float64).asnumpy(), values)


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_round_trip(format: str, tmp_path: Path) -> None:
    """A Cell, a dict and a list of items or Parameters; the suffix is appended, folders are made."""
    net, path = Network(), tmp_path / "a" / f"net.{format}"
    before = snapshot(net)
    for saved in (net, net.parameters_dict(), list(net.get_parameters()),
                  [{"name": p.name, "data": p} for p in net.get_parameters()]):  # fmt: skip
        path.unlink(missing_ok=True)
        ms.save_checkpoint(saved, str(tmp_path / "a" / "net"), format=format)
        found = {n: p.asnumpy() for n, p in ms.load_checkpoint(str(path), format=format).items()}
        assert sorted(found) == sorted(before)
        assert_same({n: found[n] for n in before}, before)


def test_saving_leaves_nothing_half_written(tmp_path: Path) -> None:
    """An error while saving leaves the file that was there."""
    path = tmp_path / "w.ckpt"
    ms.save_checkpoint({"w": Tensor([1.0])}, str(path))
    before = path.read_bytes()
    with pytest.raises(TypeError, match="the value of 'x' must be a Parameter, Tensor or string, got 3"):
        ms.save_checkpoint({"w": Tensor([2.0]), "x": 3}, str(path))
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["w.ckpt"]


def test_append_dict(tmp_path: Path) -> None:
    """Numbers, bools, strings, Tensors and the Parameters of Cells."""
    path = str(tmp_path / "w.ckpt")
    extra = {
        "epoch": 3,
        "rate": 0.5,
        "flag": True,
        "text": "abc",
        "t": Tensor([1, 2]),
        "n": np.float32([1.0]),
        "_": nn.Dense(1, 1),
    }
    ms.save_checkpoint({"w": Tensor([1.0])}, path, append_dict=extra)
    found = ms.load_checkpoint(path)
    assert list(found) == ["w", "epoch", "rate", "flag", "text", "t", "n", "weight", "bias"]
    assert [str(found[n].dtype) for n in ("epoch", "rate", "flag", "t")] == ["Int64", "Float32", "Bool", "Int64"]
    assert (found["epoch"].item(), found["rate"].item(), found["flag"].item(), found["text"]) == (3, 0.5, True, "abc")


def test_choice_of_what_is_saved(tmp_path: Path) -> None:
    path = str(tmp_path / "w.ckpt")
    ms.save_checkpoint(Network(), path, choice_func=lambda name: name.startswith("conv"))
    assert list(ms.load_checkpoint(path)) == ["conv.weight", "conv.bias"]


def test_crc(tmp_path: Path) -> None:
    """A file with a checksum is checked on demand; one that was changed is refused."""
    path = tmp_path / "w.ckpt"
    ms.save_checkpoint({"w": Tensor([1.0])}, str(path), crc_check=True)
    assert ms.load_checkpoint(str(path), crc_check=True)["w"].item() == 1.0
    data = bytearray(path.read_bytes())
    data[data.index(b"\x80\x3f")] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(ValueError, match=r"(?i)crc|checksum"):
        ms.load_checkpoint(str(path), crc_check=True)


# --- loading into Cells ---------------------------------------------------------------------------------------------


def batches() -> list[tuple[Tensor, Tensor]]:
    rng = np.random.default_rng(1)
    return [(Tensor(rng.random((4, 1, 4, 4), np.float32)), Tensor(np.arange(4, dtype=np.int32) % 3)) for _ in range(4)]


OPTIMIZERS = {
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.01),
    "Adam, schedule": lambda p: nn.Adam(p, nn.ExponentialDecayLR(0.1, 0.5, 2)),
    "Adam, list": lambda p: nn.Adam(p, [0.1, 0.05, 0.02, 0.01], use_amsgrad=True),
    "SGD": lambda p: nn.SGD(p, 0.1, momentum=0.9, nesterov=True),
    "RMSProp": lambda p: nn.RMSProp(p, 0.01, momentum=0.5, centered=True),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizer_state_goes_on_exactly(mode: int, name: str, tmp_path: Path) -> None:
    """Two steps, save, load into fresh Cells, two more: the bits of four steps."""

    def step() -> nn.Cell:
        ms.set_seed(5)
        net = Network()
        loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
        return nn.TrainOneStepCell(loss, OPTIMIZERS[name](net.trainable_params())).set_train()

    whole, first, again = step(), step(), step()
    data = batches()
    for batch in data:
        whole(*batch)
    for batch in data[:2]:
        first(*batch)
    ms.save_checkpoint(first, str(tmp_path / "step.ckpt"))
    again(*data[3])  # what it has learnt by itself is overwritten
    assert ms.load_param_into_net(again, ms.load_checkpoint(str(tmp_path / "step.ckpt"))) == ([], [])
    for batch in data[2:]:
        again(*batch)
    assert_same(snapshot(again), snapshot(whole))


def test_network_and_optimizer_from_one_file() -> None:
    """A checkpoint of the training step loads into the optimizer and the network by themselves."""
    net = Network()
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    found = ms.load_checkpoint(str(FOLDER / "step.ckpt"))
    assert ms.load_param_into_net(opt, found)[0] == []
    assert ms.load_param_into_net(net, found)[0] == []
    number = [e[0] for e in INDEX["files"]["step.ckpt"]].index("moments.conv.weight")
    np.testing.assert_array_equal(opt.moments[1].asnumpy(), VALUES[f"step.ckpt/{number}"])


def test_one_error_says_everything_and_nothing_is_loaded() -> None:
    net = Network()
    before = snapshot(net)
    given = {n: Parameter(Tensor(v + 1), name=n) for n, v in before.items()}
    given["conv.weight"] = Parameter(Tensor(np.ones((1, 2, 3, 3), np.float32)))
    given["bn.beta"] = Parameter(Tensor(np.ones(3, np.float32)))
    given["extra"] = given.pop("scale")
    with pytest.raises(RuntimeError) as error:
        ms.load_param_into_net(net, given)
    text = str(error.value)
    assert text.startswith("load_param_into_net(Network): nothing was loaded. mismatched: ")
    assert "conv.weight: shape [2, 1, 3, 3], the checkpoint has [1, 2, 3, 3]" in text
    assert "bn.beta: shape [2], the checkpoint has [3]" in text
    assert "missing in the checkpoint: scale; unexpected in the checkpoint: extra." in text
    assert_same(snapshot(net), before)


def test_dtypes() -> None:
    """Half precision converts unless `strict_load`; ints do not become floats... the other way round is an error."""
    net = nn.Dense(1, 1)
    half = {"weight": Parameter(Tensor([[0.5]], ms.float16)), "bias": Parameter(Tensor([0.25], ms.bfloat16))}
    assert ms.load_param_into_net(net, half) == ([], [])
    assert (net.weight.item(), net.weight.dtype, net.bias.item()) == (0.5, ms.float32, 0.25)
    with pytest.raises(RuntimeError, match="weight: dtype Float32, the checkpoint has Float16; bias: dtype Float32"):
        ms.load_param_into_net(net, half, strict_load=True)
    with pytest.raises(RuntimeError, match="weight: dtype Float32, the checkpoint has Int32"):
        ms.load_param_into_net(net, {"weight": Parameter(Tensor([[1]], ms.int32)), "bias": half["bias"]})


class Outer(nn.Cell):
    """Holds a network under another name."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Dense(2, 1)


def test_names_that_differ_by_a_prefix() -> None:
    """A prefix that the names of the dict have is found, one that the net's have is not; with `strict_load` names must be equal."""
    target, outer = nn.Dense(2, 1), Outer()
    with pytest.warns(UserWarning, match="missing in the checkpoint: backbone.weight, backbone.bias"):
        got = ms.load_param_into_net(outer, target.parameters_dict())
    assert got == (["backbone.weight", "backbone.bias"], ["weight", "bias"])
    assert ms.load_param_into_net(target, outer.parameters_dict()) == ([], ["backbone.weight", "backbone.bias"])
    np.testing.assert_array_equal(target.weight.asnumpy(), outer.backbone.weight.asnumpy())
    with pytest.warns(UserWarning, match="missing in the checkpoint: weight, bias"):
        got = ms.load_param_into_net(target, outer.parameters_dict(), strict_load=True)
    assert got == (["weight", "bias"], ["backbone.weight", "backbone.bias"])


def test_scalars_of_either_rank() -> None:
    """A single number fits shapes () and (1,), and keeps the Parameter's."""
    net = Network()
    with pytest.warns(UserWarning, match="not loaded, missing in the checkpoint"):
        ms.load_param_into_net(net, {"scale": Parameter(Tensor([3.0]))})
    assert net.scale.shape == () and net.scale.item() == 3.0


def test_a_loaded_value_is_the_nets_own(mode: int) -> None:
    """Training the net does not change the dict it was loaded from."""
    net = nn.Dense(2, 1)
    given = {n: Parameter(p, name=n) for n, p in nn.Dense(2, 1).parameters_dict().items()}
    before = {n: p.asnumpy().copy() for n, p in given.items()}
    ms.load_param_into_net(net, given)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
    for _ in range(2):
        step(Tensor(np.ones((2, 2), np.float32)), Tensor(np.ones((2, 1), np.float32)))
    assert_same({n: p.asnumpy() for n, p in given.items()}, before)


# --- errors ---------------------------------------------------------------------------------------------------------


def test_errors_of_saving(tmp_path: Path) -> None:
    path, net = str(tmp_path / "w.ckpt"), nn.Dense(1, 1)
    cases = [
        (TypeError, r"save_obj must be a Cell, dict or list, got 3", lambda: ms.save_checkpoint(3, path)),
        (
            TypeError,
            r"items must be Parameters or dicts with 'name' and 'data', got 3",
            lambda: ms.save_checkpoint([3], path),
        ),
        (TypeError, r"names must be strings, got 3", lambda: ms.save_checkpoint({3: Tensor([1.0])}, path)),
        (TypeError, r"ckpt_file_name must be a non-empty string, got 3", lambda: ms.save_checkpoint(net, 3)),
        (TypeError, r"ckpt_file_name must be a non-empty string, got ''", lambda: ms.save_checkpoint(net, "")),
        (IsADirectoryError, r"is a folder, expected a file", lambda: ms.save_checkpoint(net, str(tmp_path))),
        (
            ValueError,
            r"format must be one of ckpt, safetensors, got 'npz'",
            lambda: ms.save_checkpoint(net, path, format="npz"),
        ),
        (TypeError, r"append_dict must be a dict, got 3", lambda: ms.save_checkpoint(net, path, append_dict=3)),
        (
            TypeError,
            r"keys of append_dict must be strings, got 3",
            lambda: ms.save_checkpoint(net, path, append_dict={3: 3}),
        ),
        (
            TypeError,
            r"append_dict\['a'\] must be a number",
            lambda: ms.save_checkpoint(net, path, append_dict={"a": [3]}),
        ),
        (TypeError, r"unknown argument 'nonsense'", lambda: ms.save_checkpoint(net, path, nonsense=1)),
    ]
    for kind, text, call in cases:
        with pytest.raises(kind, match=text):
            call()
    assert list(tmp_path.iterdir()) == []


def test_errors_of_loading(tmp_path: Path) -> None:
    net, path = nn.Dense(1, 1), str(FOLDER / "network.ckpt")
    cases = [
        (TypeError, "ckpt_file_name must be a string, got 3", lambda: ms.load_checkpoint(3)),
        (ValueError, "missing.ckpt does not exist", lambda: ms.load_checkpoint(str(FOLDER / "missing.ckpt"))),
        (ValueError, "must end in '.ckpt'", lambda: ms.load_checkpoint(str(FOLDER / "values.npz"))),
        (
            ValueError,
            "format must be one of ckpt, safetensors, got 'npz'",
            lambda: ms.load_checkpoint(path, format="npz"),
        ),
        (TypeError, "filter_prefix must be a string or a list", lambda: ms.load_checkpoint(path, filter_prefix=[3])),
        (TypeError, "specify_prefix must be a string or a list", lambda: ms.load_checkpoint(path, specify_prefix=[3])),
        (ValueError, "holds no Parameter that was asked for", lambda: ms.load_checkpoint(path, specify_prefix="zzz")),
        (TypeError, "net must be a Cell, got 3", lambda: ms.load_param_into_net(3, {})),
        (TypeError, "parameter_dict must be a dict, got 3", lambda: ms.load_param_into_net(net, 3)),
        (TypeError, "strict_load must be a bool, got 3", lambda: ms.load_param_into_net(net, {}, 3)),
        (TypeError, "'a' must be a Parameter by name, got 3", lambda: ms.load_param_into_net(net, {"a": 3})),
    ]
    for kind, text, call in cases:
        with pytest.raises(kind, match=text):
            call()
    broken = tmp_path / "broken.ckpt"
    broken.write_bytes(b"\x0a\xffnothing")
    with pytest.raises(ValueError, match=r"broken\.ckpt"):
        ms.load_checkpoint(str(broken))


def test_names_that_are_near_are_named():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 1))
    values = {"0.weigth": net[0].weight, "0.bias": net[0].bias, "1.weight": net[1].weight, "head": net[1].bias}
    near = r"Perhaps 0.weigth is 0.weight\. If"
    with pytest.warns(UserWarning, match=near) as said:
        ms.load_param_into_net(net, values)
    assert "is 1.bias" not in str(said[0].message)
    with pytest.warns(UserWarning, match="missing in the checkpoint: ") as said:
        ms.load_param_into_net(net, {"head": net[1].bias})
    assert "Perhaps" not in str(said[0].message)


def test_appended_values_are_names_that_the_net_does_not_have(tmp_path):
    net = nn.Dense(2, 1)
    path = str(tmp_path / "net.ckpt")
    ms.save_checkpoint(net, path, append_dict={"epoch": 3, "text": "abc"})
    assert ms.load_param_into_net(net, ms.load_checkpoint(path)) == ([], ["epoch", "text"])
