"""Below `mindspore.dataset`."""

__all__: list[str] = []
