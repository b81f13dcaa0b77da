"""Interpretation of an ElementwiseKernel's calls.

This covers letters that stand for types, results that are requested with None,
and shapes that broadcast.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from pycuda import _registry
from pycuda._driver import ArrayBase
from pycuda.compyte.dtypes import NAME_TO_DTYPE
from pycuda.tools import Argument, ScalarArg, VectorArg, parse_c_arg

_GENERIC = re.compile(
    r"\s*(?:const\s+)?([A-Z])\s*(?:const\s*)?(\*?)\s*"
    r"(?:const\s+|__restrict__\s+)*(\w+)\s*$"
)


class GenericArg:
    """An argument whose type is a letter, which each call binds."""

    def __init__(self, letter: str, name: str, is_vector: bool) -> None:
        self.letter = letter
        self.name = name
        self.is_vector = is_vector

    def bound(self, dtype: np.dtype) -> Argument:
        """Return the argument with `dtype` in place of the letter."""
        return (VectorArg if self.is_vector else ScalarArg)(dtype, self.name)


def parse_arguments(
    arguments: str | Sequence[Argument],
) -> list[Argument | GenericArg]:
    """Parse C declarators with commas, or copy a list of arguments.

    A capital letter that is no registered type stands for any type.
    """
    if not isinstance(arguments, str):
        return list(arguments)
    return [_parse(text) for text in arguments.split(",")]


def _parse(text: str) -> Argument | GenericArg:
    match = _GENERIC.match(text)
    if match is None or match[1] in NAME_TO_DTYPE:
        return parse_c_arg(text)
    return GenericArg(match[1], match[3], bool(match[2]))


def is_vector(argument: Argument | GenericArg) -> bool:
    """Return whether the argument takes an array."""
    if isinstance(argument, GenericArg):
        return argument.is_vector
    return isinstance(argument, VectorArg)


def memory_of(array: Any) -> Any:
    """Return the argument that passes an array's memory; 0 if it has none."""
    return array if array.size else 0


# --- types ---------------------------------------------------------------


def bind(
    kernel: str, arguments: Sequence[Any], values: Sequence[Any]
) -> dict[str, np.dtype]:
    """Return the type of each letter in a call.

    Arrays decide; for a letter without arrays, NumPy's scalars do, then
    Python's numbers.  Raises TypeError if arrays disagree or nothing decides.
    """
    found: dict[str, tuple[np.dtype, str]] = {}
    pairs = [
        (argument, value)
        for argument, value in zip(arguments, values, strict=True)
        if isinstance(argument, GenericArg)
    ]
    for argument, value in pairs:
        if not argument.is_vector or value is None:
            continue
        dtype = getattr(value, "dtype", None)
        if dtype is None:
            # A later check refuses the value and reports the argument's name.
            continue
        known = found.setdefault(argument.letter, (dtype, argument.name))
        if known[0] != dtype:
            raise TypeError(
                f"{kernel}: {argument.letter} stands for {known[0]} in "
                f"'{known[1]}' and for {dtype} in '{argument.name}'; convert "
                "one with astype()"
            )
    for argument, value in pairs:
        if not argument.is_vector and argument.letter not in found:
            found[argument.letter] = np.asarray(value).dtype, argument.name
    for argument, _ in pairs:
        if argument.letter not in found:
            raise TypeError(
                f"{kernel}: no argument determines the type {argument.letter}"
            )
    return {letter: dtype for letter, (dtype, _) in found.items()}


# --- shapes --------------------------------------------------------------


def plain_vectors(arguments: Sequence[Any], *texts: str) -> list[bool]:
    """Return for each argument whether it is used only as ``name[i]``."""
    whole = "\n".join(texts)
    return [
        is_vector(argument)
        and len(re.findall(rf"\b{argument.name}\b", whole))
        == len(re.findall(rf"\b{argument.name}\s*\[\s*i\s*\]", whole))
        for argument in arguments
    ]


def uses_index(arguments: Sequence[Any], text: str) -> bool:
    """Return whether a text has an ``i`` other than that of ``name[i]``."""
    for argument in arguments:
        if is_vector(argument):
            text = re.sub(rf"\b{argument.name}\s*\[\s*i\s*\]", "", text)
    return re.search(r"\bi\b", text) is not None


def spread(array: Any, shape: tuple[int, ...]) -> Any:
    """Return a view of an array, broadcast to a shape, or raise ValueError."""
    if tuple(array.shape) == shape:
        return array
    missing = len(shape) - len(array.shape)
    lengths = (1,) * missing + tuple(array.shape)
    if missing < 0 or any(
        have not in (1, want)
        for have, want in zip(lengths, shape, strict=True)
    ):
        raise ValueError(
            f"an array of shape {array.shape} does not broadcast to {shape}"
        )
    strides = (0,) * missing + tuple(array.strides)
    if 0 in shape:
        return _registry.GPUArray(shape, array.dtype)
    return _registry.GPUArray(
        shape,
        array.dtype,
        base=array,
        gpudata=array.gpudata,
        strides=tuple(
            0 if length == 1 else stride
            for length, stride in zip(lengths, strides, strict=True)
        ),
    )


def spread_for(array: Any, shape: tuple[int, ...], is_changed: bool) -> Any:
    """Run `spread`, but raise ValueError for an array that is changed."""
    if is_changed and tuple(array.shape) != shape:
        raise ValueError(
            f"an array of shape {array.shape} is not broadcast to {shape}, "
            "since the kernel changes it"
        )
    return spread(array, shape)


def make_results(
    kernel: str,
    arguments: Sequence[Argument],
    values: list[Any],
    plain: Sequence[bool],
    changed: Sequence[bool],
) -> list[Any]:
    """Allocate arrays for the vectors in `values` that are None.

    The result's shape is that to which the vectors read by ``[i]`` broadcast;
    these vectors are replaced in `values` by broadcast views.
    """
    wanted = [
        k
        for k, argument in enumerate(arguments)
        if is_vector(argument) and values[k] is None
    ]
    given = [
        k
        for k in range(len(values))
        if plain[k] and isinstance(values[k], ArrayBase)
    ]
    if not wanted:
        return []
    if not given:
        raise TypeError(
            f"{kernel}: no array determines the shape of a result (None)"
        )
    shape = np.broadcast_shapes(*(values[k].shape for k in given))
    model = values[given[0]]
    fortran = all(
        values[k].shape == shape
        and values[k].flags.f_contiguous
        and not values[k].flags.c_contiguous
        for k in given
    )
    for k in given:
        values[k] = spread_for(values[k], shape, changed[k])
    for k in wanted:
        values[k] = _registry.GPUArray(
            shape,
            arguments[k].dtype,
            model.allocator,
            order="F" if fortran else "C",
        )
    return [values[k] for k in wanted]
