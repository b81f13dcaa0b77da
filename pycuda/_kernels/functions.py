"""C for NumPy's element-wise functions that are no operators.

`pycuda._kernels.operations` uses this module for functions that it lacks.  The
expressions call ``number_...`` of ``numbers/functions.cuh`` and
``principal_...`` of ``numbers/complex_functions.cuh``, which a source includes
only if it names one of them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Expression = Callable[[list[np.dtype]], str]


def _kinds(**texts: str) -> Expression:
    """Select by the kind of the first type: b, i, u, f or c."""

    def expression(types: list[np.dtype]) -> str:
        text = texts.get(types[0].kind, texts.get("other"))
        if text is None:
            raise TypeError(f"this function is not defined for {types[0]}")
        return text

    return expression


def _parts(text: str) -> str:
    """Test both parts of a complex number; `text` tests one, written {}."""
    return text.format("x.real()"), text.format("x.imag()")


def _tested(text: str, join: str, otherwise: str) -> Expression:
    real, imag = _parts(text)
    return _kinds(
        f=text.format("x"), c=f"{real} {join} {imag}", other=otherwise
    )


def _suffixed(text: str) -> Expression:
    """Call a function of C, with the suffix f for float."""

    def expression(types: list[np.dtype]) -> str:
        return text.format("f" if types[0].char == "f" else "")

    return expression


def _scaled(factor: float) -> Expression:
    """Multiply x by a constant that is first rounded to x's type."""

    def expression(types: list[np.dtype]) -> str:
        return f"x * {'(float)' if types[0].char == 'f' else ''}{factor!r}"

    return expression


# number_not_below() and number_not_above() return NaN if x is NaN.
_CLIP = "number_not_above(number_not_below(x, y), z)"

EXPRESSIONS: dict[str, Expression] = {
    "isfinite": _tested("({0} - {0} == 0)", "&&", "true"),
    "isinf": _tested("(fabs({}) == INFINITY)", "||", "false"),
    "reciprocal": _kinds(
        f="1 / x", c="number_reciprocal(x)", other="number_reciprocal(x)"
    ),
    "sign": _kinds(
        u="x > 0",
        i="(x > 0) - (x < 0)",
        f="x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x",
        c="number_sign(x)",
    ),
    "signbit": _kinds(f="signbit(x)"),
    "nextafter": _suffixed("nextafter{}(x, y)"),
    "nextafter_half": lambda types: "number_half_after(x, y)",
    "nextafter_bfloat16": lambda types: "number_bfloat16_after(x, y)",
    "spacing": _kinds(f="number_spacing(x)"),
    "spacing_half": lambda types: "number_half_spacing(x)",
    "spacing_bfloat16": lambda types: "number_bfloat16_spacing(x)",
    "heaviside": _kinds(f="x != x ? x : x == 0 ? y : x < 0 ? 0 : 1"),
    "logaddexp": _kinds(f="number_logaddexp(x, y)"),
    "logaddexp2": _kinds(f="number_logaddexp2(x, y)"),
    "gcd": lambda types: "number_gcd(x, y)",
    "lcm": lambda types: "number_lcm(x, y)",
    "ldexp": lambda types: "number_ldexp(x, (long long)y)",
    "deg2rad": _scaled(np.pi / 180),
    "radians": _scaled(np.pi / 180),
    "rad2deg": _scaled(180 / np.pi),
    "degrees": _scaled(180 / np.pi),
    "float_power": _kinds(f="pow(x, y)", c="complex_power(x, y)"),
    "bitwise_count": lambda types: "number_bits(x)",
    "clip": lambda types: _CLIP,
}

# Expressions for complex numbers, of functions that C defines for real numbers
# only. WHOLES has the expressions of functions that are simpler for integers.
COMPLEX: dict[str, str] = {
    name: f"principal_{text}(x)"
    for name, text in {
        "arcsin": "asin",
        "arccos": "acos",
        "arctan": "atan",
        "arcsinh": "asinh",
        "arccosh": "acosh",
        "arctanh": "atanh",
        "exp2": "exp2",
        "expm1": "expm1",
        "log2": "log2",
        "log1p": "log1p",
        "rint": "rint",
    }.items()
}
WHOLES = {
    "floor": "x",
    "ceil": "x",
    "trunc": "x",
    "fmod": "number_rest(x, y)",
}

# (type character of a 16-bit float, operation) -> C function. These operations
# must not be computed in float32.
SHORT = {
    ("e", "nextafter"): "nextafter_half",
    ("e", "spacing"): "spacing_half",
    ("E", "nextafter"): "nextafter_bfloat16",
    ("E", "spacing"): "spacing_bfloat16",
}
