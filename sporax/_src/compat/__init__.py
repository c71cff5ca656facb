"""Running programs that were written for MindSpore under its own name."""
