"""Watching what runs.

Looking for the operator where a NaN began: `checked` (both modes), `nonfinite_search` (within a graph). Measuring: `profiler`,
which gathers `profile_findings` from `operator_times` (PyNative mode) and `trace_file` (graphs) into a `profile_report`.
"""
