"""NumPy's ufunc keywords: dtype, signature, casting, where, order, subok."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from pycuda._driver import ArrayBase, _apply

_KNOWN = {"dtype", "signature", "sig", "casting", "where", "order", "subok"}


def _kind(value: Any) -> Any:
    """Return the type by which NumPy selects a loop: dtype or Python type."""
    if type(value) in (int, float, complex):
        return type(value)
    return value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype


def _gives_truth(ufunc: np.ufunc) -> bool:
    """Return whether all results are bool, which implies no input type."""
    return all(text[-1] in "?O" for text in ufunc.types)


def _signature(
    ufunc: np.ufunc, keywords: dict[str, Any]
) -> tuple[Any, ...] | None:
    """Return the requested types of inputs and output, None for any type."""
    given = keywords.pop("signature", None)
    given = keywords.pop("sig", given)
    dtype = keywords.pop("dtype", None)
    if dtype is not None and _gives_truth(ufunc):
        dtype = None if np.dtype(dtype) == bool else dtype
    if given is None:
        return None if dtype is None else (*[None] * ufunc.nin, dtype)
    if dtype is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    if not isinstance(given, str):
        return tuple(given)
    inputs, arrow, output = given.partition("->")
    if not arrow:
        return (*[None] * ufunc.nin, given)
    return (*inputs, *output)


def _converted(
    ufunc: np.ufunc,
    inputs: tuple[Any, ...],
    signature: tuple[Any, ...] | None,
    casting: str,
) -> tuple[tuple[Any, ...], np.dtype | None]:
    """Return (inputs converted to the requested loop's types, output type)."""
    if signature is None:
        return inputs, None
    kinds = (*map(_kind, inputs), *[None] * ufunc.nout)
    loop = ufunc.resolve_dtypes(kinds, signature=signature, casting=casting)
    values = tuple(
        value.astype(dtype)
        if isinstance(value, ArrayBase) and value.dtype != dtype
        else value
        if isinstance(value, ArrayBase)
        else dtype.type(value)
        for value, dtype in zip(inputs, loop, strict=False)
    )
    return values, loop[-1]


def _ordered(result: Any, order: str) -> Any:
    wanted = {"C": "c_contiguous", "F": "f_contiguous"}.get(order)
    if wanted is None or getattr(result.flags, wanted):
        return result
    return result.copy(order)


def call(
    ufunc: np.ufunc,
    name: str,
    inputs: tuple[Any, ...],
    target: Any,
    keywords: dict[Any, Any],
) -> Any:
    """Return the ufunc's result on device arrays, or NotImplemented.

    Elements that `where` excludes keep the values of `target`; without a
    target they are undefined, as in NumPy.
    """
    if set(keywords) - _KNOWN:
        return NotImplemented
    casting = keywords.pop("casting", "same_kind")
    where = keywords.pop("where", True)
    order = keywords.pop("order", "K")
    signature = _signature(ufunc, keywords)
    inputs, dtype = _converted(ufunc, inputs, signature, casting)
    result = _apply(name, inputs, None)
    if dtype is not None and result.dtype != dtype:
        result = result.astype(dtype)
    if target is None:
        return _ordered(result, order)
    if not np.can_cast(result.dtype, target.dtype, casting):
        raise TypeError(
            f"Cannot cast ufunc '{ufunc.__name__}' output from "
            f"{result.dtype!r} to {target.dtype!r} with casting rule "
            f"'{casting}'"
        )
    if where is True:
        _apply("copy", (result,), target)
    else:
        _apply("where", (where, result, target), target)
    return target
