"""Vectors that an operation changes, as far as its text shows."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pycuda._kernels.calls import is_vector

_ASSIGNMENT = r"(?:=(?!=)|(?:[-+*/%&|^]|<<|>>)=|\+\+|--)"
_ASSIGNED = re.compile(rf"\s*{_ASSIGNMENT}")
_PERHAPS_ASSIGNED = re.compile(
    rf"[\s)]*(?:\.\s*\w+[\s)]*)*{_ASSIGNMENT}|\s*\.\s*\w+\s*\(\s*[^\s)]"
)
_CHANGED = re.compile(r"(?:\+\+|--)\s*$|(?:^|[(,=;{}?:]|\*\s*\))\s*&\s*$")
_REFERENCE = re.compile(r"([^(),;{}]*[\w>])\s*&\s*\w+\s*(?:[,)]|=(?!=))")
_ASSEMBLER = re.compile(r"\basm\b")


def of(
    arguments: Sequence[Any],
    declared: object,
    operation: str,
    preamble: str,
    has_files: bool,
) -> tuple[list[bool], list[bool]]:
    """Return two flags per argument: a vector is changed, and may be changed.

    `declared` are the arguments as they were given, in which a vector may be
    ``const``; macros in `operation` are expanded.
    """
    constant = _constant(declared, len(arguments))
    anything = (
        has_files
        or _ASSEMBLER.search(operation) is not None
        or _has_references(operation)
        or _has_references(preamble)
    )
    surely, perhaps = [], []
    for argument, is_constant in zip(arguments, constant, strict=True):
        uses = []
        if is_vector(argument) and not is_constant:
            mentions = re.finditer(rf"\b{argument.name}\b", operation)
            uses = [_use(operation, m.start(), m.end()) for m in mentions]
        surely.append(any(sure for sure, _ in uses))
        perhaps.append(any(anything or may for _, may in uses))
    return surely, perhaps


def _constant(declared: object, count: int) -> list[bool]:
    if not isinstance(declared, str):
        return [False] * count
    return [
        re.search(r"\bconst\b", text.partition("*")[0]) is not None
        for text in declared.split(",")
    ]


def _has_references(text: str) -> bool:
    """Return whether something in a text may be an alias of an element."""
    return any(
        "const" not in found[1].split() for found in _REFERENCE.finditer(text)
    )


def _use(text: str, begin: int, end: int) -> tuple[bool, bool]:
    """Return whether the vector at `begin` is changed there, and may be."""
    behind = _behind_index(text, end)
    if behind is None:
        # The name is used as a pointer, so other code may write to the vector.
        return False, True
    before, rest = text[:begin], text[behind:]
    sure = (
        _ASSIGNED.match(rest) is not None
        or _CHANGED.search(before) is not None
    )
    return sure, sure or _PERHAPS_ASSIGNED.match(rest) is not None


def _behind_index(text: str, position: int) -> int | None:
    """Return the end of the brackets after a name; None if there are none."""
    depth = 0
    for at in range(position, len(text)):
        if text[at] == "[":
            depth += 1
        elif text[at] == "]":
            depth -= 1
        elif not depth and not text[at].isspace():
            return None
        if not depth and text[at] == "]":
            return at + 1
    return None
