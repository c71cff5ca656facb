"""Where MindSpore keeps what its front end calls."""

__all__: list[str] = []
