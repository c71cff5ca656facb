"""Layers, losses and functions of `torch.nn` for which MindSpore has no single call."""
