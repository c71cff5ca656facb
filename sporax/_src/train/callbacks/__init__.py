"""Callbacks, which run around steps and epochs of `Model`: one file for each.

Reading order: `callback` (the base), `monitor`, `checkpointing` (with `checkpoint_manager`), `resume`, `backup`, `plateau`,
`history`, `progress` (with `progress_line`), `summary_record` and `summary_collector`, `tracking` (with `wandb_tracking`,
`mlflow_tracking`), `dynamic_profiler`, `flops_utilization`, `landscape`, `waited`.
"""
