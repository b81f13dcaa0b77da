"""Operations of PTX on integers and floats, as the document of the ISA says.

Floats are rounded once, from exact fractions.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ptx_program import Instruction

# width of a float: (bits of the significand, least exponent, struct's format)
FLOATS = {16: (11, -14, "e"), 32: (24, -126, "f"), 64: (53, -1022, "d")}
INTEGERS = {16: "H", 32: "I", 64: "Q"}


# ---- numbers ----


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def as_float(value: int, bits: int) -> float:
    data = struct.pack("<" + INTEGERS[bits], value)
    return struct.unpack("<" + FLOATS[bits][2], data)[0]


def as_bits(value: float, bits: int) -> int:
    if math.isnan(value):
        return {16: 0x7FFF, 32: 0x7FFFFFFF, 64: 0x7FF8 << 48}[bits]
    data = struct.pack("<" + FLOATS[bits][2], value)
    return struct.unpack("<" + INTEGERS[bits], data)[0]


def round_integer(value: Fraction, mode: str) -> int:
    """Return an integer next to the value: n nearest even, z, m, p."""
    whole = math.floor(value)
    rest = value - whole
    if mode == "n":
        half = Fraction(1, 2)
        return whole + (rest > half or (rest == half and whole % 2 == 1))
    up = mode == "p" or (mode == "z" and value < 0)
    return whole + (up and rest > 0)


def round_float(value: Fraction, bits: int, mode: str = "n") -> float:
    """Round a value that is not zero to a float of this width."""
    digits, least, _ = FLOATS[bits]
    sign = 1 if value > 0 else -1
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    step = max(exponent, least) - digits + 1
    count = round_integer(value / Fraction(2) ** step, mode)
    largest = (4 << -least) * (1 - Fraction(1, 1 << digits))
    if abs(count * Fraction(2) ** step) > largest:
        away = mode == "n" or (mode == "p") == (value > 0) and mode != "z"
        return math.copysign(math.inf if away else float(largest), sign)
    return math.copysign(math.ldexp(abs(count), step), sign)


def flushed(value: float) -> float:
    if value and abs(value) < 2.0**-126:
        return math.copysign(0.0, value)
    return value


def sum_of(x: float, y: float, bits: int, mode: str) -> float:
    if not math.isfinite(x) or not math.isfinite(y):
        return x + y
    exact = Fraction(x) + Fraction(y)
    if exact:
        return round_float(exact, bits, mode)
    if math.copysign(1, x) == math.copysign(1, y):
        return x
    return -0.0 if mode == "m" else 0.0


def product_of(x: float, y: float, bits: int, mode: str) -> float:
    if not math.isfinite(x) or not math.isfinite(y) or not x or not y:
        return x * y
    return round_float(Fraction(x) * Fraction(y), bits, mode)


def fma_of(x: float, y: float, z: float, bits: int, mode: str) -> float:
    if not all(map(math.isfinite, (x, y, z))) or not x or not y:
        return x * y + z if mode != "m" else sum_of(x * y, z, bits, mode)
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact:
        return round_float(exact, bits, mode)
    return -0.0 if mode == "m" else 0.0


def quotient_of(x: float, y: float, bits: int, mode: str) -> float:
    if math.isnan(x) or math.isnan(y) or (math.isinf(x) and math.isinf(y)):
        return math.nan
    sign = math.copysign(1, x) * math.copysign(1, y)
    if y == 0 or math.isinf(x):
        return math.nan if x == 0 else sign * math.inf
    if x == 0 or math.isinf(y):
        return sign * 0.0
    return round_float(Fraction(x) / Fraction(y), bits, mode)


def root_of(x: float, bits: int, mode: str) -> float:
    if math.isnan(x) or x < 0:
        return math.nan
    if x == 0 or math.isinf(x):
        return x
    # The root has more bits than twice the result; a last bit says whether
    # it is exact.
    value = Fraction(x)
    shift = 400 if value > 1 else 2400
    scaled = int(value * (1 << shift))
    root = math.isqrt(scaled)
    inexact = root * root != scaled
    return round_float(
        Fraction(2 * root + inexact, 1 << (shift // 2 + 1)), bits, mode
    )


# ---- operations on values ----

SIMPLE: dict[str, Callable[..., Any]] = {}


def simple(*names: str) -> Callable:
    """Register a function of an instruction and its operands' values."""

    def add(function: Callable) -> Callable:
        for name in names:
            SIMPLE[name] = function
        return function

    return add


def width(kind: str) -> int:
    return 1 if kind == "pred" else int(kind[1:])


def mode_of(ins: Instruction) -> str:
    for word in ins.modifiers:
        if re.fullmatch("r[nzmp]i?", word):
            return word[1]
    return "n"


def saturated(value: int, kind: str) -> int:
    bits = width(kind)
    low = -(1 << (bits - 1)) if kind[0] == "s" else 0
    high = (1 << (bits - (kind[0] == "s"))) - 1
    return min(max(value, low), high)


@simple("add", "sub", "mul", "div", "fma", "mad", "sqrt", "rcp")
def arithmetic(ins: Instruction, *values: Any) -> Any:
    kind = ins.types[-1]
    if kind[0] == "f":
        return float_arithmetic(ins, *values)
    name = ins.operation
    if name == "add" or name == "sub":
        total = values[0] + values[1] * (1 if name == "add" else -1)
        return saturated(total, kind) if "sat" in ins.modifiers else total
    if name == "div":
        quotient = abs(values[0]) // abs(values[1])
        return quotient * (1 if (values[0] < 0) == (values[1] < 0) else -1)
    product = values[0] * values[1]
    if "hi" in ins.modifiers:
        product >>= width(kind)
    return product + (values[2] if name == "mad" else 0)


def float_arithmetic(ins: Instruction, *values: float) -> float:
    bits, mode = width(ins.types[-1]), mode_of(ins)
    ftz = "ftz" in ins.modifiers
    if ftz:
        values = tuple(map(flushed, values))
    match ins.operation:
        case "add":
            result = sum_of(*values, bits, mode)
        case "sub":
            result = sum_of(values[0], -values[1], bits, mode)
        case "mul":
            result = product_of(*values, bits, mode)
        case "fma" | "mad":
            result = fma_of(*values, bits, mode)
        case "div":
            result = quotient_of(*values, bits, mode)
        case "rcp":
            result = quotient_of(1.0, *values, bits, mode)
        case _:
            result = root_of(*values, bits, mode)
    result = flushed(result) if ftz else result
    if "sat" in ins.modifiers:
        result = 0.0 if math.isnan(result) else min(max(result, 0.0), 1.0)
        result = abs(result)
    return result


@simple("rem")
def remainder(ins: Instruction, x: int, y: int) -> int:
    return (abs(x) % abs(y)) * (-1 if x < 0 else 1)


@simple("abs", "neg")
def sign(ins: Instruction, x: Any) -> Any:
    x = flushed(x) if "ftz" in ins.modifiers else x
    return abs(x) if ins.operation == "abs" else -x


@simple("min", "max")
def extreme(ins: Instruction, x: Any, y: Any) -> Any:
    if isinstance(x, float):
        if "ftz" in ins.modifiers:
            x, y = flushed(x), flushed(y)
        if math.isnan(x) or math.isnan(y):
            if "NaN" in ins.modifiers:
                return math.nan
            return y if math.isnan(x) else x
        pick = min if ins.operation == "min" else max
        return pick(x, y, key=lambda v: (v, math.copysign(1, v)))
    return min(x, y) if ins.operation == "min" else max(x, y)


@simple("and", "or", "xor", "not", "cnot")
def logic(ins: Instruction, x: int, y: int = 0) -> int:
    match ins.operation:
        case "and":
            return x & y
        case "or":
            return x | y
        case "xor":
            return x ^ y
        case "not":
            return ~x
    return int(x == 0)


@simple("shl", "shr")
def shift(ins: Instruction, x: int, y: int) -> int:
    most = min(y & 0xFFFFFFFF, 64)
    return x << most if ins.operation == "shl" else x >> most


@simple("shf")
def funnel(ins: Instruction, low: int, high: int, count: int) -> int:
    count = min(count, 32) if "clamp" in ins.modifiers else count & 31
    pair = high << 32 | low
    return (pair << count) >> 32 if "l" in ins.modifiers else pair >> count


@simple("lop3")
def lop3(ins: Instruction, a: int, b: int, c: int, table: int) -> int:
    result = 0
    for i in range(32):
        index = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)
        result |= (table >> index & 1) << i
    return result


@simple("popc")
def popc(ins: Instruction, x: int) -> int:
    return x.bit_count()


@simple("clz")
def clz(ins: Instruction, x: int) -> int:
    return width(ins.types[-1]) - x.bit_length()


@simple("brev")
def brev(ins: Instruction, x: int) -> int:
    bits = width(ins.types[-1])
    return int(f"{x:0{bits}b}"[::-1], 2)


@simple("bfind")
def bfind(ins: Instruction, x: int) -> int:
    place = (~x if x < 0 else x).bit_length() - 1
    if place >= 0 and "shiftamt" in ins.modifiers:
        return width(ins.types[-1]) - 1 - place
    return place


def places(bits: int, *values: int) -> list[int]:
    """Read positions and lengths in bits as GPUs do, up to the width."""
    return [min(x & 255 if bits == 32 else x, bits) for x in values]


@simple("bfe")
def bfe(ins: Instruction, x: int, first: int, count: int) -> int:
    bits, kind = width(ins.types[-1]), ins.types[-1][0]
    first, count = places(bits, first, count)
    x &= (1 << bits) - 1
    if count == 0:
        return 0
    sign = x >> min(first + count - 1, bits - 1) & 1 if kind == "s" else 0
    field = x >> first & ((1 << count) - 1)
    taken = max(0, min(count, bits - first))
    return field | (-1 << taken if sign else 0)


@simple("bfi")
def bfi(ins: Instruction, x: int, y: int, first: int, count: int) -> int:
    bits = width(ins.types[-1])
    first, count = places(bits, first, count)
    mask = (((1 << count) - 1) << first) & ((1 << bits) - 1)
    return (y & ~mask) | (x << first & mask)


@simple("prmt")
def prmt(ins: Instruction, a: int, b: int, c: int) -> int:
    data = (b << 32 | a).to_bytes(8, "little")
    k = c & 3
    selectors = {
        "f4e": [k, k + 1, k + 2, k + 3],
        "b4e": [k, k - 1 & 7, k - 2 & 7, k - 3 & 7],
        "rc8": [k] * 4,
        "ecl": [max(i, k) for i in range(4)],
        "ecr": [min(i, k) for i in range(4)],
        "rc16": [2 * (k & 1), 2 * (k & 1) + 1] * 2,
    }
    for mode, places in selectors.items():
        if mode in ins.modifiers:
            return int.from_bytes(bytes(data[p] for p in places), "little")
    result = 0
    for i in range(4):
        selector = c >> 4 * i & 15
        byte = data[selector & 7]
        if selector & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << 8 * i
    return result


@simple("sad")
def sad(ins: Instruction, x: int, y: int, z: int) -> int:
    return abs(x - y) + z


@simple("dp4a")
def dp4a(ins: Instruction, a: int, b: int, c: int) -> int:
    total = c
    for i in range(4):
        x, y = a >> 8 * i & 255, b >> 8 * i & 255
        x = signed(x, 8) if ins.types[0] == "s32" else x
        y = signed(y, 8) if ins.types[1] == "s32" else y
        total += x * y
    return total


@simple("selp")
def selp(ins: Instruction, x: Any, y: Any, chosen: int) -> Any:
    return x if chosen else y


@simple("slct")
def slct(ins: Instruction, x: Any, y: Any, sign: Any) -> Any:
    return x if sign >= 0 else y


def compare(name: str, x: Any, y: Any) -> bool:
    unordered = isinstance(x, float) and (math.isnan(x) or math.isnan(y))
    if name in ("num", "nan"):
        return unordered == (name == "nan")
    if unordered:
        return name[-1] == "u" and len(name) == 3
    return {
        "eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y,
        "ge": x >= y, "lo": x < y, "ls": x <= y, "hi": x > y, "hs": x >= y,
    }[name[:2]]  # fmt: skip


def combine(name: str, x: bool, y: bool) -> bool:
    return {"and": x and y, "or": x or y, "xor": x != y}[name]


def converted(ins: Instruction, value: Any) -> Any:
    """Return what cvt makes of a value."""
    to, of = ins.types
    mode = mode_of(ins)
    if of[0] != "f":
        if to[0] != "f":
            return saturated(value, to) if "sat" in ins.modifiers else value
        return round_float(Fraction(value), width(to), mode) if value else 0.0
    if "ftz" in ins.modifiers:
        value = flushed(value)
    if to[0] == "f":
        if not math.isfinite(value) or value == 0:
            result = value
        elif any(
            word in ins.modifiers for word in ("rni", "rzi", "rmi", "rpi")
        ):
            whole = round_integer(Fraction(value), mode)
            result = math.copysign(float(whole), value)
        else:
            result = round_float(Fraction(value), width(to), mode)
        if "sat" in ins.modifiers:
            result = 0.0 if math.isnan(result) else min(max(result, 0.0), 1.0)
        return flushed(result) if "ftz" in ins.modifiers else result
    if math.isnan(value):
        wide = width(to) == 64 or width(of) == 64
        return 1 << (width(to) - 1) if wide else 0
    if math.isinf(value):
        return saturated(1 << 70 if value > 0 else -1 << 70, to)
    return saturated(round_integer(Fraction(value), mode), to)
