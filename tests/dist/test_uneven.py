"""Collective operators over pieces of several lengths, in a run of one process."""

import pytest

from sporax import Tensor
from sporax._src.dist import uneven

GROUP = "hccl_world_group"
X = Tensor([1.0, 2.0, 3.0, 4.0])


def test_the_only_process_has_all_pieces() -> None:
    assert uneven.all_gather_v(X, [4], group=GROUP).tolist() == X.tolist()
    assert uneven.reduce_scatter_v(X, [4], op="sum", group=GROUP).tolist() == X.tolist()
    assert uneven.all_to_all_v(X, [2], [2], group=GROUP, block_size=2).tolist() == X.tolist()
    assert uneven.all_to_all_by_matrix(X, Tensor([[2]]), group=GROUP, block_size=2).tolist() == X.tolist()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: uneven.all_gather_v(X, [3], group=GROUP),
            r"AllGatherV: output_split_sizes must be \[4\], .* got \[3\]",
        ),
        (lambda: uneven.reduce_scatter_v(X, [4], op="mean", group=GROUP), "ReduceScatterV: op must be one of sum"),
        (lambda: uneven.all_to_all_v(X, [4], [2], group=GROUP, block_size=2), r"send_numel_list must be \[2\]"),
        (lambda: uneven.all_to_all_v(X, [2], [1], group=GROUP, block_size=2), r"recv_numel_list must be \[2\]"),
        (
            lambda: uneven.all_to_all_by_matrix(X, [1, 1], group=GROUP, block_size=2),
            "AlltoAllVC: send_count_matrix must have 1 x 1 elements, got 2",
        ),
        (
            lambda: uneven.all_to_all_by_matrix(X, [1], group=GROUP, block_size=2),
            r"AlltoAllVC: row of send_count_matrix must be \[2\]",
        ),
    ],
)
def test_lengths_that_do_not_fit(call, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()
