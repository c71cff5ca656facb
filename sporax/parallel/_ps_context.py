"""Parameter servers, of which there are none."""

from sporax._src.compat.legacy.parallel import _is_ps_mode, _is_role_pserver, _is_role_sched, _is_role_worker

__all__ = [
    "_is_ps_mode",
    "_is_role_pserver",
    "_is_role_sched",
    "_is_role_worker",
]
