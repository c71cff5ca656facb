"""Below `mindspore.dataset.transforms`."""

__all__: list[str] = []
