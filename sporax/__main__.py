"""`python -m sporax` is the command `sporax`."""

from sporax._src.cli import main

main(prog_name="sporax")
