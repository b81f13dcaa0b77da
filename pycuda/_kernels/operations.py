"""Definition of array operations: their types, and their expressions in C.

`pycuda._kernels.maps` inserts the expressions into kernels; the C extension
calls `resolve_types` and caches the results.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pycuda._kernels import functions

_C_TYPES = {
    "?": "bool",
    "b": "signed char",
    "B": "unsigned char",
    "h": "short",
    "H": "unsigned short",
    "i": "int",
    "I": "unsigned int",
    "l": "long long",
    "L": "unsigned long long",
    "q": "long long",
    "Q": "unsigned long long",
    "e": "half",
    "E": "Bfloat16",
    "f": "float",
    "d": "double",
    "F": "pycuda::complex<float>",
    "D": "pycuda::complex<double>",
}

# NumPy's name of a function -> C's name, for real and complex floats.
_MATH = {
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "sqrt": "sqrt",
    "cbrt": "cbrt",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "rint",
    "fabs": "fabs",
    "arctan2": "atan2",
    "hypot": "hypot",
    "copysign": "copysign",
    "fmod": "fmod",
}
_COMPLEX_MATH = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "log10",
        "sqrt",
    ]
)


def is_bfloat16(dtype: np.dtype) -> bool:
    """Return whether this is the dtype of `ml_dtypes.bfloat16`."""
    return dtype.char == "E" and dtype.name == "bfloat16"


def is_short_float(dtype: np.dtype) -> bool:
    """Return whether kernels compute in float32 in place of this dtype."""
    return dtype.char == "e" or is_bfloat16(dtype)


def c_type(dtype: np.dtype) -> str:
    """Return C's name of a dtype; TypeError if kernels do not support it."""
    if not dtype.isnative:
        raise TypeError(
            f"no device arithmetic for dtype {dtype}: its byte order is not "
            "the machine's"
        )
    try:
        if dtype.char != "E" or is_bfloat16(dtype):
            return _C_TYPES[dtype.char]
    except KeyError:
        pass
    raise TypeError(
        f"no device arithmetic for dtype {dtype}: convert it with "
        "astype() to bool, an integer, a float or complex"
    )


# --- type rules ----------------------------------------------------------


def _checked(types: tuple[np.dtype, ...]) -> tuple[np.dtype, ...]:
    for dtype in types:
        c_type(dtype)
    return types


def _as_dtype(kind: Any) -> np.dtype:
    """Return the dtype of an array, or the default one of a Python scalar."""
    return kind if isinstance(kind, np.dtype) else np.dtype(kind)


def _is_half(kind: Any) -> bool:
    return isinstance(kind, np.dtype) and kind.char == "e"


def computed(dtype: np.dtype) -> np.dtype:
    """Return the dtype of computations: float32 for shorter floats."""
    return np.dtype(np.float32) if is_short_float(dtype) else dtype


def _ufunc_types(name: str, kinds: tuple) -> tuple[tuple, np.dtype]:
    ufunc = getattr(np, name, None)
    if not isinstance(ufunc, np.ufunc):
        raise ValueError(f"unknown operation {name!r}")
    found = ufunc.resolve_dtypes((*kinds, None))
    halves = any(_is_half(kind) for kind in kinds)
    if not halves and any(_is_half(dtype) for dtype in found):
        # For small integers, NumPy's ufunc computes in float16. Kernels
        # compute in float32 instead.
        wide = [
            np.dtype(np.float32)
            if isinstance(kind, np.dtype) and kind.kind in "biu"
            else kind
            for kind in kinds
        ]
        found = ufunc.resolve_dtypes((*wide, None))
    found = _checked(found)
    return found[:-1], found[-1]


def _common(kinds: tuple) -> np.dtype:
    found = np.maximum.resolve_dtypes((*kinds, None))[-1]
    return _checked((found,))[0]


def _copy_types(kinds: tuple) -> tuple[tuple, np.dtype]:
    dtype = _checked((_as_dtype(kinds[0]),))[0]
    return (dtype,), dtype


def _part_types(kinds: tuple) -> tuple[tuple, np.dtype]:
    dtype = _as_dtype(kinds[0])
    return (dtype,), np.empty(0, dtype).real.dtype


def _select_types(kinds: tuple) -> tuple[tuple, np.dtype]:
    result = _common(kinds[1:])
    return (_checked((_as_dtype(kinds[0]),))[0], result, result), result


def _clip_types(kinds: tuple) -> tuple[tuple, np.dtype]:
    # Sort Python's int, float and complex last: a Python number adapts to the
    # common type of all other operands.
    first, *rest = sorted(kinds, key=lambda kind: isinstance(kind, type))
    result = _as_dtype(first)
    for kind in rest:
        result = _common((result, kind))
    return (result,) * 3, result


def _scale_types(kinds: tuple) -> tuple[tuple, np.dtype]:
    """Return the types of ldexp: a float type, and the exponent's type."""
    number, power = kinds
    if isinstance(number, np.dtype) and number.kind in "biu":
        number = np.maximum.resolve_dtypes((number, np.dtype("f4"), None))[-1]
    found = np.ldexp.resolve_dtypes((number, power, None))
    return found[:2], found[2]


def _sum_type(dtype: np.dtype) -> np.dtype:
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def _sum_types(kinds: tuple) -> tuple[tuple, np.dtype]:
    _checked(kinds)
    return kinds, _sum_type(kinds[-1])


def _truth_types(kinds: tuple) -> tuple[tuple, np.dtype]:
    return _checked(kinds), np.dtype(bool)


def _last_type(kinds: tuple) -> tuple[tuple, np.dtype]:
    return _checked(kinds), kinds[-1]


def _dot_types(kinds: tuple) -> tuple[tuple, np.dtype]:
    return _checked(kinds), _common(kinds[-2:])


def _arange_types(kinds: tuple) -> tuple[tuple, np.dtype]:
    return _checked(kinds), kinds[0]


_TYPE_RULES: dict[str, Callable[[tuple], tuple[tuple, np.dtype]]] = {
    "copy": _copy_types,
    "real": _part_types,
    "imag": _part_types,
    "where": _select_types,
    "if_positive": _select_types,
    "clip": _clip_types,
    "ldexp": _scale_types,
    "arange": _arange_types,
    "sum": _sum_types,
    "any": _truth_types,
    "all": _truth_types,
    "max": _last_type,
    "min": _last_type,
    "dot": _dot_types,
}


def resolve_types(name: str, kinds: tuple) -> tuple[tuple, np.dtype]:
    """Return the types that an operation computes in, and the result's.

    Parameters
    ----------
    name
        Name of the operation; NumPy's name if NumPy has it.
    kinds
        For each input a dtype, or ``int``, ``float``, ``complex`` for a
        Python scalar, which takes the type of the other operands.
    """
    rule = _TYPE_RULES.get(name)
    return rule(kinds) if rule else _ufunc_types(name, kinds)


# --- expressions ---------------------------------------------------------


def cast(text: str, source: np.dtype, target: np.dtype) -> str:
    """Return C that converts a value between dtypes, as NumPy converts."""
    if c_type(source) == c_type(target):
        return text
    name = c_type(target)
    if source.char == "e":
        return cast(f"__half2float({text})", np.dtype("f4"), target)
    if target.char == "e" and source.kind != "c":
        if source.char == "d":
            return f"__double2half({text})"
        return f"__float2half_rn({cast(text, source, np.dtype('f4'))})"
    if source.char == "E":
        return cast(f"bfloat16_to_float({text})", np.dtype("f4"), target)
    if target.char == "E" and source.kind != "c":
        # Convert to float32 first, as ml_dtypes does.
        return f"float_to_bfloat16({cast(text, source, np.dtype('f4'))})"
    if target.kind == "b":
        if source.kind == "c":
            return f"({text}.real() != 0 || {text}.imag() != 0)"
        return f"({text} != 0)"
    if source.kind == "c" and target.kind == "c":
        return f"{name}({text}.real(), {text}.imag())"
    if source.kind == "c":
        part = np.dtype("f4" if source.itemsize == 8 else "f8")
        return cast(f"{text}.real()", part, target)
    if target.kind == "c":
        part = "float" if target.itemsize == 8 else "double"
        return f"{name}(({part}){text})"
    if source.kind == "f" and target.kind in "iu":
        return f"real_to_integer<{name}>({text})"
    return f"({name}){text}"


def _wrapping(operator: str) -> Callable[[list], str]:
    """Return integer arithmetic that wraps: C leaves overflow undefined."""

    def expression(types: list[np.dtype]) -> str:
        dtype = types[0]
        if dtype.kind == "b":
            return {"+": "x || y", "*": "x && y"}[operator]
        if dtype.kind in "iu":
            wide = (
                "unsigned long long" if dtype.itemsize == 8 else "unsigned int"
            )
            return f"({c_type(dtype)})(({wide})x {operator} ({wide})y)"
        return f"x {operator} y"

    return expression


def _compare(operator: str) -> Callable[[list], str]:
    def expression(types: list[np.dtype]) -> str:
        left, right = types[0], types[1]
        if left.kind == "c" and operator not in ("==", "!="):
            strict = operator[0]
            numbers = "x.imag() == x.imag() && y.imag() == y.imag()"
            return (
                f"(x.real() {strict} y.real() && {numbers}) || "
                f"(x.real() == y.real() && x.imag() {operator} y.imag())"
            )
        if left.kind == "c":
            both = f"x.real() {operator} y.real() {{}} x.imag() {operator} "
            return both.format("&&" if operator == "==" else "||") + "y.imag()"
        if left.kind == "i" and right.kind == "u":
            low = "true" if operator in ("<", "<=", "!=") else "false"
            return f"x < 0 ? {low} : (unsigned long long)x {operator} y"
        if left.kind == "u" and right.kind == "i":
            low = "true" if operator in (">", ">=", "!=") else "false"
            return f"y < 0 ? {low} : x {operator} (unsigned long long)y"
        return f"x {operator} y"

    return expression


def _by_kind(**texts: str) -> Callable[[list], str]:
    """Select by the kind of the first type: b, i, u, f or c."""

    def expression(types: list[np.dtype]) -> str:
        kind = types[0].kind
        if kind in texts:
            return texts[kind]
        if kind in "iu" and "integer" in texts:
            return texts["integer"]
        if "other" in texts:
            return texts["other"]
        raise TypeError(f"this operation is not defined for {types[0]}")

    return expression


def _is_nan(name: str, dtype: np.dtype) -> str:
    if dtype.kind == "f":
        return f"{name} != {name}"
    if dtype.kind == "c":
        return (
            f"{name}.real() != {name}.real() || {name}.imag() != {name}.imag()"
        )
    return "false"


def _extreme(operator: str) -> Callable[[list], str]:
    """Return a maximum or minimum; the first NaN wins, as in NumPy."""

    def expression(types: list[np.dtype]) -> str:
        better = _compare(operator)(types)
        if types[0].kind == "f":
            # No short-circuit operator: a branch would prevent vectorised
            # reductions.
            return f"(({better}) | (x != x)) ? x : y"
        return f"({better} || {_is_nan('x', types[0])}) ? x : y"

    return expression


def _ignoring(operator: str) -> Callable[[list], str]:
    def expression(types: list[np.dtype]) -> str:
        better = _compare(operator)(types)
        return f"({better} || {_is_nan('y', types[0])}) ? x : y"

    return expression


def _absolute(types: list[np.dtype]) -> str:
    dtype = types[0]
    if dtype.kind == "i":
        wide = "unsigned long long" if dtype.itemsize == 8 else "unsigned int"
        return f"x < 0 ? ({c_type(dtype)})(({wide})0 - ({wide})x) : x"
    return {"f": "fabs(x)", "c": "abs(x)"}.get(dtype.kind, "x")


def _negative(types: list[np.dtype]) -> str:
    dtype = types[0]
    if dtype.kind in "iu":
        wide = "unsigned long long" if dtype.itemsize == 8 else "unsigned int"
        return f"({c_type(dtype)})(({wide})0 - ({wide})x)"
    return "-x"


def _arange(types: list[np.dtype]) -> str:
    dtype = types[0]
    if dtype.kind == "c":
        part = "float" if dtype.itemsize == 8 else "double"
        return f"x + y * ({part})i"
    return f"({c_type(dtype)})(x + ({c_type(dtype)})i * y)"


_LOGIC = {
    "logical_and": "{} && {}",
    "logical_or": "{} || {}",
    "logical_xor": "{} != {}",
    "logical_not": "!{}",
}


def _logical(name: str) -> Callable[[list], str]:
    def expression(types: list[np.dtype]) -> str:
        truth = [
            cast(letter, dtype, np.dtype(bool))
            for letter, dtype in zip("xy", types, strict=False)
        ]
        return _LOGIC[name].format(*truth)

    return expression


_EXPRESSIONS: dict[str, Callable[[list], str]] = {
    "add": _wrapping("+"),
    "subtract": _wrapping("-"),
    "multiply": _wrapping("*"),
    "true_divide": _by_kind(c="complex_divide(x, y)", other="x / y"),
    "floor_divide": _by_kind(
        integer="integer_floor_divide(x, y)", f="real_floor_divide(x, y)"
    ),
    "remainder": _by_kind(
        integer="integer_remainder(x, y)", f="real_remainder(x, y)"
    ),
    "power": _by_kind(
        integer="integer_power(x, y)",
        f="real_power(x, y)",
        c="complex_power(x, y)",
    ),
    "bitwise_and": lambda types: "x & y",
    "bitwise_or": lambda types: "x | y",
    "bitwise_xor": lambda types: "x ^ y",
    "left_shift": lambda types: "shift_left(x, y)",
    "right_shift": lambda types: "shift_right(x, y)",
    "less": _compare("<"),
    "less_equal": _compare("<="),
    "equal": _compare("=="),
    "not_equal": _compare("!="),
    "greater": _compare(">"),
    "greater_equal": _compare(">="),
    "negative": _negative,
    "positive": lambda types: "x",
    "absolute": _absolute,
    "invert": _by_kind(b="!x", other="~x"),
    "copy": lambda types: "x",
    "real": _by_kind(c="x.real()", other="x"),
    "imag": _by_kind(c="x.imag()", other="0"),
    "conjugate": _by_kind(c="conj(x)", other="x"),
    "square": lambda types: "x * y".replace("y", "x"),
    "maximum": _extreme(">="),
    "minimum": _extreme("<="),
    "fmax": _ignoring(">="),
    "fmin": _ignoring("<="),
    "isnan": lambda types: _is_nan("x", types[0]),
    "arange": _arange,
    "where": lambda types: f"{cast('x', types[0], np.dtype(bool))} ? y : z",
    "if_positive": lambda types: "x > 0 ? y : z",
    **{name: _logical(name) for name in _LOGIC},
}


def _math_expression(name: str, types: tuple) -> str:
    dtype = types[0]
    if dtype.kind in "biu" and name in functions.WHOLES:
        return functions.WHOLES[name]
    if dtype.kind == "c" and name in functions.COMPLEX:
        return functions.COMPLEX[name]
    if dtype.kind == "c" and name not in _COMPLEX_MATH:
        raise TypeError(f"{name} is not defined for {dtype} on the device")
    arguments = ", ".join("xyz"[: len(types)])
    suffix = "f" if dtype.char == "f" else ""
    return f"{_MATH[name]}{suffix}({arguments})"


# Types, by NumPy's character, for which arithmetic is supported.
ARITHMETIC = "?bBhHiIlLqQeEfdFD"


def expression_of(name: str, types: tuple) -> str:
    """Return C for an operation on x, y, z of the given types."""
    if name in _MATH:
        return _math_expression(name, types)
    found = _EXPRESSIONS.get(name) or functions.EXPRESSIONS.get(name)
    if found is None:
        raise ValueError(f"unknown operation {name!r}")
    return found(list(types))
