"""The table of contestants: a framework in a mode, and the command and environment of its worker."""

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One column of the report."""

    key: str
    title: str
    framework: str
    worker: tuple[str, ...]
    ops: bool = False
    optimizers: bool = True
    epochs: bool = False
    files: bool = False

    def command(self, python: str, device: str, threads: int) -> list[str]:
        """The command line of its worker."""
        return [python, *self.worker, device, str(threads)]


_MINDSPORE_WORKER = str(ROOT / "bench" / "worker_mindspore.py")
_UNDER_SPORAX = ("-m", "sporax", "run", _MINDSPORE_WORKER)

VARIANTS = {
    variant.key: variant
    for variant in (
        Variant(key="sporax-graph", title="sporax graph", framework="sporax", worker=(*_UNDER_SPORAX, "graph"),
                files=True, epochs=True),
        Variant(key="jax", title="JAX by hand", framework="jax", worker=("-m", "bench.worker_jax", "jit"), ops=True,
                epochs=True),
        Variant(key="torch-compile", title="torch.compile", framework="torch",
                worker=("-m", "bench.worker_torch", "compile"), optimizers=False),
        Variant(key="mindspore-graph", title="MindSpore graph", framework="mindspore",
                worker=(_MINDSPORE_WORKER, "graph"), files=True),
        Variant(key="sporax-pynative", title="sporax PyNative", framework="sporax",
                worker=(*_UNDER_SPORAX, "pynative"), ops=True),
        Variant(key="torch-eager", title="torch eager", framework="torch",
                worker=("-m", "bench.worker_torch", "eager"), ops=True, files=True),
        Variant(key="mindspore-pynative", title="MindSpore PyNative", framework="mindspore",
                worker=(_MINDSPORE_WORKER, "pynative"), ops=True),
    )
}  # fmt: skip

# With these of the user's, first steps would not begin with an empty cache, or would compile Python's files.
_OF_THE_USER = ("SPORAX_CACHE_DIR", "JAX_COMPILATION_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")


def environment(framework: str, device: str, threads: int, cache: Path) -> dict[str, str]:
    """The environment of a worker: equal thread counts, full float32, and every disk cache in `cache`.

    sporax is told nothing but where the user's cache folder is: that its cache is on is its own doing.
    """
    env = {name: value for name, value in os.environ.items() if name not in _OF_THE_USER}
    env |= {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    env |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cache)}
    match framework:
        case "jax" | "sporax":
            env |= {"JAX_PLATFORMS": {"gpu": "cuda"}.get(device, device), "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
            if device != "cpu":
                env["JAX_DEFAULT_MATMUL_PRECISION"] = "highest"
            if framework == "jax":
                env |= {"JAX_COMPILATION_CACHE_DIR": str(cache / "jax"),
                        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}  # fmt: skip
        case "torch":
            env["TORCHINDUCTOR_CACHE_DIR"] = str(cache / "inductor")
        case "mindspore":
            # Its disk cache stays off, as is its default: a step restored from it ran with parameters of zero.
            env["GLOG_v"] = "3"
    return env
