"""einsum by products of matrices."""

import math

from sporax import ops


def _mint_einsum(equation, *operands):
    """Return sums of products over the labels that the result does not have."""
    terms, labels = _einsum_labels(equation, [x.ndim for x in operands])
    x, of_x = operands[0], terms[0]
    for i, y in enumerate(operands[1:], 1):
        remaining = labels + "".join(terms[i + 1 :])
        x, of_x = _einsum_product(*_einsum_diagonal(x, of_x), *_einsum_diagonal(y, terms[i]), remaining)
    x, of_x = _einsum_summed(*_einsum_diagonal(x, of_x), labels)
    return x if of_x == labels else ops.transpose(x, tuple(of_x.index(label) for label in labels))


def _einsum_labels(equation, ranks):
    """Return the labels of the operands and of the result; the dimensions of an ellipsis have digits."""
    operands, arrow, result = equation.replace(" ", "").partition("->")
    terms = operands.split(",")
    more = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    digits = "0123456789"[: max([n for term, n in zip(terms, more, strict=True) if "..." in term], default=0)]
    terms = [
        term.replace("...", digits[len(digits) - n :] if "..." in term else "")
        for term, n in zip(terms, more, strict=True)
    ]
    every = "".join(terms)
    if not arrow:
        result = digits + "".join(sorted(label for label in set(every) - set(digits) if every.count(label) == 1))
    return terms, result.replace("...", digits)


def _einsum_diagonal(x, labels):
    """Return the diagonal of those dimensions that have the same label."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first, second = labels.index(label), labels.rindex(label)
            x = ops.diagonal(x, 0, first, second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return x, labels


def _einsum_summed(x, labels, remaining):
    """Return the sum over the dimensions whose labels are not kept."""
    axes = tuple(i for i, label in enumerate(labels) if label not in remaining)
    return (x.sum(axes) if axes else x), "".join(label for label in labels if label in remaining)


def _einsum_product(x, of_x, y, of_y, remaining):
    """Return the product of two operands, summed over the labels that are not kept, and its labels."""
    x, of_x = _einsum_summed(x, of_x, remaining + of_y)
    y, of_y = _einsum_summed(y, of_y, remaining + of_x)
    shared = [label for label in of_x if label in of_y]
    sizes = dict(zip(of_y, y.shape, strict=True)) | {
        label: n for label, n in zip(of_x, x.shape, strict=True) if label not in of_y or n != 1
    }
    batch = "".join(label for label in shared if label in remaining)
    inner = "".join(label for label in shared if label not in remaining)
    rows = "".join(label for label in of_x if label not in shared)
    columns = "".join(label for label in of_y if label not in shared)
    a = _einsum_matrices(x, of_x, (batch, rows, inner), sizes)
    b = _einsum_matrices(y, of_y, (batch, inner, columns), sizes)
    labels = batch + rows + columns
    return ops.bmm(a, b).reshape(tuple(sizes[label] for label in labels)), labels


def _einsum_matrices(x, labels, groups, sizes):
    """Return an operand with three dimensions, each of a group of labels."""
    wanted = "".join(groups)
    x = ops.broadcast_to(x, tuple(sizes[label] for label in labels))
    x = ops.transpose(x, tuple(labels.index(label) for label in wanted)) if wanted else x
    return x.reshape(tuple(math.prod(sizes[label] for label in group) for group in groups))
