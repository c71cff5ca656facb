"""Below `mindspore._extends.parse`."""

__all__: list[str] = []
