"""Settings of Ascend devices."""

from sporax._src.runtime.device_context import aclnn_cache, aoe_job_type, aoe_tune_mode, op_compile

__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile"]
