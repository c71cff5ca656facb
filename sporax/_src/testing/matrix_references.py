"""References for the logarithm of matrices and penalised least squares."""

from __future__ import annotations

import numpy as np


def logm(x):
    """By eigenvectors, which suffices for matrices that have enough of them."""
    values, vectors = np.linalg.eig(x.astype(np.complex128))
    return (vectors * np.log(values)[..., None, :] @ np.linalg.inv(vectors)).astype(x.dtype)


def solve_ls(a, b, penalty, fast=True):
    """Least squares of the matrix stacked on the square root of the penalty."""
    out = np.zeros((*a.shape[:-2], a.shape[-1], b.shape[-1]), a.dtype)
    for at in np.ndindex(a.shape[:-2]):
        rows, right = a[at], b[at]
        if fast:
            rows = np.concatenate([rows, np.sqrt(penalty) * np.eye(a.shape[-1])])
            right = np.concatenate([right, np.zeros((a.shape[-1], b.shape[-1]))])
        out[at] = np.linalg.lstsq(rows, right, rcond=None)[0]
    return out
