"""Below `mindspore.dataset.engine`."""

__all__: list[str] = []
