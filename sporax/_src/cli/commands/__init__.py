"""The commands of `sporax`, one module each: adding a file with a click command of its name adds a command."""
