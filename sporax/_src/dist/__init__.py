"""Level 3: processes and devices that work together."""
