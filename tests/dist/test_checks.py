"""What collective operators check before they exchange anything."""

import pytest

from sporax import Tensor
from sporax._src.dist import checks


def test_a_process_alone_is_the_only_member() -> None:
    assert checks.members("Op", "hccl_world_group") == (0,)
    assert checks.check_sizes("Op", "sizes", Tensor([3]), 3, 1) == [3]
    assert checks.check_sizes("Op", "sizes", [1, 2], 3, 2) == [1, 2]


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: checks.members("Op", 1), TypeError, "ops.Op: group must be a str, got int"),
        (lambda: checks.members("Op", "none"), ValueError, "group must be the group of all processes, .*, got 'none'"),
        (lambda: checks.check_reduction("Op", 1), TypeError, "op must be a str, got int"),
        (
            lambda: checks.check_reduction("Op", "mean"),
            ValueError,
            "op must be one of sum, max, min, prod, avg, got 'mean'",
        ),
        (lambda: checks.check_rank("Op", "dst", True), TypeError, "dst must be an int, got bool"),
        (lambda: checks.check_rank("Op", "dst", 1), ValueError, "dst must be 0, the only rank of this run, got 1"),
        (lambda: checks.check_rank("Op", "dst", 4, 4), ValueError, "must be a rank of the group, 0 to 3, got 4"),
        (lambda: checks.check_axes("Op", 1), TypeError, "input must be a Tensor, got int"),
        (lambda: checks.check_axes("Op", Tensor(1)), ValueError, "input must have at least one axis"),
        (
            lambda: checks.check_parts("Op", Tensor([1, 2, 3]), 0, 2),
            ValueError,
            r"axis 0 must divide into 2 parts, .* \[3\]",
        ),
        (
            lambda: checks.check_sizes("Op", "sizes", [2], 3, 1),
            ValueError,
            r"sizes must be \[3\], what the only rank has",
        ),
        (lambda: checks.check_sizes("Op", "sizes", [4, -1], 3, 2), ValueError, "must be 2 lengths that add up to 3"),
        (
            lambda: checks.check_ints("Op", "sizes", [1, True]),
            TypeError,
            r"sizes must be a list of ints, got \[1, True\]",
        ),
        (lambda: checks.check_shapes("Op", "shapes", [[1]]), TypeError, "shapes must be a tuple of lists"),
        (lambda: checks.check_shapes("Op", "shapes", ([1.0],)), TypeError, "a shape of shapes must be a list of ints"),
    ],
)
def test_what_is_refused(call, kind: type, said: str) -> None:
    with pytest.raises(kind, match=said):
        call()
