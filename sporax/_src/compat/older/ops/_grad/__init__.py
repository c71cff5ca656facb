"""Where MindSpore 1.x keeps the gradients of operators."""

__all__: list[str] = []
