"""Collective operators between the processes of a run.

Reading order: `group`, `checks`, `exchange` (on arrays), `exchanged` (on Tensors), `primitives`, `uneven`, `connections`,
`messages`, `point_to_point`, `comm_func`, `arguments`, `distributed` (`mint.distributed`), `objects`, `communication`
(`ops.communication`).
"""
