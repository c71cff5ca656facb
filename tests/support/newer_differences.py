"""Where sporax, when it follows 2.10, answers otherwise than MindSpore 2.10.0 on the CPU where that differs from 2.7.0, and why.

What `table_differences` and `call_differences` say of 2.7.0 holds for 2.10.0 too.
"""

_ASCEND = "the CPU has no such kernel any more"

# Names of the op table, rows or calls.
TABLE: dict[str, str] = {
    "mint.nn.functional.conv1d": _ASCEND,
    "mint.nn.functional.conv3d": _ASCEND,
    "mint.nn.functional.dropout2d": _ASCEND,
    "lrn": _ASCEND,
    "coo2csr": _ASCEND,
    "csr2coo": _ASCEND,
    "ops.csr_div(CSR(T(3, 4)), P(3, 4))": _ASCEND,
    "ops.csr_div(CSR(T(3, 4)), P(4))": _ASCEND,
    "csr_gather": _ASCEND,
    "prompt_flash_attention": _ASCEND,
    "primitive.DynamicShape": _ASCEND,
    "primitive.CTCLoss": "the gradient behind the end of a sequence is what the memory held",
    "primitive.Mod": "its gradient by the divisor is that of a quotient that is rounded down there",
}
CALLS: dict[str, tuple[str, str]] = {
    "SliceExt(": ("gradient", "the gradient is 0 there"),
    "UpdateCache(": ("values", "the kernel writes the Parameter alone: its result is memory as found"),
}
# Dtype and operands.
EDGES: dict[tuple[str, int, int], str] = {
    ("uint64", 0, 0): "0 / 0 is 2**63 there, as a NaN that is converted; 0 for other dtypes"
}
