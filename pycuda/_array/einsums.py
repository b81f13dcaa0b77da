"""numpy.einsum on the device: contractions of two operands by matmul."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pycuda._array.common import HOST_ARRAY
from pycuda._array.constructors import upload
from pycuda._driver import ArrayBase

# Labels of axes: characters or integers. The axes of "..." have negative ones.
_Labels = list[Any]


def _parsed(operands: tuple[Any, ...]) -> tuple[list[Any], list[_Labels], Any]:
    """Return (arrays, labels of each, labels of the result or None)."""
    if isinstance(operands[0], str):
        text = operands[0].replace(" ", "")
        inputs, arrow, output = text.partition("->")
        arrays = list(operands[1:])
        terms = [_split(term) for term in inputs.split(",")]
        result = _split(output) if arrow else None
    else:
        arrays = list(operands[: len(operands) // 2 * 2 : 2])
        terms = [list(term) for term in operands[1::2]]
        result = list(operands[-1]) if len(operands) % 2 else None
    if len(terms) != len(arrays):
        raise ValueError(
            f"einsum: {len(terms)} subscripts for {len(arrays)} operands"
        )
    return arrays, terms, result


def _split(term: str) -> _Labels:
    """Return the labels of a term, with Ellipsis for the three dots."""
    labels: _Labels = []
    rest = term
    while rest:
        if rest.startswith("..."):
            labels.append(Ellipsis)
            rest = rest[3:]
        elif rest[0].isalpha():
            labels.append(rest[0])
            rest = rest[1:]
        else:
            raise ValueError(
                f"einsum: {rest[0]!r} in the subscripts {term!r} is neither "
                "a letter nor '...'"
            )
    return labels


def _expanded(labels: _Labels, ndim: int) -> _Labels:
    """Replace Ellipsis by negative numbers, -1 for the last of its axes."""
    if Ellipsis not in labels:
        if len(labels) != ndim:
            raise ValueError(
                f"einsum: {len(labels)} subscripts for an operand with "
                f"{ndim} axes"
            )
        return labels
    at = labels.index(Ellipsis)
    missing = ndim - len(labels) + 1
    if missing < 0 or labels.count(Ellipsis) > 1:
        raise ValueError("einsum: too many subscripts for an operand")
    return labels[:at] + list(range(-missing, 0)) + labels[at + 1 :]


def _implied(terms: list[_Labels]) -> _Labels:
    """Return the result's labels if none are given."""
    flat = [label for term in terms for label in term]
    dots = sorted({k for k in flat if isinstance(k, int) and k < 0})
    once = sorted(k for k in set(flat) - set(dots) if flat.count(k) == 1)
    return dots + once


def _diagonals(a: Any, labels: _Labels) -> tuple[Any, _Labels]:
    """Take the diagonal of axes with the same label."""
    for label in list(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if a.shape[first] != a.shape[second]:
                raise ValueError(
                    f"einsum: axes with the subscript {label!r} have lengths "
                    f"{a.shape[first]} and {a.shape[second]}"
                )
            a = np.diagonal(a, 0, first, second)
            labels = [
                k for n, k in enumerate(labels) if n not in (first, second)
            ] + [label]
    return a, labels


def _lengths(arrays: list[Any], terms: list[_Labels]) -> dict[Any, int]:
    lengths: dict[Any, int] = {}
    for a, labels in zip(arrays, terms, strict=True):
        for label, n in zip(labels, a.shape, strict=True):
            known = lengths.setdefault(label, n)
            if known == 1:
                lengths[label] = n
            elif n not in (1, known):
                raise ValueError(
                    f"einsum: the subscript {label!r} has the lengths "
                    f"{known} and {n}"
                )
    return lengths


def _without_ones(
    a: Any, labels: _Labels, lengths: dict[Any, int]
) -> tuple[Any, _Labels]:
    """Drop axes of length 1 that broadcast along a longer axis."""
    kept = [
        k for k, label in enumerate(labels)
        if a.shape[k] == lengths[label]
    ]  # fmt: skip
    if len(kept) == len(labels):
        return a, labels
    return a.reshape([a.shape[k] for k in kept]), [labels[k] for k in kept]


def _summed(a: Any, labels: _Labels, needed: set[Any]) -> tuple[Any, _Labels]:
    """Sum over axes that neither the result nor other operands have."""
    axes = tuple(k for k, label in enumerate(labels) if label not in needed)
    if not axes:
        return a, labels
    total = np.sum(a, axis=axes, dtype=a.dtype)
    return total, [label for label in labels if label in needed]


def _arranged(
    a: Any, labels: _Labels, groups: Sequence[_Labels], lengths: dict[Any, int]
) -> Any:
    """Return the array with one axis for each group of labels."""
    order = [labels.index(label) for group in groups for label in group]
    shape = [math.prod(lengths[k] for k in group) for group in groups]
    return (a.transpose(*order) if order else a).reshape(shape)


def _contracted(
    a: Any, left: _Labels, b: Any, right: _Labels, needed: set[Any],
    lengths: dict[Any, int],
) -> tuple[Any, _Labels]:  # fmt: skip
    """Multiply two operands; sum over labels that are used nowhere else."""
    both = [k for k in left if k in right]
    batch = [k for k in both if k in needed]
    inner = [k for k in both if k not in needed]
    rows = [k for k in left if k not in right]
    columns = [k for k in right if k not in left]
    labels = batch + rows + columns
    shape = [lengths[k] for k in labels]
    if inner:
        x = _arranged(a, left, (batch, rows, inner), lengths)
        y = _arranged(b, right, (batch, inner, columns), lengths)
        return np.matmul(x, y).reshape(shape), labels
    x = _arranged(a, left, (batch, rows, []), lengths)
    y = _arranged(b, right, (batch, [], columns), lengths)
    return (x * y).reshape(shape), labels


def _path(arrays: list[Any], terms: list[_Labels], output: _Labels) -> Any:
    """Return NumPy's order of contractions, from shapes alone."""
    if len(arrays) < 3:
        return [tuple(range(len(arrays)))]
    names = {k: n for n, k in enumerate(sorted({*sum(terms, [])}, key=str))}
    given: list[Any] = []
    for a, labels in zip(arrays, terms, strict=True):
        given.append(np.broadcast_to(np.float64(0), a.shape))
        given.append([names[k] for k in labels])
    path = np.einsum_path(  # type: ignore[call-overload]
        *given, [names[k] for k in output], optimize="greedy"
    )[0]
    return path[1:]


def _prepared(
    operands: tuple[Any, ...], dtype: Any
) -> tuple[list[Any], list[_Labels], _Labels, dict[Any, int]]:
    """Return (arrays, their labels, the result's labels, lengths)."""
    arrays, terms, output = _parsed(operands)
    if any(isinstance(a, np.ndarray) and a.ndim for a in arrays):
        raise TypeError(HOST_ARRAY)
    arrays = [
        a if isinstance(a, ArrayBase) else upload(np.asarray(a))
        for a in arrays
    ]
    kind = np.result_type(*(a.dtype for a in arrays)) if dtype is None else (
        np.dtype(dtype)
    )  # fmt: skip
    arrays = [a if a.dtype == kind else a.astype(kind) for a in arrays]
    terms = [
        _expanded(labels, a.ndim)
        for a, labels in zip(arrays, terms, strict=True)
    ]
    if output is None:
        output = _implied(terms)
    else:
        dots = sorted({
            k for labels in terms for k in labels
            if isinstance(k, int) and k < 0
        })  # fmt: skip
        at = output.index(Ellipsis) if Ellipsis in output else None
        if at is not None:
            output = output[:at] + dots + output[at + 1 :]
    lengths = _lengths(arrays, terms)
    unknown = [k for k in output if k not in lengths]
    if unknown or len(set(output)) != len(output):
        raise ValueError(
            f"einsum: the result's subscripts {output} must be different and "
            "occur in the operands"
        )
    return arrays, terms, output, lengths


def einsum(
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: str = "K",
    casting: str = "safe",
    optimize: Any = False,
) -> Any:
    """Return ``numpy.einsum`` of device arrays.

    Pairs of operands are contracted by matmul, in the order that
    ``numpy.einsum_path`` finds; float16 accumulates in float32.
    """
    arrays, terms, output, lengths = _prepared(operands, dtype)
    terms = list(terms)
    path = _path(arrays, terms, output)
    for k, (a, labels) in enumerate(zip(arrays, terms, strict=True)):
        a, labels = _diagonals(a, labels)
        arrays[k], terms[k] = _without_ones(a, labels, lengths)
    for step in path:
        chosen = [(arrays[k], terms[k]) for k in step]
        for k in sorted(step, reverse=True):
            del arrays[k], terms[k]
        others = {*output, *(label for term in terms for label in term)}
        a, labels = _folded(chosen, others, lengths)
        arrays.append(a)
        terms.append(labels)
    result, labels = _summed(arrays[0], terms[0], set(output))
    if output:
        result = result.transpose(*[labels.index(k) for k in output])
    if out is not None:
        np.copyto(out, result)
        return out
    return result.copy(order) if order in ("C", "F") else result


def _folded(
    chosen: list[tuple[Any, _Labels]], others: set[Any],
    lengths: dict[Any, int],
) -> tuple[Any, _Labels]:  # fmt: skip
    """Contract the operands of one step, one after the other."""
    parts = []
    for k, (a, labels) in enumerate(chosen):
        needed = {*others}
        for n, (_, theirs) in enumerate(chosen):
            needed |= set(theirs) if n != k else set()
        parts.append(_summed(a, labels, needed))
    a, labels = parts[0]
    for n, (b, theirs) in enumerate(parts[1:], 1):
        needed = {*others, *(k for _, term in parts[n + 1 :] for k in term)}
        a, labels = _contracted(a, labels, b, theirs, needed, lengths)
    return _summed(a, labels, others)
