"""Below `mindspore.numpy`."""

__all__: list[str] = []
