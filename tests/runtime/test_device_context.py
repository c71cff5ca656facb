"""Options of devices: kept, honoured, or refused by name."""

import pytest

import sporax as ms


def test_devices_are_counted() -> None:
    counts = {name: getattr(ms.device_context, name).device_count() for name in ("cpu", "gpu", "ascend")}
    assert counts["cpu"] >= 1
    for name, count in counts.items():
        assert getattr(ms.device_context, name).is_available() is (count > 0)


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match=r"op_tuning\.threads_num: num must be an int, got '2'\."):
        ms.device_context.cpu.op_tuning.threads_num("2")
    with pytest.raises(
        ValueError, match=r"op_tuning\.conv_fprop_algo: the value must be one of \['normal', 'performance', '"
    ):
        ms.device_context.gpu.op_tuning.conv_fprop_algo("none")
    with pytest.raises(
        ValueError, match=r"op_precision\.precision_mode: the value must be one of \['force_fp16', 'allow_fp32"
    ):
        ms.device_context.ascend.op_precision.precision_mode("none")
