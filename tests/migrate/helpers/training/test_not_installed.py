"""Objects for names of torch where it is not installed: files import, and code that is left raises its error."""

import pytest

from sporax._src.migrate.helpers.training.not_installed import _not_installed


def test_a_name_raises_an_error_when_it_is_used() -> None:
    torch = _not_installed("torch")
    with pytest.raises(ImportError, match=r"torch\.jit\.load was not converted, and torch is not installed"):
        torch.jit.load("file")


def test_it_decorates_and_is_a_base_class_until_these_are_used() -> None:
    script, module = _not_installed("torch.jit.script"), _not_installed("torch.jit.ScriptModule")

    @script
    def f(x: int) -> int:
        return x

    class Net(module): ...

    with pytest.raises(ImportError, match=r"torch\.jit\.script was not"):
        f(1)
    with pytest.raises(ImportError, match=r"torch\.jit\.ScriptModule was not"):
        Net()
    assert not hasattr(module, "__wrapped__")
