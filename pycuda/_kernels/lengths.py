"""Number of elements in a call of an ElementwiseKernel.

The first vector determines it, unless the operation writes ``name[i]`` of a
shorter one.  Vectors that are only read may be broadcast.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pycuda._compile.source import without_comments
from pycuda._compile.warn import warn_user
from pycuda._kernels.calls import is_vector, spread_for

# Syntax that may exclude some indices from an access.
_CONDITION = re.compile(r"\b(?:if|switch|while|for)\b|\?|&&|\|\|")
_JUMP = re.compile(r"\b(?:return|continue|break|goto)\b")


def is_guarded(text: str) -> bool:
    """Return whether some elements may be skipped, so vectors may be short."""
    return _CONDITION.search(text) is not None


def _store(name: str) -> re.Pattern:
    """Match a statement that writes name[i], such as y[i] = name[i] = ..."""
    element = rf"\b{name}\s*\[\s*i\s*\]"
    return re.compile(
        r"(?:\w+\s*\[\s*i\s*\]\s*=(?!=)\s*)*"
        rf"(?:(?:\+\+|--)\s*{element}|[\w:]+\s*\([^?]*?&\s*{element}"
        rf"|{element}\s*(?:\.\s*\w+\s*)*"
        r"(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--))"
    )


def _statements(text: str) -> list[str]:
    """Return the statements of an operation that are in no block."""
    depth, found = 0, [""]
    for letter in without_comments(text):
        depth += (letter in "({[") - (letter in ")}]")
        if depth == 0 and letter in ";}":
            found.append("")
        else:
            found[-1] += letter
    return [statement.strip() for statement in found]


class Lengths:
    """Requirements of an operation on the lengths of its vectors.

    Parameters
    ----------
    kernel : str
        Its name, for messages.
    arguments : sequence of Argument or GenericArg
        The kernel's arguments.
    plain : sequence of bool
        For each argument: whether it is a vector that is only used as
        ``name[i]``.
    changed : sequence of bool
        For each argument: whether the operation may write to it.
    text : str
        The operation, with macros expanded.
    """

    def __init__(
        self,
        kernel: str,
        arguments: Sequence[Any],
        plain: Sequence[bool],
        changed: Sequence[bool],
        text: str,
    ) -> None:
        vectors = [k for k, a in enumerate(arguments) if is_vector(a)]
        self._kernel = kernel
        self._names = [arguments[k].name for k in vectors]
        self._plain = [plain[k] for k in vectors]
        self._changed = [changed[k] for k in vectors]
        self._is_guarded = is_guarded(text)
        self._has_warned = False
        # For each vector: whether a call certainly writes its element i for
        # every index i. This is so if the operation has no condition, or if
        # the statement that writes is outside of all braces and no jump skips
        # the statement.
        has_jump = _JUMP.search(text) is not None
        statements = [] if has_jump else _statements(text)
        self._limits = [
            (is_plain and is_changed and not (self._is_guarded or has_jump))
            or any(map(_store(name).match, statements))
            for name, is_plain, is_changed in zip(
                self._names, self._plain, self._changed, strict=True
            )
        ]

    def fit(self, arrays: list[Any]) -> tuple[list[Any], int]:
        """Broadcast the arrays; return them and the number of elements.

        Raises
        ------
        ValueError
            If one that is only read by ``[i]`` is too short and does not
            broadcast, and no condition may keep ``i`` within it.

        Warns
        -----
        UserWarning
            Once, if one that is written is shorter than the first.
        """
        size = arrays[0].size
        if all(array.size >= size for array in arrays):
            return arrays, size
        least = 0
        for k, array in enumerate(arrays):
            if self._limits[k] and array.size < arrays[least].size:
                least = k
        if least and not self._has_warned:
            self._has_warned = True
            warn_user(
                f"{self._kernel}: '{self._names[least]}' is written to and "
                f"has {arrays[least].size} elements, '{self._names[0]}' has "
                f"{size}: the remaining elements are not computed"
            )
        size = arrays[least].size
        fitted = [
            self._fit_one(k, array, arrays[0])
            if self._plain[k] and array.size < size
            else array
            for k, array in enumerate(arrays)
        ]
        return fitted, size

    def _fit_one(self, k: int, array: Any, first: Any) -> Any:
        """Return `array`, broadcast to the first one's shape.

        If conditions may keep `i` within either shape, only a single element
        is broadcast, so that indices beyond it cannot be reached.
        """
        is_single = self._is_guarded and array.size == 1
        try:
            return spread_for(
                array, tuple(first.shape), self._changed[k] and not is_single
            )
        except ValueError as error:
            if self._is_guarded:
                return array
            raise ValueError(
                f"{self._kernel}: argument '{self._names[k]}': {error}"
            ) from None
