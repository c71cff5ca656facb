"""The halo of a convolution: how far its kernel reaches beyond a device's shard of the image."""

from __future__ import annotations

from typing import NamedTuple


class Reach(NamedTuple):
    """A kernel that moves along one axis of an image.

    Attributes:
        size: The size of the image.
        out: The size of the result.
        kernel: The size of the kernel, with its dilation.
        stride: How far it moves each time.
        spread: How far elements of the image are apart; above 1 it is a transposed convolution.
        before: How many zeros are put before the first element.
    """

    size: int
    out: int
    kernel: int
    stride: int
    spread: int
    before: int

    def fits(self, pieces: int) -> bool:
        """Return whether the halo of every shard lies within the neighbouring shards.

        If kernels do not overlap, nothing is exchanged: padding with zeros would move the kernels across the borders of
            the shards.
        """
        piece, out_piece = self.size // pieces, self.out // pieces
        if self.spread == 1 and self.kernel <= self.stride:
            ends = (self.out - 1) * self.stride + self.kernel
            return self.before == 0 and ends <= self.size and piece % self.stride == 0
        for number in range(pieces):
            start = number * out_piece * self.stride - self.before
            end = start + (out_piece - 1) * self.stride + self.kernel
            first, behind = -(-start // self.spread), -(-end // self.spread)  # elements of the image
            reaches = (
                number * piece - first if number else 0,
                behind - (number + 1) * piece if number < pieces - 1 else 0,
            )
            if not 0 <= min(reaches) <= max(reaches) <= piece:
                return False
        return True
