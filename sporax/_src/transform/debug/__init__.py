"""Looking for the operator where a NaN began: `checked` (both modes), `nonfinite_search` (within a graph)."""
