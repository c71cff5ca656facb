"""From PyTorch to here: source, weights, and the comparison of two nets.

Reading order: `torch_map` (which call of MindSpore replaces a call of torch), `source` (the converter of programs) with
`helpers` (the modules that converted programs import), `page` (what a scan says as HTML), `weights` (parameters carried over),
`compare` (the first layer that differs). Nothing here imports torch, except where it receives an object of torch.
"""
