"""Where sporax answers recorded calls otherwise than MindSpore 2.7.0 on the CPU does, and why; keys begin with a call."""

# What is not compared: "call" (nothing is), "values" (of the results), "gradient"; and the reason.
CALLS: dict[str, tuple[str, str]] = {}
# The tolerance of what MindSpore rounds differently, and the reason.
LOOSER: dict[str, tuple[float, str]] = {}
