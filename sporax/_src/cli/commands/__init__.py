"""The commands of `sporax`, one module each: adding a file with a click command of its name adds a command.

Reading order: `run`, `launch`, `plan`, `check`, `demo`, `cache`, `stubs`; for programs from PyTorch: `migrate`, `api`, `weights`,
`compare`.
"""
