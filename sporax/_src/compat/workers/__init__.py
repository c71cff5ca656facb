"""A folder for `sys.path`: in a worker process, `import mindspore` finds the alias here."""
