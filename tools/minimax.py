"""Coefficients of the polynomials in pycuda/cuda/cpu/math_*.h.

Usage: ``python tools/minimax.py [NAME...]`` prints the named rows of `ROWS` as
C macros; ``--write`` writes all of them to pycuda/cuda/cpu/math_polynomials.h
(takes some minutes).

Each row is the polynomial of least maximal error, found by Remez's exchange
algorithm in mpmath: solve for the coefficients that make the weighted error
alternate over a set of points, move the points to the extrema of the error,
repeat.  Coefficients are rounded one after the other to the type in which they
are used, from the lowest power up, and the remaining ones are fitted again
each time, so that the printed error is that of the rounded polynomial.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpmath
from mpmath import mp, mpf

Function = Callable[[mpf], mpf]
Number = float | mpf
mp.dps = 40


@dataclass(frozen=True)
class Polynomial:
    """A polynomial to find: function, interval and form.

    Attributes
    ----------
    target
        The function to approximate.
    weight
        Factor of an error.
    low, high
        The interval.
    count
        Number of coefficients, those of t^0, t^1, ...
    bits
        Bits of a coefficient's significand: 24 or 53.
    last
        Final offset of the coefficient of the highest power.
    split
        Whether the macros are NAME_FIRST, the coefficient of t^0, and
        NAME_REST(t), the polynomial of the others.
    given
        Coefficients, if a search found better ones than Remez's algorithm:
        ones that make the results' rounding errors smaller.
    """

    target: Function
    weight: Function
    low: Number
    high: Number
    count: int
    bits: int = 24
    last: float = 0
    split: bool = False
    given: tuple[float, ...] = ()


def rounded(value: mpf, bits: int) -> mpf:
    """Return `value` rounded to nearest with `bits` bits."""
    if value == 0:
        return mpf(0)
    _, exponent = mpmath.frexp(value)
    step = mpf(2) ** (exponent - bits)
    return mpmath.nint(value / step) * step


def chebyshev_points(low: mpf, high: mpf, count: int) -> list[mpf]:
    """Return `count` points, denser towards the ends."""
    half, middle = (high - low) / 2, (high + low) / 2
    return [
        middle - half * mpmath.cos(mpmath.pi * i / (count - 1))
        for i in range(count)
    ]


def extrema(error: Function, grid: list[mpf], count: int) -> list[mpf]:
    """Return `count` points of alternating sign with a large `error`."""
    values = [error(x) for x in grid]
    best: list[tuple[mpf, mpf]] = []
    for x, value in zip(grid, values, strict=True):
        if best and (best[-1][1] > 0) == (value > 0):
            if abs(value) > abs(best[-1][1]):
                best[-1] = (x, value)
        else:
            best.append((x, value))
    while len(best) > count:
        sizes = [abs(value) for _, value in best]
        least = sizes.index(min(sizes))
        if least in (0, len(best) - 1):
            best.pop(least)
        elif len(best) == count + 1:
            best.pop(0 if sizes[0] < sizes[-1] else -1)
        else:
            # Two neighbours have one sign: keep the greater one.
            worse = (
                least - 1
                if sizes[least - 1] < sizes[least + 1]
                else (least + 1)
            )
            for i in sorted((least, worse), reverse=True):
                best.pop(i)
    return [x for x, _ in best]


def remez(row: Polynomial, fixed: dict[int, mpf]) -> dict[int, mpf]:
    """Return the best coefficients for the powers that are not in `fixed`."""
    low, high = mpf(row.low), mpf(row.high)
    free = [p for p in range(row.count) if p not in fixed]

    def rest(x: mpf) -> mpf:
        return row.target(x) - sum(c * x**p for p, c in fixed.items())

    count = len(free) + 1
    grid = chebyshev_points(low, high, 24 * count)
    # At 0 the weights of most rows vanish, so the grid excludes it.
    grid = [x for x in grid if abs(x) > (high - low) / 400]
    # x^p changes its sign at 0, so the alternating errors must do so, too.
    odd_first = free[0] % 2

    def weight(x: mpf) -> mpf:
        size = abs(row.weight(x))
        return -size if odd_first and x < 0 else size

    cached = {x: (rest(x), weight(x)) for x in grid}
    points = [grid[i * (len(grid) - 1) // (count - 1)] for i in range(count)]
    for _ in range(30):
        matrix = mpmath.matrix(count, count)
        right = mpmath.matrix(count, 1)
        for i, x in enumerate(points):
            value, scale = cached[x]
            for j, p in enumerate(free):
                matrix[i, j] = x**p * scale
            matrix[i, count - 1] = (-1) ** i
            right[i] = value * scale
        solution = mpmath.lu_solve(matrix, right)
        found = {p: solution[j] for j, p in enumerate(free)}

        def error(x: mpf, found: dict[int, mpf] = found) -> mpf:
            value, scale = cached[x]
            return (value - sum(c * x**p for p, c in found.items())) * scale

        moved = extrema(error, grid, count)
        if len(moved) < count or moved == points:
            break
        points = moved
    return found


def fit(row: Polynomial) -> tuple[dict[int, mpf], mpf]:
    """Return rounded coefficients by power, and the weighted error."""
    fixed: dict[int, mpf] = {}
    for power in range(row.count):
        found = remez(row, fixed)
        fixed[power] = rounded(found[power], row.bits)
    fixed[power] = rounded(fixed[power] + row.last, row.bits)
    fixed = dict(enumerate(map(mpf, row.given))) or fixed
    points = chebyshev_points(mpf(row.low), mpf(row.high), 500)
    worst = max(
        abs(
            (row.target(x) - sum(c * x**p for p, c in fixed.items()))
            * row.weight(x)
        )
        for x in points
    )
    return fixed, worst


def odd(
    function: Function,
    high: Number,
    count: int,
    bits: int = 24,
    slope: Number = 1,
    last: float = 0,
    split: bool = False,
    given: tuple[float, ...] = (),
) -> Polynomial:
    """P of f(x) = slope * x + x^3 P(x^2), relative to f, |x| <= high."""

    def target(t: mpf) -> mpf:
        x = mpmath.sqrt(t)
        return (function(x) - slope * x) / x**3

    def weight(t: mpf) -> mpf:
        x = mpmath.sqrt(t)
        return x**3 / function(x)

    end = mpf(high) ** 2
    return Polynomial(
        target, weight, SMALL, end, count, bits, last, split, given
    )


def even(
    function: Function, high: Number, count: int, bits: int = 24
) -> Polynomial:
    """P of f(x) = 1 + x^2 P(x^2), relative to f, |x| <= high."""

    def target(t: mpf) -> mpf:
        return (function(mpmath.sqrt(t)) - 1) / t

    def weight(t: mpf) -> mpf:
        return t / function(mpmath.sqrt(t))

    return Polynomial(target, weight, SMALL, mpf(high) ** 2, count, bits)


def after(
    function: Function,
    power: int,
    known: Function,
    interval: tuple[Number, Number],
    count: int,
    bits: int = 24,
    total: Function | None = None,
) -> Polynomial:
    """P of f(x) = known(x) + x^power P(x), relative to f or `total`."""
    whole = total or function

    def away(x: mpf) -> mpf:
        return x if abs(x) > SMALL else SMALL

    def target(x: mpf) -> mpf:
        x = away(x)
        return (function(x) - known(x)) / x**power

    def weight(x: mpf) -> mpf:
        x = away(x)
        return x**power / whole(x)

    return Polynomial(target, weight, *interval, count, bits)


def erfcx(a: mpf) -> mpf:
    return mpmath.erfc(a) * mpmath.exp(a * a)


def erfc_scaled(centre: int, high: float, count: int, bits: int) -> Polynomial:
    """P(q) of erfcx(a) = P(q) / (1 + 2 a), q = (a - centre) / (a + centre)."""

    def target(q: mpf) -> mpf:
        a = centre * (1 + q) / (1 - q)
        return (1 + 2 * a) * erfcx(a)

    last = (mpf(high) - centre) / (mpf(high) + centre)
    return Polynomial(target, lambda q: 1 / target(q), -1, last, count, bits)


def erf_ratio(square: mpf) -> mpf:
    """erf(x) / x at x^2 = square >= 0."""
    x = mpmath.sqrt(square)
    return mpmath.erf(x) / x if x else 2 / mpmath.sqrt(mpmath.pi)


def erfc_root(x: mpf) -> mpf:
    return mpmath.root(mpmath.erfc(x), 8)


SMALL = mpf(10) ** -9
LN2 = mpmath.log(2)
HALF = LN2 / 2 + mpf(2) ** -10
LOG10_2 = mpmath.log10(2)
THIRD = mpf(1) / 3
OCTANT = mpmath.pi / 4 * (1 + mpf(2) ** -12)
QUARTER = mpmath.pi / 2 * (1 + mpf(2) ** -12)


def near_zero(
    function: Function, guess: float, half: float, count: int
) -> Polynomial:
    """f(z + t) = t P(t) near the zero z of a function that is near a guess."""
    zero = mpmath.findroot(function, guess)
    slope = mpmath.diff(function, zero)

    def target(t: mpf) -> mpf:
        return function(zero + t) / t if abs(t) > SMALL else slope

    return Polynomial(target, lambda t: 1 / target(t), -half, half, count, 53)


def bessel(order: int) -> tuple[Function, Function]:
    return (
        lambda x: mpmath.besselj(order, x),
        lambda x: mpmath.bessely(order, x),
    )


J0, Y0 = bessel(0)
J1, Y1 = bessel(1)


def modified(order: int, high: Number, count: int) -> Polynomial:
    """P of I0(x) = 1 + x^2 P(x^2), I1(x) / x = 1/2 + x^2 P(x^2)."""

    def scaled(t: mpf) -> mpf:
        x = mpmath.sqrt(t)
        return mpmath.besseli(order, x) / x**order

    return Polynomial(
        lambda t: (scaled(t) - mpf(1) / (1 + order)) / t,
        lambda t: t / scaled(t),
        SMALL,
        mpf(high) ** 2,
        count,
        53,
    )


def modified_tail(order: int, low: Number, count: int) -> Polynomial:
    """P(low/x) of I(x) = exp(x - 16) P(low/x) / sqrt(x), x >= low."""

    def target(u: mpf) -> mpf:
        x = low / max(u, SMALL**2)
        return mpmath.besseli(order, x) * mpmath.sqrt(x) * mpmath.exp(16 - x)

    return Polynomial(target, lambda u: 1 / target(u), 0, 1, count, 53)


ROWS: dict[str, Polynomial] = {
    # exp(r) = 1 + r + r^2 P(r); EXPM1: the same, relative to expm1
    "EXPF": after(mpmath.exp, 2, lambda x: 1 + x, (-HALF, HALF), 5),
    "EXPM1F": after(mpmath.expm1, 2, lambda x: x, (-HALF, HALF), 6),
    "EXP": after(mpmath.exp, 2, lambda x: 1 + x, (-HALF, HALF), 10, 53),
    "EXPM1": after(mpmath.expm1, 2, lambda x: x, (-HALF, HALF), 11, 53),
    # 2^r = 1 + r P(r), 10^r likewise
    "EXP2F": after(
        lambda x: mpf(2) ** x, 1, lambda x: mpf(1), (-0.501, 0.501), 6
    ),
    "EXP10F": after(
        lambda x: mpf(10) ** x, 1, lambda x: mpf(1), (-0.151, 0.151), 6
    ),
    # Polynomials of powf: 2^r = P(r), log2(1 + f) = f P(f)
    "POWF_EXP": Polynomial(
        lambda x: mpf(2) ** x, lambda x: mpf(2) ** -x, -0.501, 0.501, 7, 53
    ),
    "POWF_LOG": after(
        lambda f: mpmath.log1p(f) / LN2,
        1,
        lambda f: mpf(0),
        (-THIRD, THIRD),
        13,
        53,
    ),
    # log(1 + f) = f - f^2 / 2 + f^3 P(f)
    "LOGF": after(
        mpmath.log1p, 3, lambda f: f - f * f / 2, (-THIRD, THIRD), 8
    ),
    # log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2)
    "LOG": odd(lambda s: 2 * mpmath.atanh(s), 0.2001, 7, 53, 2),
    # log((1 + s) / (1 - s)) = 2 s + 2/3 s^3 + s^5 P(s^2)
    "POW_LOG": Polynomial(
        lambda t: (
            (2 * mpmath.atanh(mpmath.sqrt(t)) / mpmath.sqrt(t) - 2) / t**2
            - mpf(2) / 3 / t
        ),
        lambda t: t**2,
        mpf(10) ** -6,
        mpf("0.04005"),
        9,
        53,
    ),
    # Offset so that no sine exceeds 1, for any rounding: all floats from 0.5
    # to 1.5748 were tried. (The offset of doubles is limited: the sine of pi /
    # 2 would be below 1.)
    "SINF": odd(mpmath.sin, QUARTER, 4, last=200 * 2**-43, split=True),
    # sin(x) for cosf, whose remainders have a larger range; all floats from
    # 2^-13 to 10 were tried.
    "COSF": odd(
        mpmath.sin,
        QUARTER + mpmath.pi / 256,
        4,
        split=True,
        given=(
            float.fromhex("-0x1.55555p-3"),
            float.fromhex("0x1.110f08p-7"),
            float.fromhex("-0x1.9f7206p-13"),
            float.fromhex("0x1.5db084p-19"),
        ),
    ),
    # sin(r) and cos(r) for sincos, |r| <= pi / 4
    "SINQF": odd(mpmath.sin, OCTANT, 3),
    "COSQF": even(mpmath.cos, OCTANT, 4),
    "SINQ": odd(mpmath.sin, OCTANT, 6, 53),
    "COSQ": even(mpmath.cos, OCTANT, 7, 53),
    "SIN": odd(mpmath.sin, QUARTER, 9, 53),
    "TANF": odd(mpmath.tan, OCTANT, 6),
    "TAN": odd(mpmath.tan, OCTANT, 14, 53),
    "SINPIF": odd(mpmath.sinpi, 0.2501, 4, 24, mpmath.pi),
    "SINPI": odd(mpmath.sinpi, 0.2501, 7, 53, mpmath.pi),
    # cos(pi x) = 1 + x^2 P(x^2)
    "COSPIF": even(mpmath.cospi, 0.2501, 4),
    "COSPI": even(mpmath.cospi, 0.2501, 8, 53),
    "ASINF": odd(mpmath.asin, 0.5, 5),
    "ASIN": odd(mpmath.asin, 0.5, 13, 53),
    "ATANF": odd(mpmath.atan, 1, 8),
    "ATAN": odd(mpmath.atan, mpmath.sqrt(2) - 1, 11, 53),
    "SINHF": odd(mpmath.sinh, 1, 3),
    "TANHF": odd(mpmath.tanh, 0.625, 5),
    "SINH": odd(mpmath.sinh, 1, 8, 53),
    "TANH": odd(mpmath.tanh, 0.625, 13, 53),
    # m^(-1/3), 1 <= m <= 2
    "RCBRT": Polynomial(
        lambda m: mpmath.cbrt(1 / m), mpmath.cbrt, 1, 2, 5, 24
    ),
    # erf(x) = x + x P(x^2); 1 - exp(P(x)); erfcx as above; and erf of double
    # as x + x P(x^2 - 15/16) and 1 - P(x - 11/8)^8
    "ERFF": Polynomial(
        lambda t: mpmath.erf(mpmath.sqrt(t)) / mpmath.sqrt(t) - 1,
        lambda t: mpmath.sqrt(t) / mpmath.erf(mpmath.sqrt(t)),
        SMALL,
        1,
        7,
    ),
    "ERF": Polynomial(
        lambda t: mpmath.erf(mpmath.sqrt(t)) / mpmath.sqrt(t) - 1,
        lambda t: mpmath.sqrt(t) / mpmath.erf(mpmath.sqrt(t)),
        SMALL,
        1,
        13,
        53,
    ),
    "ERFC": erfc_scaled(4, 1e9, 25, 53),
    "ERFF_TAIL": Polynomial(
        lambda x: mpmath.log(mpmath.erfc(x)), mpmath.erfc, 0.99, 4.1, 7
    ),
    "ERFCF": erfc_scaled(2, 1e9, 12, 24),
    "ERF_NEAR": Polynomial(
        lambda t: erf_ratio(t + 0.9375) - 1,
        lambda t: 1 / erf_ratio(t + 0.9375),
        -0.9375,
        1.375**2 - 0.9375,
        15,
        53,
    ),
    "ERF_TAIL": Polynomial(
        lambda t: erfc_root(t + 1.375),
        lambda t: 8 * erfc_root(t + 1.375) ** 7,
        0,
        4.575,
        18,
        53,
    ),
    # Bessel's functions near their zeros below 8
    "J0_1": near_zero(J0, 2.4048, 0.55, 13),
    "J0_2": near_zero(J0, 5.5201, 0.55, 13),
    "J1_1": near_zero(J1, 3.8317, 0.55, 13),
    "J1_2": near_zero(J1, 7.0156, 0.55, 13),
    "Y0_1": near_zero(Y0, 0.8936, 0.3, 19),
    "Y0_2": near_zero(Y0, 3.9577, 0.55, 15),
    "Y0_3": near_zero(Y0, 7.0861, 0.55, 13),
    "Y1_1": near_zero(Y1, 2.1971, 0.5, 17),
    "Y1_2": near_zero(Y1, 5.4297, 0.55, 14),
    # The modified Bessel functions, below 9 and above
    "I0": modified(0, 9, 16),
    "I0_TAIL": modified_tail(0, 9, 23),
    "I1": modified(1, 9, 15),
    "I1_TAIL": modified_tail(1, 9, 23),
}


def literal(value: mpf, bits: int) -> str:
    return float(value).hex() + ("f" if bits == 24 else "")


def shorter(text: str) -> str:
    """Return a hexadecimal literal without trailing zeros."""
    digits, _, exponent = text.partition("p")
    head, _, tail = digits.partition(".")
    tail = tail.rstrip("0")
    return f"{head}.{tail}p{exponent}" if tail else f"{head}p{exponent}"


def macro(name: str, row: Polynomial) -> str:
    """Return the row as a C macro of t."""
    found, worst = fit(row)
    values = [shorter(literal(found[p], row.bits)) for p in range(row.count)]
    error = mpmath.log(worst, 2)
    kind = "F" if row.bits == 24 else ""
    head = f"/* error 2^{float(error):.1f} */\n"
    if row.split:
        head += f"#define __PYCUDA_{name}_FIRST {values.pop(0)}\n"
        name += "_REST"
    head += f"#define __PYCUDA_{name}(t)"
    lines = [head, f"    __PYCUDA_POLY{len(values)}{kind}("]
    arguments = ["t", *values]
    line = "        "
    for i, argument in enumerate(arguments):
        text = argument + (", " if i + 1 < len(arguments) else ")")
        if len(line + text.rstrip()) > 76:
            lines.append(line.rstrip())
            line = "        "
        line += text
    lines.append(line)
    width = 78
    *first, start = lines[0].split("\n")
    body = [start, *lines[1:]]
    joined = [text.ljust(width) + "\\" for text in body[:-1]]
    return "\n".join([*first, *joined, body[-1]])


HEAD = """\
/* math_polynomials.h - polynomials of the device's mathematics; made by
 * tools/minimax.py, which says what each stands for.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

"""


def horner(most: int) -> str:
    """Return macros that evaluate c[0] + c[1] t + ... with fma, by count."""
    lines = ["#define __PYCUDA_POLY1F(t, c0) (c0)"]
    lines += ["#define __PYCUDA_POLY1(t, c0) (c0)"]
    for n in range(2, most + 1):
        for kind, call in (("F", "__builtin_fmaf"), ("", "__builtin_fma")):
            lines.append(
                f"#define __PYCUDA_POLY{n}{kind}(t, c0, ...)".ljust(78) + "\\"
            )
            lines.append(
                f"    {call}(__PYCUDA_POLY{n - 1}{kind}(t, __VA_ARGS__), "
                "t, c0)"
            )
    return "\n".join(lines) + "\n\n"


def main() -> None:
    names = [name for name in sys.argv[1:] if name != "--write"]
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        sys.exit(
            f"no such row: {', '.join(unknown)}; known: {', '.join(ROWS)}"
        )
    made = []
    for name in names or ROWS:
        made.append(macro(name, ROWS[name]))
        print(made[-1], flush=True)
    if "--write" in sys.argv:
        most = max(row.count for row in ROWS.values())
        text = HEAD + horner(most) + "\n".join(made) + "\n"
        folder = Path(__file__).resolve().parent.parent
        (folder / "pycuda/cuda/cpu/math_polynomials.h").write_text(text)


if __name__ == "__main__":
    main()
