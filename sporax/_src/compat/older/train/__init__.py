"""Below `mindspore.train`."""

__all__: list[str] = []
