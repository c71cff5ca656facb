"""Layers, losses and functions of `torch.nn` that one call of MindSpore does not give."""
