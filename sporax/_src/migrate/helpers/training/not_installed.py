"""Objects in the place of torch's names that code still needs, where torch is not installed."""


class _NotInstalled:
    """A name of torch; it may be passed on, decorate and be a base class, and raises an error when it is used."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _NotInstalled(f"{self._name}.{name}")

    def __call__(self, *args, **kwargs):
        is_decorator = len(args) == 1 and not kwargs and hasattr(args[0], "__qualname__")
        return self._raise if is_decorator else self._raise()

    def __mro_entries__(self, bases):
        return (type(self._name.rpartition(".")[2], (), {"__init__": self._raise}),)

    def _raise(self, *args, **kwargs):
        raise ImportError(
            f"{self._name} was not converted, and torch is not installed: write what the comment TODO(sporax) says there"
        )


def _not_installed(name):
    """Return an object for a name of torch: the file imports, and the code under TODO(sporax) raises an error."""
    return _NotInstalled(name)
