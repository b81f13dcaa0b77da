"""Forms of the instructions of PTX with their meaning, for test_instructions.

A form is a statement with the result %0 and the inputs %1, %2, ... Results are
compared with those of Python's integers and fractions, bit by bit; any NaN
equals any other.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np


class Form(NamedTuple):
    """A statement, the types of its inputs and its result, and its meaning.

    The result of an approximation may differ by `tolerance`, relative to it.
    """

    group: str
    text: str
    inputs: str
    result: str
    expected: Callable[..., Any]
    tolerance: float = 0.0


# letter of a type: (CUDA type, constraint, NumPy type)
KINDS: dict[str, tuple[str, str, Any]] = {
    "r": ("unsigned", "r", np.dtype("u4")),
    "l": ("unsigned long long", "l", np.dtype("u8")),
    "h": ("unsigned short", "h", np.dtype("u2")),
    "f": ("float", "f", np.dtype("f4")),
    "d": ("double", "d", np.dtype("f8")),
    # floats of 16 bits in registers of 16 bits
    "x": ("unsigned short", "h", np.dtype("f2")),
    "b": ("unsigned short", "h", np.dtype(ml_dtypes.bfloat16)),
}
FORMS: list[Form] = []


def form(
    group: str,
    text: str,
    inputs: str,
    result: str,
    expected: Any,
    tolerance: float = 0.0,
) -> None:
    FORMS.append(Form(group, text, inputs, result, expected, tolerance))


def signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def limited(value: int, bits: int, is_signed: bool) -> int:
    low = -(1 << (bits - 1)) if is_signed else 0
    high = (1 << (bits - is_signed)) - 1
    return min(max(value, low), high)


# ---- integers ----


def _integers() -> None:
    for kind, convert in (("u32", int), ("s32", signed)):
        is_signed = kind[0] == "s"
        form(
            "integer",
            f"sad.{kind} %0, %1, %2, %3;",
            "rrr",
            "r",
            lambda a, b, c, f=convert: abs(f(a) - f(b)) + c,
        )
        form(
            "integer",
            f"mul24.lo.{kind} %0, %1, %2;",
            "rr",
            "r",
            lambda a, b, s=is_signed: _low24(a, s) * _low24(b, s),
        )
        form(
            "integer",
            f"mul24.hi.{kind} %0, %1, %2;",
            "rr",
            "r",
            lambda a, b, s=is_signed: _low24(a, s) * _low24(b, s) >> 16,
        )
        form(
            "integer",
            f"mad24.lo.{kind} %0, %1, %2, %3;",
            "rrr",
            "r",
            lambda a, b, c, s=is_signed: _low24(a, s) * _low24(b, s) + c,
        )
        for mode in ("clamp", "wrap"):
            form(
                "integer",
                f"szext.{mode}.{kind} %0, %1, %2;",
                "rr",
                "r",
                lambda a, b, m=mode, s=is_signed: _extended(a, b, m, s),
            )
        for other in ("u32", "s32"):
            form(
                "integer",
                f"dp4a.{kind}.{other} %0, %1, %2, %3;",
                "rrr",
                "r",
                lambda a, b, c, s=is_signed, t=other == "s32": (
                    c
                    + sum(
                        _part(a, 8, i, s) * _part(b, 8, i, t) for i in range(4)
                    )
                ),
            )
            for half in ("lo", "hi"):
                form(
                    "integer",
                    f"dp2a.{half}.{kind}.{other} %0, %1, %2, %3;",
                    "rrr",
                    "r",
                    lambda a, b, c, s=is_signed, t=other == "s32", h=half: (
                        c
                        + sum(
                            _part(a, 16, i, s)
                            * _part(b, 8, i + 2 * (h == "hi"), t)
                            for i in range(2)
                        )
                    ),
                )
    form(
        "integer",
        "mad24.hi.sat.s32 %0, %1, %2, %3;",
        "rrr",
        "r",
        lambda a, b, c: limited(
            signed(_low24(a, True) * _low24(b, True) >> 16) + signed(c),
            32,
            True,
        ),
    )
    for kind in ("u32", "s32", "u64", "s64"):
        letter = "l" if "64" in kind else "r"
        for more in ("", ".shiftamt"):
            form(
                "integer",
                f"bfind{more}.{kind} %0, %1;",
                letter,
                "r",
                lambda a, k=kind, m=more: _found(a, k, bool(m)),
            )
    form("integer", "fns.b32 %0, %1, %2, %3;", "rir", "r", _nth)
    for mode in ("clamp", "wrap"):
        form(
            "integer",
            f"bmsk.{mode}.b32 %0, %1, %2;",
            "rr",
            "r",
            lambda a, b, m=mode: ((1 << _count(b, m)) - 1) << _count(a, m),
        )
    for mode, selectors in _SELECTORS.items():
        form(
            "integer",
            f"prmt.b32.{mode} %0, %1, %2, %3;",
            "rrr",
            "r",
            lambda a, b, c, s=selectors: sum(
                ((b << 32 | a) >> 8 * (s[c & 3] >> 4 * i & 7) & 255) << 8 * i
                for i in range(4)
            ),
        )
    form(
        "integer",
        "slct.u32.s32 %0, %1, %2, %3;",
        "rrr",
        "r",
        lambda a, b, c: a if signed(c) >= 0 else b,
    )
    form(
        "integer",
        "slct.u64.f32 %0, %1, %2, %3;",
        "llf",
        "l",
        lambda a, b, c: a if c >= 0 else b,
    )


_SELECTORS = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}


def _low24(value: int, is_signed: bool) -> int:
    return signed(value, 24) if is_signed else value & 0xFFFFFF


def _part(value: int, bits: int, i: int, is_signed: bool) -> int:
    value = value >> bits * i & ((1 << bits) - 1)
    return signed(value, bits) if is_signed else value


def _count(value: int, mode: str) -> int:
    return min(value, 32) if mode == "clamp" else value & 31


def _extended(a: int, b: int, mode: str, is_signed: bool) -> int:
    bits = _count(b, mode)
    value = a & ((1 << bits) - 1)
    if is_signed and bits and value >> (bits - 1):
        value -= 1 << bits
    return value


def _found(a: int, kind: str, shift: bool) -> int:
    bits = int(kind[1:])
    if kind[0] == "s" and a >> (bits - 1):
        a = ~a & ((1 << bits) - 1)
    if not a:
        return 0xFFFFFFFF
    return bits - a.bit_length() if shift else a.bit_length() - 1


def _nth(mask: int, base: int, n: int) -> int:
    n = signed(n)
    if n == -(2**31):
        return 0
    if n == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    step, left, at = (1 if n > 0 else -1), abs(n), base
    while 0 <= at < 32:
        left -= mask >> at & 1
        if mask >> at & 1 and not left:
            return at
        at += step
    return 0xFFFFFFFF


# ---- floats ----

# name: (bits, significant bits, largest exponent of a power of two)
FORMATS = {
    "f16": (16, 11, 15),
    "bf16": (16, 8, 127),
    "f32": (32, 24, 127),
    "f64": (64, 53, 1023),
}


def rounded(value: Fraction, name: str, mode: str = "rn") -> float:
    """Round a fraction that is not 0 to a float format."""
    _, digits, top = FORMATS[name]
    size = abs(value)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power -= Fraction(2) ** power > size
    power = max(power, 1 - top)
    unit = Fraction(2) ** (power - digits + 1)
    low, rest = divmod(size, unit)
    negative = value < 0
    up = {
        "rn": rest * 2 > unit or (rest * 2 == unit and low % 2 == 1),
        "rz": False,
        "rm": negative and rest > 0,
        "rp": not negative and rest > 0,
    }[mode]
    size = (low + up) * unit
    most = (Fraction(2) - Fraction(2) ** (1 - digits)) * Fraction(2) ** top
    if size > most:
        inward = mode == "rz" or (mode == "rm" and not negative)
        inward |= mode == "rp" and negative
        result = float(most) if inward else float("inf")
    else:
        result = float(size)
    return -result if negative else result


def exact(operation: Callable[..., Any], mode: str, name: str) -> Any:
    """Return a function on floats: the operation with one rounding."""

    def compute(*values: float) -> float:
        doubles = [np.float64(x) for x in values]
        near = float(operation(*doubles))
        if not all(np.isfinite(doubles)) or np.isnan(near):
            return near
        try:
            value = operation(*[Fraction(float(x)) for x in values])
        except ZeroDivisionError:
            return near
        if value:
            return rounded(value, name, mode)
        return near

    return compute


def _negative_sum(name: str, mode: str, operation: Any) -> Any:
    compute = exact(operation, mode, name)

    def add(*values: float) -> float:
        result = compute(*values)
        if mode == "rm" and result == 0 and not np.signbit(result):
            positive = _terms_are_positive_zeros(values, operation)
            return result if positive else -0.0
        return result

    return add


def _terms_are_positive_zeros(values: Any, operation: Any) -> bool:
    if len(values) == 3:
        terms = [values[0] * values[1], values[2]]
    else:
        terms = [values[0], operation(0.0, values[1])]
        if values[1] == 0:
            flipped = operation(-0.0, values[1])
            terms[1] = -0.0 if np.signbit(flipped) else 0.0
    return not any(x != 0 or np.signbit(x) for x in terms)


def _root(value: Any) -> Any:
    return np.sqrt(value)


def _floats() -> None:
    operations: dict[str, tuple[int, Callable[..., Any]]] = {
        "add": (2, lambda a, b: a + b),
        "sub": (2, lambda a, b: a - b),
        "mul": (2, lambda a, b: a * b),
        "fma": (3, lambda a, b, c: a * b + c),
        "div": (2, lambda a, b: a / b),
        "rcp": (1, lambda a: 1 / a),
    }
    for kind, letter in (("f32", "f"), ("f64", "d")):
        for name, (count, operation) in operations.items():
            for mode in ("rn", "rz", "rm", "rp"):
                make = (
                    _negative_sum
                    if name in ("add", "sub", "fma")
                    else lambda k, m, o: exact(o, m, k)
                )
                form(
                    "float",
                    f"{name}.{mode}.{kind} %0, {_inputs(count)};",
                    letter * count,
                    letter,
                    make(kind, mode, operation),
                )
        for mode in ("rn", "rz", "rm", "rp"):
            form(
                "float",
                f"sqrt.{mode}.{kind} %0, %1;",
                letter,
                letter,
                lambda a, k=kind, m=mode: _square_root(a, k, m),
            )
        form(
            "float",
            f"copysign.{kind} %0, %1, %2;",
            letter * 2,
            letter,
            lambda a, b: float(np.copysign(b, a)),
        )
        for name in _CLASSES:
            form(
                "float",
                "{ .reg .pred p; testp." + name + f".{kind} p, %1; "
                "selp.u32 %0, 1, 0, p; }",
                letter,
                "r",
                lambda a, n=name, k=kind: _CLASSES[n](a, k),
            )
    for name, pick in (("min", min), ("max", max)):
        for more in ("", ".NaN"):
            for kind, letter in (("f32", "f"), ("f16", "x"), ("bf16", "b")):
                form(
                    "float" if kind == "f32" else "half",
                    f"{name}{more}.{kind} %0, %1, %2;",
                    letter * 2,
                    letter,
                    lambda a, b, p=pick, m=more: _extreme(a, b, p, bool(m)),
                )
        form(
            "float",
            f"{name}.xorsign.abs.f32 %0, %1, %2;",
            "ff",
            "f",
            lambda a, b, p=pick: float(
                np.copysign(
                    _extreme(abs(a), abs(b), p, False),
                    np.copysign(1.0, a) * np.copysign(1.0, b),
                )
            ),
        )
    form(
        "float",
        "add.ftz.f32 %0, %1, %2;",
        "ff",
        "f",
        lambda a, b: _flushed(
            exact(lambda x, y: x + y, "rn", "f32")(_flushed(a), _flushed(b))
        ),
    )
    for compare in ("eq", "lt", "ge", "neu"):
        form(
            "float",
            "{ .reg .pred p; setp." + compare + ".ftz.f32 p, %1, %2; "
            "selp.u32 %0, 1, 0, p; }",
            "ff",
            "r",
            lambda a, b, test=_COMPARISONS[compare]: test(
                _flushed(a), _flushed(b)
            ),
        )


def _inputs(count: int) -> str:
    return ", ".join(f"%{i + 1}" for i in range(count))


def _flushed(value: float) -> float:
    return float(np.copysign(0.0, value)) if abs(value) < 2.0**-126 else value


def _square_root(a: float, kind: str, mode: str) -> float:
    if not np.isfinite(a) or a <= 0:
        with np.errstate(invalid="ignore"):
            return float(np.sqrt(np.float64(a)))
    # A root that is not exact is replaced by a number between two multiples of
    # 2^-1400, which is rounded in the same way.
    value, scale = Fraction(a), 2**1400
    whole = value * scale * scale
    root = isqrt(whole.numerator // whole.denominator)
    is_exact = Fraction(root, scale) ** 2 == value
    near = Fraction(2 * root + (not is_exact), 2 * scale)
    return rounded(near, kind, mode)


_CLASSES: dict[str, Callable[[float, str], bool]] = {
    "finite": lambda a, k: bool(np.isfinite(a)),
    "infinite": lambda a, k: bool(np.isinf(a)),
    "number": lambda a, k: not np.isnan(a),
    "notanumber": lambda a, k: bool(np.isnan(a)),
    "normal": lambda a, k: bool(
        np.isfinite(a) and (a == 0 or abs(a) >= 2.0 ** (1 - FORMATS[k][2]))
    ),
    "subnormal": lambda a, k: 0 < abs(a) < 2.0 ** (1 - FORMATS[k][2]),
}


def _extreme(a: float, b: float, pick: Any, keeps_nan: bool) -> float:
    if np.isnan(a) or np.isnan(b):
        return float("nan") if keeps_nan else (b if np.isnan(a) else a)
    return float(pick((a, b), key=lambda x: (x, np.copysign(1.0, x))))


# ---- halves ----


def _halves() -> None:
    operations: dict[str, tuple[int, Callable[..., Any]]] = {
        "add": (2, lambda a, b: a + b),
        "sub": (2, lambda a, b: a - b),
        "mul": (2, lambda a, b: a * b),
        "fma.rn": (3, lambda a, b, c: a * b + c),
    }
    for kind, letter in (("f16", "x"), ("bf16", "b")):
        for name, (count, operation) in operations.items():
            text = name if "." in name else name + ".rn"
            form(
                "half",
                f"{text}.{kind} %0, {_inputs(count)};",
                letter * count,
                letter,
                exact(operation, "rn", kind),
            )
        for name, sign in (("neg", lambda a: -a), ("abs", abs)):
            form("half", f"{name}.{kind} %0, %1;", letter, letter, sign)
        pair = (
            "{ .reg .b32 a, b, d; .reg .b16 z; mov.b32 a, {%1, %2}; "
            "mov.b32 b, {%2, %1}; OP.rn.KINDx2 d, a, b; "
            "mov.b32 {%0, z}, d; }"
        )
        form(
            "half",
            pair.replace("OP", "sub").replace("KIND", kind),
            letter * 2,
            letter,
            exact(lambda a, b: a - b, "rn", kind),
        )
        for compare, test in _COMPARISONS.items():
            form(
                "half",
                "{ .reg .pred p; setp." + f"{compare}.{kind} p, %1, %2; "
                "selp.u32 %0, 1, 0, p; }",
                letter * 2,
                "r",
                test,
            )


_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a < b or a > b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "equ": lambda a, b: not (a < b or a > b),
    "neu": lambda a, b: a != b,
    "ltu": lambda a, b: not a >= b,
    "geu": lambda a, b: not a < b,
    "num": lambda a, b: bool(a == a and b == b),
    "nan": lambda a, b: bool(a != a or b != b),
}


# ---- comparisons ----


def _comparisons() -> None:
    for name, test in _COMPARISONS.items():
        for kind, letter in (("f32", "f"), ("f64", "d")):
            form(
                "compare",
                f"set.{name}.u32.{kind} %0, %1, %2;",
                letter * 2,
                "r",
                lambda a, b, t=test: 0xFFFFFFFF if t(a, b) else 0,
            )
        form(
            "compare",
            f"set.{name}.f32.f32 %0, %1, %2;",
            "ff",
            "f",
            lambda a, b, t=test: float(t(a, b)),
        )
    for name, combine in (
        ("and", lambda p, c: p and c),
        ("or", lambda p, c: p or c),
        ("xor", lambda p, c: p != c),
    ):
        form(
            "compare",
            "{ .reg .pred c, p, q; .reg .u32 x; setp.ne.u32 c, %3, 0; "
            f"setp.lt.{name}.s32 p|q, %1, %2, !c; selp.u32 %0, 1, 0, p; "
            "selp.u32 x, 2, 0, q; or.b32 %0, %0, x; }",
            "rri",
            "r",
            lambda a, b, c, f=combine: (
                f(signed(a) < signed(b), not c)
                + 2 * f(signed(a) >= signed(b), not c)
            ),
        )


# ---- conversions ----


def _half_of(mode: str, kind: str, relu: bool = False) -> Any:
    def convert(value: float) -> float:
        if relu and value <= 0:
            return 0.0
        if not np.isfinite(value) or value == 0:
            return value
        return rounded(Fraction(float(value)), kind, mode)

    return convert


def _conversions() -> None:
    for kind, letter in (("f16", "x"), ("bf16", "b")):
        for mode in ("rn", "rz"):
            form(
                "convert",
                f"cvt.{mode}.{kind}.f32 %0, %1;",
                "f",
                letter,
                _half_of(mode, kind),
            )
            form(
                "convert",
                f"cvt.{mode}.relu.{kind}.f32 %0, %1;",
                "f",
                letter,
                _half_of(mode, kind, True),
            )
            for low in (True, False):
                keep = "{%0, z}" if low else "{z, %0}"
                form(
                    "convert",
                    "{ .reg .b32 d; .reg .b16 z; "
                    f"cvt.{mode}.{kind}x2.f32 d, %1, %2; "
                    f"mov.b32 {keep}, d; }}",
                    "ff",
                    letter,
                    lambda a, b, x=low, k=kind, m=mode: _half_of(m, k)(
                        b if x else a
                    ),
                )
        form("convert", f"cvt.f32.{kind} %0, %1;", letter, "f", lambda a: a)
    for mode in ("rm", "rp"):
        form(
            "convert",
            f"cvt.{mode}.f16.f32 %0, %1;",
            "f",
            "x",
            _half_of(mode, "f16"),
        )
    for mode in ("rn", "rz", "rm", "rp"):
        form(
            "convert",
            f"cvt.{mode}.f32.f64 %0, %1;",
            "d",
            "f",
            _half_of(mode, "f32"),
        )
        form(
            "convert",
            f"cvt.{mode}.f16.f64 %0, %1;",
            "d",
            "x",
            _half_of(mode, "f16"),
        )
        for source, letter, bits in (("s32", "r", 32), ("u32", "r", 32)):
            form(
                "convert",
                f"cvt.{mode}.f32.{source} %0, %1;",
                letter,
                "f",
                lambda a, m=mode, s=source, n=bits: _of_integer(
                    signed(a, n) if s[0] == "s" else a, "f32", m
                ),
            )
        for source in ("s64", "u64"):
            form(
                "convert",
                f"cvt.{mode}.f64.{source} %0, %1;",
                "l",
                "d",
                lambda a, m=mode, s=source: _of_integer(
                    signed(a, 64) if s[0] == "s" else a, "f64", m
                ),
            )
    for to in ("s8", "u8", "s16", "u16", "s32", "u32"):
        for source in ("s32", "u32", "s64", "u64"):
            if source == to:
                continue
            form(
                "convert",
                "{ .reg .b32 t; cvt.sat."
                + f"{to}.{source} t, %1; mov.b32 %0, t; }}",
                "l" if "64" in source else "r",
                "r",
                lambda a, t=to, s=source: limited(
                    signed(a, int(s[1:])) if s[0] == "s" else a,
                    int(t[1:]),
                    t[0] == "s",
                ),
            )
    form(
        "convert",
        "cvt.rna.tf32.f32 %0, %1;",
        "f",
        "r",
        lambda a: _tf32(a),
    )
    for kind, dtype, most in (
        ("e4m3", ml_dtypes.float8_e4m3fn, 448.0),
        ("e5m2", ml_dtypes.float8_e5m2, 57344.0),
    ):
        for relu in ("", ".relu"):
            form(
                "convert",
                "{ .reg .b16 d; cvt.rn.satfinite"
                + f"{relu}.{kind}x2.f32 d, %1, %2; cvt.u32.u16 %0, d; }}",
                "ff",
                "r",
                lambda a, b, d=dtype, m=most, r=relu: (
                    _small(a, d, m, r) << 8 | _small(b, d, m, r)
                ),
            )
        form(
            "convert",
            "{ .reg .b16 s, z; .reg .b32 d, w; mov.b32 w, %1; "
            "cvt.u16.u32 s, w; "
            f"cvt.rn.f16x2.{kind}x2 d, s; mov.b32 {{%0, z}}, d; }}",
            "r",
            "x",
            lambda a, d=dtype: float(np.uint8(a & 255).view(d)),
        )
    for kind in ("s16", "u16"):
        form(
            "convert",
            f"cvt.pack.sat.{kind}.s32 %0, %1, %2;",
            "rr",
            "r",
            lambda a, b, s=kind[0] == "s": (
                (limited(signed(a), 16, s) & 0xFFFF) << 16
                | limited(signed(b), 16, s) & 0xFFFF
            ),
        )
    for kind in ("s8", "u8"):
        form(
            "convert",
            f"cvt.pack.sat.{kind}.s32.b32 %0, %1, %2, %3;",
            "rrr",
            "r",
            lambda a, b, c, s=kind[0] == "s": (
                c << 16
                | (limited(signed(a), 8, s) & 255) << 8
                | limited(signed(b), 8, s) & 255
            ),
        )


def _of_integer(value: int, kind: str, mode: str) -> float:
    return rounded(Fraction(value), kind, mode) if value else 0.0


def _tf32(value: float) -> int:
    """Infinities and NaNs lose the low bits, without rounding, as on GPUs."""
    bits = int(np.float32(value).view("u4"))
    half = 0x1000 if np.isfinite(value) else 0
    return (bits + half) & 0xFFFFE000


def _small(value: float, dtype: Any, most: float, relu: str) -> int:
    if np.isnan(value):
        return 0x7F
    if relu and value <= 0:
        return 0
    limit = np.float32(min(max(value, -most), most))
    return int(limit.astype(dtype).view(np.uint8))


_integers()
_floats()
_halves()
_comparisons()
_conversions()
