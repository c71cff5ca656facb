"""Below `mindspore.ops.function`."""

__all__: list[str] = []
