"""einops on MindSpore's Tensors: a backend for einops, its functions, and its layers as Cells."""

import einops
from einops import _backends
from einops.layers import RearrangeMixin, ReduceMixin
from einops.layers._einmix import _EinmixMixin

import sporax as mindspore
from sporax import mint, nn


class _EinopsBackend(_backends.AbstractBackend):
    """The backend of einops for MindSpore; einops finds it among the subclasses of its base."""

    framework_name = "mindspore"

    def is_appropriate_type(self, tensor):
        return isinstance(tensor, mindspore.Tensor)

    def from_numpy(self, x):
        return mindspore.Tensor(x)

    def to_numpy(self, x):
        return x.asnumpy()

    def arange(self, start, stop):
        return mint.arange(start, stop)

    def transpose(self, x, axes):
        return mint.permute(x, tuple(axes))

    def reduce(self, x, operation, axes):
        if operation in ("mean", "sum"):
            return getattr(mint, operation)(x, dim=tuple(axes))
        if operation in ("min", "max"):
            return getattr(mindspore.ops, f"a{operation}")(x, tuple(axes))
        for axis in sorted(axes, reverse=True):
            x = getattr(mint, operation)(x, dim=axis)
        return x

    def stack_on_zeroth_dimension(self, tensors):
        return mint.stack(tensors)

    def add_axis(self, x, new_position):
        return mint.unsqueeze(x, new_position)

    def tile(self, x, repeats):
        return mint.tile(x, tuple(repeats))

    def concat(self, tensors, axis):
        return mint.cat(tensors, axis)

    def is_float_type(self, x):
        return x.is_floating_point()

    def einsum(self, pattern, *x):
        return mint.einsum(pattern, *x)


def _rearrange(tensor, pattern, **axes_lengths):
    """Return a Tensor, or a list of Tensors, with its axes in the order of a pattern."""
    return einops.rearrange(tensor, pattern, **axes_lengths)


def _repeat(tensor, pattern, **axes_lengths):
    """Return a Tensor, repeated along the new axes of a pattern."""
    return einops.repeat(tensor, pattern, **axes_lengths)


def _reduce(tensor, pattern, reduction, **axes_lengths):
    """Return a Tensor, reduced over the axes that a pattern leaves out."""
    return einops.reduce(tensor, pattern, reduction, **axes_lengths)


def _einsum(*tensors_and_pattern):
    """Return the sum of products of Tensors whose axes have the names of a pattern."""
    return einops.einsum(*tensors_and_pattern)


def _pack(tensors, pattern):
    """Return Tensors joined along one axis, and the shapes that were joined."""
    return einops.pack(tensors, pattern)


def _unpack(tensor, packed_shapes, pattern):
    """Return the Tensors that `_pack` joined."""
    return einops.unpack(tensor, packed_shapes, pattern)


def _parse_shape(x, pattern):
    """Return the lengths of the axes of a Tensor by the names of a pattern."""
    return einops.parse_shape(x, pattern)


def _asnumpy(tensor):
    """Return a Tensor as an array."""
    return einops.asnumpy(tensor)


class _Rearrange(RearrangeMixin, nn.Cell):
    """Returns its input with its axes in the order of a pattern."""

    def construct(self, x):
        return self._apply_recipe(x)


class _Reduce(ReduceMixin, nn.Cell):
    """Returns its input, reduced over the axes that a pattern leaves out."""

    def construct(self, x):
        return self._apply_recipe(x)


class _EinMix(_EinmixMixin, nn.Cell):
    """Returns the sum of products of its input and a weight whose axes have the names of a pattern."""

    def _create_parameters(self, weight_shape, weight_bound, bias_shape, bias_bound):
        self.weight = _uniform(weight_shape, weight_bound)
        self.bias = None if bias_shape is None else _uniform(bias_shape, bias_bound)

    def _create_rearrange_layers(
        self, pre_reshape_pattern, pre_reshape_lengths, post_reshape_pattern, post_reshape_lengths
    ):
        self.pre_rearrange = _Rearrange(pre_reshape_pattern, **pre_reshape_lengths) if pre_reshape_pattern else None
        self.post_rearrange = _Rearrange(post_reshape_pattern, **post_reshape_lengths) if post_reshape_pattern else None

    def construct(self, x):
        x = x if self.pre_rearrange is None else self.pre_rearrange(x)
        x = mint.einsum(self.einsum_pattern, x, self.weight)
        x = x if self.bias is None else x + self.bias
        return x if self.post_rearrange is None else self.post_rearrange(x)


def _uniform(shape, bound):
    """Return a Parameter of values between plus and minus a bound."""
    return mindspore.Parameter((mint.rand(tuple(shape)) * 2 - 1) * bound)
