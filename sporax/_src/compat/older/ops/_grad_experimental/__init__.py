"""Where MindSpore 2.x keeps the gradients of operators."""

__all__: list[str] = []
