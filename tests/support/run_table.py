"""A table of a run that has no service behind it, and the secret of the run."""

import jax

KNOWN = "this is the secret of the run"


class Table:
    """The table of a run, as JAX's service has it."""

    def __init__(self) -> None:
        self.entries: dict[str, bytes] = {}

    def key_value_set_bytes(self, name: str, value: bytes, allow_overwrite: bool = False) -> None:
        if name in self.entries and not allow_overwrite:
            raise jax.errors.JaxRuntimeError("ALREADY_EXISTS")
        self.entries[name] = value

    def blocking_key_value_get_bytes(self, name: str, milliseconds: int) -> bytes:
        if name not in self.entries:
            raise jax.errors.JaxRuntimeError("DEADLINE_EXCEEDED")
        return self.entries[name]

    def key_value_try_get_bytes(self, name: str) -> bytes:
        if name not in self.entries:
            raise jax.errors.JaxRuntimeError("NOT_FOUND")
        return self.entries[name]

    def key_value_delete(self, name: str) -> None:
        del self.entries[name]
