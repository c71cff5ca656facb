"""Devices, mixed precision and the switches of torch's runtime."""

import functools

import numpy as np

import sporax as mindspore
from sporax import ops
from sporax._src.migrate.helpers.training.gradients import _step


class _Device:
    """The name of a device; MindSpore chooses the device that computes."""

    def __init__(self, device="cpu", index=None):
        if isinstance(device, _Device):
            device, index = device.type, device.index
        if isinstance(device, int):
            device, index = "cuda", device
        self.type, _, number = str(device).partition(":")
        self.index = int(number) if number else index

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def __eq__(self, other):
        return isinstance(other, _Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        return f"device(type='{self.type}'" + ("" if self.index is None else f", index={self.index}") + ")"


def _has_accelerator():
    """Return whether the program runs on an accelerator, not on a CPU."""
    return mindspore.get_context("device_target") != "CPU"


def _of_context(option):
    """Return a property that is an option of MindSpore's context."""
    return property(
        lambda cls: mindspore.get_context(option), lambda cls, value: mindspore.set_context(**{option: bool(value)})
    )


class _Rounding(type):
    """The switches of torch's runtime that MindSpore's context has: whether float32 may be rounded to TensorFloat-32."""

    cudnn_allow_tf32 = _of_context("conv_allow_tf32")
    matmul_allow_tf32 = _of_context("matmul_allow_tf32")


class _Settings(metaclass=_Rounding):
    """The switches of torch's runtime; the others are kept but change nothing."""

    benchmark = False
    cudnn_deterministic = False
    cudnn_enabled = True
    default_device = None
    deterministic = False
    interop_threads = 1
    matmul_precision = "highest"
    threads = 1
    anomaly = False
    hub_dir = None


def _set(name, value):
    """Store the value of a switch, which changes nothing."""
    setattr(_Settings, name, value)


def _set_matmul_precision(precision):
    """Allow TensorFloat-32 in products of float32, unless the precision is "highest"."""
    _Settings.matmul_precision = precision
    _Settings.matmul_allow_tf32 = precision != "highest"


def _default_device():
    """Return the default device."""
    return _Device("cpu") if _Settings.default_device is None else _Device(_Settings.default_device)


def _use_deterministic_algorithms(mode):
    """Set whether results are the same in each run."""
    _Settings.deterministic = bool(mode)
    mindspore.set_deterministic(bool(mode))


class _Autocast:
    """The context of mixed precision: operations keep the dtype of their Tensors."""

    states = {}

    def __init__(self, device_type="cuda", dtype=None, enabled=True):
        self.device_type = device_type
        default = mindspore.bfloat16 if device_type == "cpu" else mindspore.float16
        self.state = (bool(enabled) and (device_type == "cpu" or _has_accelerator()), dtype or default)
        self.before = []

    def __enter__(self):
        self.before.append(_Autocast.states.get(self.device_type))
        _Autocast.states[self.device_type] = self.state
        return self

    def __exit__(self, *error):
        _Autocast.states[self.device_type] = self.before.pop()

    def __call__(self, function):
        @functools.wraps(function)
        def within(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return within


def _is_autocast_enabled(device_type="cuda"):
    """Return whether the program is in a context of mixed precision."""
    state = _Autocast.states.get(device_type)
    return state is not None and state[0]


def _autocast_dtype(device_type):
    """Return the dtype of mixed precision."""
    state = _Autocast.states.get(device_type)
    default = mindspore.bfloat16 if device_type == "cpu" else mindspore.float16
    return default if state is None else state[1]


class _GradScaler:
    """Scales losses so that small gradients of float16 do not vanish; without an accelerator it does nothing."""

    def __init__(
        self,
        init_scale=65536.0,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
        device="cuda",
    ):
        self._enabled = enabled and (str(device).startswith("cpu") or _has_accelerator())
        self._scale, self._growth, self._backoff = float(init_scale), growth_factor, backoff_factor
        self._interval, self._steps, self._finite, self._unscaled = growth_interval, 0, True, False

    def is_enabled(self):
        return self._enabled

    def get_scale(self):
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self):
        return self._growth

    def set_growth_factor(self, new_factor):
        self._growth = new_factor

    def get_backoff_factor(self):
        return self._backoff

    def set_backoff_factor(self, new_factor):
        self._backoff = new_factor

    def get_growth_interval(self):
        return self._interval

    def set_growth_interval(self, new_interval):
        self._interval = new_interval

    def scale(self, outputs):
        if not self._enabled:
            return outputs
        if isinstance(outputs, mindspore.Tensor):
            return outputs * self._scale
        return type(outputs)(self.scale(output) for output in outputs)

    def unscale_(self, optimizer):
        if not self._enabled or self._unscaled:
            return
        self._unscaled = True
        for parameter in optimizer.parameters:
            if getattr(parameter, "grad", None) is not None:
                parameter.grad = parameter.grad / self._scale
                self._finite = self._finite and bool(ops.isfinite(parameter.grad).all())

    def step(self, optimizer, *args, **kwargs):
        self.unscale_(optimizer)
        return _step(optimizer, *args, **kwargs) if self._finite else None

    def update(self, new_scale=None):
        if not self._enabled:
            return
        self._steps = self._steps + 1 if self._finite else 0
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._finite:
            self._scale *= self._backoff
        elif self._steps == self._interval:
            self._scale, self._steps = self._scale * self._growth, 0
        self._finite, self._unscaled = True, False

    def state_dict(self):
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth,
            "backoff_factor": self._backoff,
            "growth_interval": self._interval,
            "_growth_tracker": self._steps,
        }

    def load_state_dict(self, state_dict):
        if self._enabled:
            self._scale, self._growth = state_dict["scale"], state_dict["growth_factor"]
            self._backoff, self._interval = state_dict["backoff_factor"], state_dict["growth_interval"]
            self._steps = state_dict["_growth_tracker"]


class _ForkedRng:
    """A context that restores the random state at its end."""

    def __init__(self, enabled=True):
        self.enabled = enabled

    def __enter__(self):
        self.state = mindspore.get_rng_state()

    def __exit__(self, *error):
        if self.enabled:
            mindspore.set_rng_state(self.state)


def _compile(model=None, **options):
    """Return a function or a net as it is."""
    return model if model is not None else lambda function: function


def _asserted(condition, message):
    """Check a condition."""
    assert condition, message


def _script(obj, *args, **options):
    """Return a function or a net as it is."""
    return obj


def _checkpoint(
    function,
    *args,
    use_reentrant=None,
    context_fn=None,
    determinism_check="default",
    debug=False,
    preserve_rng_state=True,
    early_stop=True,
    **kwargs,
):
    """Call a function."""
    return function(*args, **kwargs)


def _checkpoint_sequential(functions, segments, input, use_reentrant=None, preserve_rng_state=True):
    """Call functions one after another."""
    return functools.reduce(lambda value, function: function(value), functions, input)


def _checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """Return the contexts of a checkpoint, which do nothing."""
    return _Device(), _Device()


def _from_dlpack(ext_tensor):
    """Return the array that another library shares through DLPack as a Tensor."""
    return ext_tensor if isinstance(ext_tensor, mindspore.Tensor) else mindspore.Tensor(np.from_dlpack(ext_tensor))


def _set_module(obj, mod):
    """Set the attribute `__module__` of an object."""
    obj.__module__ = mod


class _Proxy:
    """The value that torch.fx traces; nothing is traced in this way here."""


def _device_of(x):
    """Return the device attribute of an object; of a Tensor, the device that the program runs on."""
    where = mindspore.get_context("device_target").lower() if isinstance(x, mindspore.Tensor) else x.device
    return _Device(where) if isinstance(where, str) else where
