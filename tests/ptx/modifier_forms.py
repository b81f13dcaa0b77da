"""Forms for test_instructions: every modifier that changes a number.

These are .sat, .ftz, .relu, .NaN and .xorsign.abs, in each combination.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from instruction_forms import (
    FORMATS,
    _extreme,
    _half_of,
    _negative_sum,
    _of_integer,
    exact,
    form,
    limited,
    signed,
)

MODES = ("rn", "rz", "rm", "rp")
LETTERS = {"f32": "f", "f64": "d", "f16": "x", "bf16": "b"}
OPERATIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "add": (2, lambda a, b: a + b),
    "sub": (2, lambda a, b: a - b),
    "mul": (2, lambda a, b: a * b),
    "fma": (3, lambda a, b, c: a * b + c),
}


def flushed(value: float, kind: str) -> float:
    small = abs(value) < 2.0 ** (1 - FORMATS[kind][2])
    return float(np.copysign(0.0, value)) if small else value


def saturated(value: float) -> float:
    return min(value, 1.0) if value > 0 else 0.0


def positive(value: float) -> float:
    return value if value > 0 or np.isnan(value) else 0.0


def modified(compute: Any, kind: str, modifiers: str) -> Any:
    """Return the function that `compute` is with .ftz, .sat or .relu."""
    words = modifiers.split(".")
    flush = "ftz" in words

    def result(*values: float) -> float:
        inputs = [flushed(x, kind) if flush else x for x in values]
        value = compute(*inputs)
        value = flushed(value, kind) if flush else value
        value = saturated(value) if "sat" in words else value
        return positive(value) if "relu" in words else value

    return result


def _inputs(count: int) -> str:
    return ", ".join(f"%{i + 1}" for i in range(count))


def _arithmetic() -> None:
    for name, (count, operation) in OPERATIONS.items():
        for mode in MODES:
            compute = exact(operation, mode, "f32")
            if name != "mul":
                compute = _negative_sum("f32", mode, operation)
            for more in (".ftz", ".sat", ".ftz.sat"):
                form(
                    "modified",
                    f"{name}.{mode}{more}.f32 %0, {_inputs(count)};",
                    "f" * count,
                    "f",
                    modified(compute, "f32", more),
                )
        mores = ["", ".ftz", ".sat", ".ftz.sat"]
        if name == "fma":
            mores += [".relu", ".ftz.relu"]
        for kind in ("f16", "bf16"):
            for more in mores if kind == "f16" else [""]:
                form(
                    "modified",
                    f"{name}.rn{more}.{kind} %0, {_inputs(count)};",
                    LETTERS[kind] * count,
                    LETTERS[kind],
                    modified(exact(operation, "rn", kind), kind, more),
                )
    form(
        "modified",
        "fma.rn.relu.bf16 %0, %1, %2, %3;",
        "bbb",
        "b",
        modified(exact(OPERATIONS["fma"][1], "rn", "bf16"), "bf16", ".relu"),
    )


def _signs() -> None:
    for kind in ("f32", "f16"):
        letter = LETTERS[kind]
        for name, one in (("abs", abs), ("neg", lambda a: -a)):
            form(
                "modified",
                f"{name}.ftz.{kind} %0, %1;",
                letter,
                letter,
                modified(one, kind, ".ftz"),
            )
    for name, pick in (("min", min), ("max", max)):
        for kind in ("f32", "f16", "bf16"):
            for ftz in ("", ".ftz") if kind != "bf16" else ("",):
                for nan in ("", ".NaN"):
                    for sign in ("", ".xorsign.abs"):
                        form(
                            "modified",
                            f"{name}{ftz}{nan}{sign}.{kind} %0, %1, %2;",
                            LETTERS[kind] * 2,
                            LETTERS[kind],
                            _picked(pick, kind, ftz, nan, sign),
                        )


def _picked(pick: Any, kind: str, ftz: str, nan: str, sign: str) -> Any:
    def compute(a: float, b: float) -> float:
        if not sign:
            return _extreme(a, b, pick, bool(nan))
        value = _extreme(abs(a), abs(b), pick, bool(nan))
        ends = np.copysign(1.0, a) * np.copysign(1.0, b)
        return float(np.copysign(value, ends))

    return modified(compute, kind, ftz)


def _whole(mode: str, value: float) -> float:
    function = {
        "rni": np.rint,
        "rzi": np.trunc,
        "rmi": np.floor,
        "rpi": np.ceil,
    }[mode]
    return float(function(value))


def _conversions() -> None:
    for source in ("f32", "f64", "f16"):
        for to in ("f32", "f64", "f16"):
            narrows = FORMATS[to][0] < FORMATS[source][0]
            for mode in MODES if narrows else ("",):
                dot = f".{mode}" if mode else ""
                form(
                    "modified",
                    f"cvt{dot}.sat.{to}.{source} %0, %1;",
                    LETTERS[source],
                    LETTERS[to],
                    lambda a, t=to, m=mode or "rn": saturated(
                        _half_of(m, t)(a)
                    ),
                )
    for mode in ("rni", "rzi", "rmi", "rpi"):
        for kind in ("f32", "f64", "f16"):
            form(
                "modified",
                f"cvt.{mode}.sat.{kind}.{kind} %0, %1;",
                LETTERS[kind],
                LETTERS[kind],
                lambda a, m=mode: saturated(_whole(m, a)),
            )
        form(
            "modified",
            f"cvt.{mode}.ftz.f32.f32 %0, %1;",
            "f",
            "f",
            lambda a, m=mode: _whole(m, flushed(a, "f32")),
        )
        for sat in ("", ".sat"):
            form(
                "modified",
                f"cvt.{mode}.ftz{sat}.s32.f32 %0, %1;",
                "f",
                "r",
                lambda a, m=mode: _integer(_whole(m, flushed(a, "f32"))),
            )
    for mode in MODES:
        form(
            "modified",
            f"cvt.{mode}.ftz.f32.f64 %0, %1;",
            "d",
            "f",
            lambda a, m=mode: flushed(_half_of(m, "f32")(a), "f32"),
        )
        for kind in ("f32", "f16"):
            for source in ("s32", "u32"):
                form(
                    "modified",
                    f"cvt.{mode}.sat.{kind}.{source} %0, %1;",
                    "r",
                    LETTERS[kind],
                    lambda a, m=mode, s=source, k=kind: saturated(
                        _of_integer(signed(a) if s == "s32" else a, k, m)
                    ),
                )
    form(
        "modified",
        "cvt.ftz.f64.f32 %0, %1;",
        "f",
        "d",
        lambda a: flushed(a, "f32"),
    )


def _integer(value: float) -> int:
    if np.isnan(value):
        return 0
    edge = 2**31
    return limited(int(max(min(value, edge), -edge)), 32, True)


def _others() -> None:
    form(
        "modified",
        "{ .reg .s32 c; or.b32 c, %3, 0x7ffffff0; "
        "mad.hi.sat.s32 %0, %1, %2, c; }",
        "rrr",
        "r",
        lambda a, b, c: limited(
            (signed(a) * signed(b) >> 32) + signed(c | 0x7FFFFFF0), 32, True
        ),
    )
    form(
        "modified",
        "slct.ftz.u32.f32 %0, %1, %2, %3;",
        "rrf",
        "r",
        lambda a, b, c: a if flushed(c, "f32") >= 0 else b,
    )
    for kind in ("f32", "f16"):
        form(
            "modified",
            f"set.lt.ftz.u32.{kind} %0, %1, %2;",
            LETTERS[kind] * 2,
            "r",
            lambda a, b, k=kind: (
                0xFFFFFFFF if flushed(a, k) < flushed(b, k) else 0
            ),
        )
    for mode in MODES:
        form(
            "modified",
            f"div.{mode}.ftz.f32 %0, %1, %2;",
            "ff",
            "f",
            modified(exact(lambda a, b: a / b, mode, "f32"), "f32", ".ftz"),
        )
        form(
            "modified",
            f"rcp.{mode}.ftz.f32 %0, %1;",
            "f",
            "f",
            modified(
                exact(lambda a: type(a)(1) / a, mode, "f32"), "f32", ".ftz"
            ),
        )
    for name, one in (
        ("rcp", lambda a: np.float64(1.0) / a),
        ("rsqrt", lambda a: 1.0 / np.sqrt(a)),
    ):
        form(
            "modified",
            f"{name}.approx.ftz.f64 %0, %1;",
            "d",
            "d",
            lambda a, f=one: _high(f(np.float64(_high(a)))),
            2.0**-20,  # an H100 rounds 20 bits of the result in its own way
        )


def _high(value: float) -> float:
    """Return a double without subnormals and its low 32 bits."""
    if np.isnan(value):
        return value
    bits = np.float64(flushed(float(value), "f64")).view("u8")
    return float((bits & np.uint64(0xFFFFFFFF00000000)).view("f8"))


_arithmetic()
_signs()
_conversions()
_others()
