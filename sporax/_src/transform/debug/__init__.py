"""Debugging and profiling of running operations.

Reading order: `checked` (stops at the operator that made a NaN), `nonfinite_search` (finds it within a graph);
`profiler`, which gathers `profile_findings` from `operator_times` (PyNative mode), `trace_file` with `trace_messages`
(graphs) and `known_lines` into a `profile_report`.
"""
