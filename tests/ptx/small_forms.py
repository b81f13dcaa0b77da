"""More forms for test_instructions: pairs of integers, lop3, small floats."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from instruction_forms import exact, form, limited, rounded, signed


def _pairs() -> None:
    picks = {"add": lambda a, b: a + b, "min": min, "max": max}
    for name, pick in picks.items():
        for kind in ("u16x2", "s16x2"):
            mores = ["", ".relu"] if kind[0] == "s" and name != "add" else [""]
            for more in mores:
                form(
                    "integer",
                    f"{name}{more}.{kind} %0, %1, %2;",
                    "rr",
                    "r",
                    lambda a, b, f=pick, s=kind[0] == "s", m=more: _both(
                        a, b, f, s, bool(m)
                    ),
                )
    for name in ("and", "or"):
        for mark in ("", "!"):
            form(
                "integer",
                "{ .reg .pred p, q; .reg .b32 t; setp.lt.u32 q, %3, 128; "
                f"lop3.{name}.b32 t|p, %1, %2, %3, 0x28, {mark}q; "
                "selp.u32 %0, 1, 0, p; add.u32 %0, %0, t; }",
                "rrr",
                "r",
                lambda a, b, c, n=name, m=mark: _looked_up(a, b, c, n, m),
            )
            form(
                "integer",
                "{ .reg .pred p, q; setp.lt.u32 q, %3, 128; "
                f"lop3.{name}.b32 _|p, %1, %2, %3, 0x80, {mark}q; "
                "selp.u32 %0, 1, 0, p; }",
                "rrr",
                "r",
                lambda a, b, c, n=name, m=mark: _tested(a & b & c, c, n, m),
            )


def _both(a: int, b: int, pick: Any, is_signed: bool, relu: bool) -> int:
    result = 0
    for i in (0, 16):
        x, y = a >> i & 0xFFFF, b >> i & 0xFFFF
        if is_signed:
            x, y = signed(x, 16), signed(y, 16)
        value = pick(x, y)
        value = max(value, 0) if relu else value
        result |= (value & 0xFFFF) << i
    return result


def _tested(value: int, c: int, name: str, mark: str) -> int:
    q = (c < 128) != (mark == "!")
    return int(value != 0 and q if name == "and" else value != 0 or q)


def _looked_up(a: int, b: int, c: int, name: str, mark: str) -> int:
    value = (~a & b & c) | (a & ~b & c)
    return value + _tested(value, c, name, mark)


LEAST = {"f16": 2.0**-14, "bf16": 2.0**-126}


def _flushed(value: float, kind: str) -> float:
    small = abs(value) < LEAST[kind]
    return float(np.copysign(0.0, value)) if small else value


def _flushing(compute: Any, values: tuple[float, ...]) -> float:
    result = np.float16(compute(*(_flushed(x, "f16") for x in values)))
    return _flushed(float(result), "f16")


def _halves() -> None:
    operations = {
        "add": (2, lambda a, b: a + b),
        "mul": (2, lambda a, b: a * b),
        "fma.rn": (3, lambda a, b, c: a * b + c),
    }
    for name, (count, operation) in operations.items():
        inputs = ", ".join(f"%{i + 1}" for i in range(count))
        compute = exact(operation, "rn", "f16")
        form(
            "half",
            f"{name}.ftz.f16 %0, {inputs};",
            "x" * count,
            "x",
            lambda *values, f=compute: _flushing(f, values),
        )
    form(
        "half",
        "{ .reg .pred p; setp.lt.ftz.f16 p, %1, %2; selp.u32 %0, 1, 0, p; }",
        "xx",
        "r",
        lambda a, b: int(_flushed(a, "f16") < _flushed(b, "f16")),
    )


MOST = {"f16": 65504.0, "bf16": float.fromhex("0x1.fep127")}


def _saturated(value: float, kind: str, mode: str, relu: bool) -> float:
    if np.isnan(value):
        return value
    if relu and value <= 0:
        return 0.0
    value = min(max(value, -MOST[kind]), MOST[kind])
    return rounded(Fraction(value), kind, mode) if value else value


def _conversions() -> None:
    for kind, letter in (("f16", "x"), ("bf16", "b")):
        for mode in ("rn", "rz"):
            for relu in ("", ".relu"):
                form(
                    "convert",
                    f"cvt.{mode}{relu}.satfinite.{kind}.f32 %0, %1;",
                    "f",
                    letter,
                    lambda a, k=kind, m=mode, r=relu: _saturated(
                        a, k, m, bool(r)
                    ),
                )
    for kind, letter in (("f16", "x"), ("bf16", "b"), ("f32", "f")):
        for mode in ("rn", "rz", "rm", "rp"):
            for source in ("u64", "s64"):
                form(
                    "convert",
                    f"cvt.{mode}.{kind}.{source} %0, %1;",
                    "l",
                    letter,
                    lambda a, k=kind, m=mode, s=source: _of_long(a, k, m, s),
                )
    for bits in (2, 4):
        for kind in ("u", "s"):
            form(
                "convert",
                f"cvt.pack.sat.{kind}{bits}.s32.b32 %0, %1, %2, %3;",
                "rrr",
                "r",
                lambda a, b, c, n=bits, s=kind == "s": (
                    c << 2 * n
                    | (limited(signed(a), n, s) & ((1 << n) - 1)) << n
                    | limited(signed(b), n, s) & ((1 << n) - 1)
                ),
            )


def _of_long(value: int, kind: str, mode: str, source: str) -> float:
    value = signed(value, 64) if source == "s64" else value
    return rounded(Fraction(value), kind, mode) if value else 0.0


_pairs()
_halves()
_conversions()
