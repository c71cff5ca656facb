"""Names that MindSpore has below private paths, or had in older releases, as programs use them under the name `mindspore`."""

import importlib
import json

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.compat import finder


@pytest.fixture(autouse=True)
def installed():
    finder.install()
    yield
    finder.uninstall()


def test_attributes_without_an_import() -> None:
    import mindspore

    assert mindspore.nn.transformer.TransformerEncoder is not mindspore.nn.TransformerEncoder
    assert mindspore.ms_class is ms.jit_class


def test_names_leave_with_the_alias() -> None:
    assert hasattr(ms, "ms_function") and hasattr(nn, "ResizeBilinear")
    finder.uninstall()
    assert not hasattr(ms, "ms_function") and not hasattr(nn, "ResizeBilinear") and not hasattr(nn, "transformer")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("sporax.nn.transformer")


def test_ms_function() -> None:
    from mindspore import ms_class, ms_function

    @ms_function
    def double(x: Tensor) -> Tensor:
        return 2 * x

    @ms_function(jit_config=ms.JitConfig())
    def triple(x: Tensor) -> Tensor:
        return 3 * x

    @ms_class
    class Numbers:
        four = Tensor(4)

    assert double(Tensor(2)).item() == 4 and triple(Tensor(2)).item() == 6
    assert type(ms_function(fn=double.__wrapped__)) is type(double) is type(ms.jit(double.__wrapped__))
    assert Numbers().four.item() == 4


def test_resize_bilinear() -> None:
    from mindspore.nn import ResizeBilinear

    x = Tensor(np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2))
    want = [[0, 0.5, 1, 1], [1, 1.5, 2, 2], [2, 2.5, 3, 3], [2, 2.5, 3, 3]]
    assert ResizeBilinear()(x, size=(4, 4)).asnumpy()[0, 0].tolist() == want
    assert ResizeBilinear()(x, scale_factor=2).asnumpy()[0, 0].tolist() == want
    corners = ResizeBilinear()(x, (3, 3), align_corners=True).asnumpy()[0, 0].tolist()
    assert corners == [[0, 0.5, 1], [1, 1.5, 2], [2, 2.5, 3]]
    centres = ResizeBilinear(half_pixel_centers=True)(x, (4, 4)).asnumpy()[0, 0, 0].tolist()
    assert centres == [0, 0.25, 0.75, 1]
    for options, kind, match in (
        ({}, ValueError, "give one of size and scale_factor"),
        ({"size": (2, 2), "scale_factor": 2}, ValueError, "give one of size and scale_factor"),
        ({"scale_factor": 2.0}, TypeError, "scale_factor must be an int, got 2.0"),
        ({"size": (2, 0)}, ValueError, r"must be two ints > 0, got \(2, 0\)"),
    ):
        with pytest.raises(kind, match=match):
            ResizeBilinear()(x, **options)


def test_registered_gradients() -> None:
    from mindspore.ops._grad.grad_base import bprop_getters

    class Scaled(ops.Primitive):
        def __init__(self, factor: float) -> None:
            super().__init__("Scaled")
            self.factor = factor

        def __call__(self, x: Tensor, y: Tensor) -> Tensor:
            return self.factor * x + y

    with pytest.raises(ValueError, match="there is no operator 'Unheard'"):
        bprop_getters.register("Unheard")
    with pytest.raises(TypeError, match="expected a class of operators or a name, got 3"):
        bprop_getters.register(3)

    @bprop_getters.register(Scaled)
    def get_bprop_scaled(self: Scaled) -> object:
        def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, Tensor]:
            return dout * self.factor * 10, dout + out

        return bprop

    op, x, y = Scaled(2.0), Tensor(1.0), Tensor(3.0)
    assert bprop_getters.get(op) is bprop_getters.get("Scaled") is get_bprop_scaled
    assert op(x, y).item() == 5
    for run in (op, ms.jit(lambda x, y: op(x, y))):
        assert [g.item() for g in ms.grad(run, (0, 1))(x, y)] == [20, 6]
    later = bprop_getters.register(Scaled)(lambda self: lambda x, y, out, dout: (dout, dout))
    assert bprop_getters.get(Scaled) is later
    assert [g.item() for g in ms.grad(op, (0, 1))(x, y)] == [1, 1]


def test_parameter_servers() -> None:
    from mindspore.ops import operations as P

    push, pull = P.Push("Adam", [0, 1, 2]).add_prim_attr("use_nesterov", False), P.Pull()
    assert (push.optim_type, push.only_shape_indices) == ("Adam", [0, 1, 2])
    with pytest.raises(RuntimeError, match=r"ops.Pull: there is no parameter server"):
        pull(push, Tensor(1.0))


def test_gradient_accumulation(mode: int) -> None:
    from mindspore.boost.grad_accumulation import (
        GradientAccumulation,
        gradient_accumulation_op,
        gradient_clear_op,
    )

    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    step = GradientAccumulation(2, nn.SGD([weight], learning_rate=1.0))
    loss = Tensor(3.0)
    assert step(loss, (Tensor([2.0, 4.0]),)).item() == 3 and weight.asnumpy().tolist() == [1, 2]
    step(loss, (Tensor([4.0, 8.0]),))
    assert weight.asnumpy().tolist() == [-2, -4]
    step(loss, (Tensor([1.0, 1.0]),))
    step(loss, (Tensor([1.0, 1.0]),))
    assert weight.asnumpy().tolist() == [-3, -5]
    total = Parameter(Tensor([1.0]), name="total")
    assert gradient_accumulation_op(4, total, Tensor([2.0])).asnumpy().tolist() == [1.5]
    gradient_clear_op(total)
    assert total.asnumpy().tolist() == [0]


def test_parameters_one_by_one() -> None:
    from mindspore.train.serialization import _get_merged_param_data, _update_param

    param = Parameter(Tensor([1.0, 2.0]), name="p")
    _update_param(param, Parameter(Tensor([3.0, 4.0], ms.float16), name="q"), False)
    assert param.asnumpy().tolist() == [3, 4] and param.dtype == ms.float32
    single = Parameter(Tensor([1.0]), name="s")
    _update_param(single, 5)
    assert single.asnumpy().tolist() == [5]
    for new, strict, match in (
        (Tensor([1.0]), False, r"p has the shape \(2,\); the new value has \(1,\)"),
        (Tensor([1, 2]), False, "p has the type Float32; the new value has Int64"),
        (Tensor([1.0, 2.0], ms.float16), True, "p has the type Float32; the new value has Float16"),
        (3, False, r"p has the shape \(2,\); a number is no value of it"),
    ):
        with pytest.raises(RuntimeError, match=match):
            _update_param(param, new, strict)
    assert _get_merged_param_data(nn.Dense(1, 1), {}, "p", param, True) is param
    assert _get_merged_param_data(nn.Dense(1, 1), "p", param, True) is param


def test_training_dataset() -> None:
    from mindspore.dataset import NumpySlicesDataset
    from mindspore.dataset.engine import datasets

    data = NumpySlicesDataset([1, 2, 3], shuffle=False)
    assert datasets._set_training_dataset(data) is None
    assert [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [1, 2, 3]


def test_images() -> None:
    from mindspore.dataset import vision
    from mindspore.dataset.vision import py_transforms_util as util
    from PIL import Image

    array = np.random.default_rng(2).integers(0, 256, (6, 8, 3)).astype(np.uint8)
    image = util.to_pil(array)
    assert util.is_pil(image) and not util.is_pil(array) and util.is_numpy(array) and not util.is_numpy(image)
    assert np.array_equal(util.hwc_to_chw(array), array.transpose(2, 0, 1)) and util.hwc_to_chw(
        array[..., 0]
    ).shape == (6, 8)
    assert np.array_equal(np.asarray(util.rotate(image, 90, Image.NEAREST, True, None, 0)), np.rot90(array))
    assert np.array_equal(np.asarray(util.crop(image, 1, 2, 3, 4)), array[1:4, 2:6])
    assert np.array_equal(np.asarray(util.horizontal_flip(image)), array[:, ::-1])
    assert np.array_equal(np.asarray(util.vertical_flip(image)), array[::-1])
    assert np.array_equal(np.asarray(util.invert_color(image)), 255 - array)
    np.testing.assert_allclose(util.to_tensor(image, np.float32), array.transpose(2, 0, 1) / 255, rtol=1e-6)
    for name, cls, arguments in (
        ("adjust_brightness", vision.AdjustBrightness, (0.5,)),
        ("adjust_contrast", vision.AdjustContrast, (0.5,)),
        ("adjust_hue", vision.AdjustHue, (0.2,)),
        ("adjust_saturation", vision.AdjustSaturation, (0.5,)),
        ("center_crop", vision.CenterCrop, (3,)),
        ("resize", vision.Resize, ((3, 4),)),
        ("equalize", vision.Equalize, ()),
        ("auto_contrast", vision.AutoContrast, ()),
    ):
        assert np.array_equal(getattr(util, name)(image, *arguments), cls(*arguments)(image))
    assert util.random_crop(image, (2, 3)).size == (3, 2)
    back = util.hsv_to_rgb(util.rgb_to_hsv(array / 255, True), True)
    np.testing.assert_allclose(back, array / 255, atol=1e-6)
    with pytest.raises(TypeError, match="should be a NumPy array of 2 or 3 axes"):
        util.hwc_to_chw(image)
    with pytest.raises(TypeError, match="img should be PIL image"):
        util.rotate(array, 90, Image.NEAREST, True, None, 0)


# --- files of strategies ----------------------------------------------------------------------------------------------


def strategies(stage: int) -> object:
    from mindspore.train.node_strategy_pb2 import ParallelStrategyMap

    found = ParallelStrategyMap(current_stage=stage)
    item = found.parallel_strategy_item.add(node_name=f"MatMul-op{stage}")
    item.parallel_strategys.stage = stage
    item.parallel_strategys.parallel_strategy.add().dim.extend([2, 1])
    layout = found.parallel_layout_item.add(param_name="weight").parallel_layouts
    layout.dev_matrix.add().dim.extend([2, 4])
    layout.tensor_map.add().dim.extend([1, -1])
    layout.field, layout.opt_weight_shard_step, layout.opt_weight_shard_size = 0, 0, -1
    return found


# What MindSpore 2.7.0 writes for `strategies(1)`.
BYTES = (
    "080112160a0a4d61744d756c2d6f7031120808011204080208011a2e0a0677656967687412240a0408020804120d080108ffffffffffffffffff01"
    "2800300038ffffffffffffffffff01"
)


def test_messages_of_strategies() -> None:
    module = importlib.import_module("mindspore.train.node_strategy_pb2")
    assert strategies(1).SerializeToString().hex() == BYTES
    assert module.ParallelStrategyMap.FromString(bytes.fromhex(BYTES)) == strategies(1)
    assert hasattr(module, "ParallelLayouts") and hasattr(module, "ParallelGroupMap")
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = module.Nothing


def test_merged_strategies(tmp_path) -> None:
    source = tmp_path / "stages"
    source.mkdir()
    for name, stage in (("a", 0), ("b", 1), ("c", 1)):
        (source / f"{name}.ckpt").write_bytes(strategies(stage).SerializeToString())
    target = tmp_path / "out" / "all.ckpt"
    ms.parallel.merge_pipeline_strategys(str(source), str(target))
    merged = type(strategies(0)).FromString(target.read_bytes())
    assert merged.current_stage == 1
    assert [item.node_name for item in merged.parallel_strategy_item] == ["MatMul-op0", "MatMul-op1"]
    assert [item.param_name for item in merged.parallel_layout_item] == ["0-weight", "1-weight"]
    (source / "d.json").write_text("{}")
    with pytest.raises(ValueError, match=r"must be all '.ckpt' or all '.json'"):
        ms.merge_pipeline_strategys(str(source), str(target))


def test_merged_strategies_as_json(tmp_path) -> None:
    for stage in (0, 1):
        file = {
            "parallel_strategy_item": {f"op{stage}": {"stage": stage, "parallel_strategy": [[2, 1]]}},
            "parallel_layout_item": {"weight": {"field": stage}},
        }
        (tmp_path / f"{stage}.json").write_text(json.dumps(file))
    ms.merge_pipeline_strategys(str(tmp_path), str(tmp_path / "out.txt"))
    merged = json.loads((tmp_path / "out.txt").read_text())
    assert merged["current_stage"] == 1 and list(merged["parallel_strategy_item"]) == ["op0", "op1"]
    assert merged["parallel_layout_item"] == {"0-weight": {"field": 0}, "1-weight": {"field": 1}}
    for text, match in (("{}", ""), ("[" * 100_000, "nested too deep"), ("[]", "'list' object"), ("{", "Expecting")):
        (tmp_path / "0.json").write_text(text)
        with pytest.raises(ValueError, match=rf"0.json holds no strategy.*{match}"):
            ms.merge_pipeline_strategys(str(tmp_path), str(tmp_path / "out.txt"))


def test_strategies_that_are_none(tmp_path) -> None:
    with pytest.raises(NotADirectoryError, match="'nowhere' is no folder"):
        ms.merge_pipeline_strategys("nowhere", "x")
    (tmp_path / "a.ckpt").write_bytes(b"\xff\xff")
    with pytest.raises(TypeError, match=r"a.ckpt is no file of strategies"):
        ms.merge_pipeline_strategys(str(tmp_path), str(tmp_path / "out"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.Normalize([0.5] * 3, [127.5] * 3), r"Normalize: mean and std must be numbers of \[0, 1\]"),
        (
            lambda p: p.Normalize([0.5], [0.5])(np.ones(3)),
            r"Normalize: img must be an array \(C, H, W\), got float64\[3\]",
        ),
        (lambda p: p.NormalizePad([0.5], [0.5])(np.ones((3, 2, 2), int)), "NormalizePad: img must hold floats"),
        (lambda p: p.Normalize([0.5] * 2, [0.5] * 2)(np.ones((3, 2, 2))), "Normalize: expected 2 channels first"),
        (lambda p: p.ToTensor()(b"x"), "ToTensor: img must be a Pillow image or an array of 2 or 3 axes"),
        (lambda p: p.RgbToBgr()(np.ones((2, 2, 3))), "RgbToBgr: img must be an array with 3 channels"),
        (lambda p: p.Decode()(b"x"), "vision.Decode"),
    ],
)
def test_operations_of_py_transforms_say_what_they_take(call, message):
    from mindspore.dataset.vision import py_transforms

    with pytest.raises((NotImplementedError, TypeError, ValueError), match=message):
        call(py_transforms)


def test_operations_of_the_older_modules_say_what_they_take():
    from mindspore.dataset.transforms import py_transforms
    from mindspore.dataset.vision import c_transforms

    with pytest.raises(RuntimeError, match="rgb must be True, got False"):
        c_transforms.Decode(rgb=False)(b"x")
    with pytest.raises(ValueError, match="labels must be an array of integers, got 1"):
        py_transforms.OneHotOp(3)(1)
    with pytest.raises(ValueError, match="labels must be less than num_classes=3, got 5"):
        py_transforms.OneHotOp(3)(np.array(5))
