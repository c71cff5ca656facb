"""Level 5: optimizers, one rule per file, and learning-rate schedules."""
