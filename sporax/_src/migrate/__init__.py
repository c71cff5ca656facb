"""Conversion of PyTorch programs and weights, and the comparison of two networks.

Reading order: `torch_map` (the replacement of each call of torch), `source` (the converter of programs) with
`helpers` (the modules that converted programs import), `page` (reports as HTML), `loading` (the user's files),
`weights` (conversion of Parameters), `compare` (the first layer that differs), `verify` (both programs side by side), `running`
(torch programs that run unmodified). Nothing here imports torch, except where it receives an object of torch.
"""
