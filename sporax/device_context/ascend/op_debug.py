"""Settings of Ascend devices."""

from sporax._src.runtime.device_context import aclinit_config, debug_option, execute_timeout

__all__ = ["aclinit_config", "debug_option", "execute_timeout"]
