"""What sporax runs on here: its version, those of the packages that matter, and the devices."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import jax

import sporax

PACKAGES = ("jax", "jaxlib", "numpy", "scipy", "ml_dtypes")
_OTHERS = (
    "jax-cuda12-plugin",
    "jax-cuda13-plugin",
    "libtpu",
    "mindspore",
    "torch",
    "pillow",
    "opencv-python",
    "onnx",
    "ipython",
)


def versions(packages: tuple[str, ...] = (*PACKAGES, *_OTHERS)) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    found = {"sporax": sporax.__version__, "Python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def devices() -> list[str]:
    """Return how many devices there are of each kind, as in `2 GPU (NVIDIA H200)`."""
    kinds = [f"{device.platform.upper()} ({device.device_kind})" for device in jax.devices()]
    return [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]


def line() -> str:
    """Return all of it in one line, for `sporax --version`."""
    shown = ", ".join(f"{name} {number}" for name, number in versions(("jax", "jaxlib")).items() if name != "sporax")
    return f"sporax, version {sporax.__version__} ({shown}; devices: {', '.join(devices())})"
