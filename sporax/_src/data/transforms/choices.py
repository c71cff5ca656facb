"""Operations that combine operations: one after the other, or at random."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.data import randomness
from sporax._src.data.transforms.base import TensorOperation, is_pil


def check_operations(where: str, operations: object) -> list[Any]:
    """Return `operations` as a list of callables.

    Raises:
        TypeError: If it is not a list, or an item is not callable.
        ValueError: If it is empty.
    """
    if not isinstance(operations, (list, tuple)):
        raise TypeError(f"{where}: transforms must be a list, got {describe(operations)}.")
    if not operations:
        raise ValueError(f"{where}: transforms cannot be empty.")
    for position, operation in enumerate(operations):
        if not callable(operation):
            raise TypeError(f"{where}: transforms[{position}] must be callable, got {describe(operation)}.")
    return list(operations)


def check_probability(where: str, prob: object) -> float:
    """Return `prob` if it is a number of [0, 1].

    Raises:
        TypeError: If it is not a number.
        ValueError: If it is out of range.
    """
    if isinstance(prob, bool) or not isinstance(prob, (int, float)):
        raise TypeError(f"{where}: prob must be a number, got {describe(prob)}.")
    if not 0 <= prob <= 1:
        raise ValueError(f"{where}: prob must be in [0, 1], got {prob}.")
    return float(prob)


def in_turn(operations: Sequence[Any], inputs: tuple[Any, ...]) -> Any:
    """Apply `operations` one after the other; a tuple that one returns becomes the arguments of the next."""
    for operation in operations:
        result = operation(*inputs)
        inputs = result if isinstance(result, tuple) else (result,)
    return inputs[0] if len(inputs) == 1 else inputs


class Compose(TensorOperation):
    """Applies operations one after the other.

    Called by itself, it returns the tuple of the results if an operation is one that works on Pillow images alone
    (`vision.ToPIL`), or the argument is such an image; else one result as it is.

    Args:
        transforms (list): The operations.

    Raises:
        TypeError: If `transforms` is not a list of callables.
        ValueError: If it is empty.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.Compose([transforms.Fill(2), transforms.TypeCast("float32")])([1, 1])
        array([2., 2.], dtype=float32)
    """

    def __init__(self, transforms: list[Any]) -> None:
        self.transforms = check_operations("transforms.Compose", transforms)
        self.in_python = any(getattr(operation, "in_python", False) for operation in self.transforms)

    def __call__(self, *inputs: object) -> Any:
        result = in_turn(self.transforms, inputs)
        in_python = self.in_python or (len(inputs) == 1 and is_pil(inputs[0]))
        return (result,) if in_python and not isinstance(result, tuple) else result

    @staticmethod
    def reduce(operations: list[Any]) -> list[Any]:
        """Return the operations, with each run of several Python functions combined into one `Compose`.

        Args:
            operations (list): The operations.
        """
        if len(operations) == 1:
            return operations
        reduced: list[Any] = []
        for known, group in groupby(operations, lambda operation: isinstance(operation, TensorOperation)):
            row = list(group)
            reduced += row if known else [Compose(row)]
        return reduced


class RandomApply(TensorOperation):
    """Applies all operations, with probability `prob`, else none.

    Args:
        transforms (list): The operations.
        prob (float): The probability. Default: ``0.5``.

    Raises:
        TypeError: If `transforms` is not a list of callables or `prob` not a number.
        ValueError: If `transforms` is empty or `prob` out of [0, 1].

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.RandomApply([transforms.Fill(2)], prob=1.0)([1, 1])
        array([2, 2])
    """

    def __init__(self, transforms: list[Any], prob: float = 0.5) -> None:
        self.transforms = check_operations("transforms.RandomApply", transforms)
        self.prob = check_probability("transforms.RandomApply", prob)

    def __call__(self, *inputs: object) -> Any:
        chosen = self.transforms if randomness.generator().random() < self.prob else []
        return in_turn(chosen, inputs)


class RandomChoice(TensorOperation):
    """Applies one operation, chosen at random.

    Args:
        transforms (list): The operations.

    Raises:
        TypeError: If `transforms` is not a list of callables.
        ValueError: If it is empty.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.RandomChoice([transforms.Fill(2)])([1, 1])
        array([2, 2])
    """

    def __init__(self, transforms: list[Any]) -> None:
        self.transforms = check_operations("transforms.RandomChoice", transforms)

    def __call__(self, *inputs: object) -> Any:
        return in_turn([self.transforms[randomness.generator().integers(len(self.transforms))]], inputs)


class RandomOrder(TensorOperation):
    """Applies all operations in random order.

    Args:
        transforms (list): The operations.

    Raises:
        TypeError: If `transforms` is not a list of callables.
        ValueError: If it is empty.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.RandomOrder([lambda x: x + 1, lambda x: x + 2])(0)
        3
    """

    in_python = True

    def __init__(self, transforms: list[Any]) -> None:
        self.transforms = check_operations("transforms.RandomOrder", transforms)

    def __call__(self, *inputs: object) -> Any:
        order = randomness.generator().permutation(len(self.transforms))
        return in_turn([self.transforms[position] for position in order], inputs)
