"""From PyTorch to here: source, weights, and the comparison of two nets.

Read `torch_map` (which call of MindSpore replaces a call of torch), then `source` (the converter of programs) with `helpers` (the
modules that converted programs import), then `weights` (parameters carried over) and `compare` (the first layer that differs).
Nothing here imports torch, except where it receives an object of torch.
"""
