"""Packing of kernel arguments in the native mode of `struct`.

Adds ``F`` and ``D`` for complex numbers to the standard library's codes.
:class:`error` derives from :class:`struct.error`.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import struct as _struct
from functools import lru_cache
from typing import Any, NamedTuple

__all__ = [
    "Struct",
    "calcsize",
    "error",
    "pack",
    "pack_into",
    "unpack",
    "unpack_from",
]


class error(_struct.error):
    """A format is invalid, or values do not fit the format."""


error.__module__ = "struct"

# Format letter of a complex number -> letters of its two parts in the standard
# library.
_COMPLEX = {"F": "ff", "D": "dd"}
_REFUSED = "<>=!eg"
_DIGITS = "0123456789"
_MOST_VALUES = 1 << 16  # limit of the number of values in a format


class _Plan(NamedTuple):
    native: _struct.Struct
    codes: str  # the format with one letter per value: "iii" for "3i"


def _repeat(count: str) -> int:
    """Return the count before a code; 1 if there is none."""
    if len(count) > 9 or int(count or "1") > _MOST_VALUES:
        raise error(
            f"repeat count {count[:20]} in struct format: it may be at most "
            f"{_MOST_VALUES}"
        )
    return int(count or "1")


@lru_cache(maxsize=100)
def _plan(fmt: str) -> _Plan:
    native = "@"
    codes = ""
    count = ""
    for position, code in enumerate(fmt):
        if code == "@" and position == 0 or code.isspace():
            continue
        if code in _DIGITS:
            count += code
            continue
        if code in _REFUSED:
            raise error(f"bad char in struct format: {code!r}")
        repeat = _repeat(count)
        if code in _COMPLEX:
            native += _COMPLEX[code] * repeat
            codes += code * repeat
        else:
            native += count + code
            values = {"s": 1, "p": 1, "x": 0}.get(code, repeat)
            codes += code * values
        if len(codes) > _MOST_VALUES:
            raise error(f"struct format of more than {_MOST_VALUES} values")
        count = ""
    try:
        return _Plan(_struct.Struct(native), codes)
    except _struct.error as reason:
        raise error(str(reason)) from None


def _clearcache() -> None:
    _plan.cache_clear()


def _contiguous_bytes(value: Any) -> bytes:
    try:
        view = memoryview(value)
    except TypeError:
        kind = type(value).__name__
        raise error(f"argument for 's' must be a buffer, not {kind}") from None
    if not view.contiguous:
        raise error("argument for 's' must be a contiguous buffer")
    return view.tobytes("A")


def _flatten(plan: _Plan, values: tuple[Any, ...]) -> list[Any]:
    if len(values) != len(plan.codes):
        raise error(
            f"pack requires exactly {len(plan.codes)} arguments, got "
            f"{len(values)}"
        )
    flat: list[Any] = []
    for value, code in zip(values, plan.codes, strict=True):
        if code in _COMPLEX:
            number = complex(value)
            flat += [number.real, number.imag]
        elif code == "s" and not isinstance(value, (bytes, bytearray, str)):
            flat.append(_contiguous_bytes(value))
        elif hasattr(value, "nbytes") and hasattr(value, "tobytes"):
            flat.append(value.tobytes() if value.dtype.kind == "V" else value)
        else:
            flat.append(value)
    return flat


def calcsize(fmt: str) -> int:
    """Return the size in bytes of the values that ``fmt`` describes."""
    return _plan(fmt).native.size


def pack(fmt: str, *values: Any) -> bytes:
    """Pack values into bytes.

    Raises
    ------
    error
        If the number of values is wrong, or a value does not fit its code.
    """
    plan = _plan(fmt)
    try:
        return plan.native.pack(*_flatten(plan, values))
    except _struct.error as reason:
        raise error(str(reason)) from None


def pack_into(fmt: str, buffer: Any, offset: int, *values: Any) -> None:
    """Pack values into a writable buffer at an offset in bytes."""
    plan = _plan(fmt)
    try:
        plan.native.pack_into(buffer, offset, *_flatten(plan, values))
    except _struct.error as reason:
        raise error(str(reason)) from None


def _join(plan: _Plan, flat: tuple[Any, ...]) -> tuple[Any, ...]:
    values: list[Any] = []
    items = iter(flat)
    for code in plan.codes:
        first = next(items)
        joined = complex(first, next(items)) if code in _COMPLEX else first
        values.append(joined)
    return tuple(values)


def unpack(fmt: str, buffer: Any) -> tuple[Any, ...]:
    """Unpack all values of a buffer."""
    plan = _plan(fmt)
    try:
        return _join(plan, plan.native.unpack(buffer))
    except _struct.error as reason:
        raise error(str(reason)) from None


def unpack_from(fmt: str, buffer: Any, offset: int = 0) -> tuple[Any, ...]:
    """Unpack values of a buffer from an offset in bytes."""
    plan = _plan(fmt)
    try:
        return _join(plan, plan.native.unpack_from(buffer, offset))
    except _struct.error as reason:
        raise error(str(reason)) from None


class Struct:
    """A format with its pack and unpack functions."""

    def __init__(self, format: str) -> None:
        self.format = format
        self.size = calcsize(format)

    def pack(self, *values: Any) -> bytes:
        """Pack values into bytes."""
        return pack(self.format, *values)

    def pack_into(self, buffer: Any, offset: int, *values: Any) -> None:
        """Pack values into a writable buffer."""
        pack_into(self.format, buffer, offset, *values)

    def unpack(self, buffer: Any) -> tuple[Any, ...]:
        """Unpack all values of a buffer."""
        return unpack(self.format, buffer)

    def unpack_from(self, buffer: Any, offset: int = 0) -> tuple[Any, ...]:
        """Unpack values of a buffer from an offset."""
        return unpack_from(self.format, buffer, offset)
