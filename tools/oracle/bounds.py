"""Allowed differences between the results of two devices, by function.

CUDA documents the largest error of each mathematical function.  Two devices
may differ by that plus one unit in the last place, since the results of the
CPU device are themselves rounded.  The results of a function without a bound
must be equal to the byte.

SPDX-License-Identifier: MIT
"""

import re

import numpy as np

# Largest errors in units in the last place: of float, of double.
ULP = {
    "rsqrt": (2, 1), "cbrt": (1, 1), "rcbrt": (1, 1), "hypot": (3, 2),
    "rhypot": (2, 1), "norm3d": (3, 2), "rnorm3d": (2, 1), "norm4d": (3, 2),
    "rnorm4d": (2, 1), "exp": (2, 1), "exp2": (2, 1), "exp10": (2, 1),
    "expm1": (1, 1), "log": (1, 1), "log2": (1, 1), "log10": (2, 1),
    "log1p": (1, 1), "sin": (2, 2), "cos": (2, 2), "tan": (4, 2),
    "sinpi": (1, 2), "cospi": (1, 2), "asin": (2, 2), "acos": (2, 2),
    "atan": (2, 2), "atan2": (3, 2), "sinh": (3, 2), "cosh": (2, 1),
    "tanh": (2, 2), "asinh": (3, 3), "acosh": (4, 3), "atanh": (3, 2),
    "pow": (4, 2), "erf": (2, 2), "erfc": (4, 5), "erfcx": (4, 4),
    "erfinv": (2, 5), "erfcinv": (4, 6), "normcdf": (5, 5),
    "normcdfinv": (5, 8), "lgamma": (6, 4), "tgamma": (5, 10),
    "j0": (9, 7), "j1": (9, 7), "y0": (9, 7), "y1": (9, 7),
    "cyl_bessel_i0": (6, 6), "cyl_bessel_i1": (6, 6), "__fdividef": (2, 2),
    "htanh_approx": (1, 1), "h2tanh_approx": (1, 1),
}  # fmt: skip
BESSEL = re.compile(r"[jy][01]f?")
APPROXIMATE = (
    "__sinf", "__cosf", "__tanf", "__logf", "__log2f", "__log10f", "__expf",
    "__exp10f", "__powf", "__tanhf",
)  # fmt: skip


def approximate(name: str, given: list[np.ndarray]) -> tuple:
    """Return the `tolerance` of a fast intrinsic."""
    x = given[0].astype("f8")
    if name in ("__sinf", "__cosf"):
        return 1.0, 2.0**-21 * np.maximum(1, np.abs(x))
    if name == "__tanf":
        secant = 1 + np.tan(x) ** 2
        most = 2.0**-20 * np.maximum(1, np.abs(x)) * secant
        return 2.0, np.where(np.abs(x) < 2**16, most, np.inf)
    if name in ("__logf", "__log2f", "__log10f"):
        near = (x >= 0.5) & (x <= 2)
        return 3.0, np.where(near, 2.0**-21.4, 0)
    if name == "__expf":
        return 3 + np.floor(np.abs(1.173 * x)), 0.0
    if name == "__exp10f":
        return 3 + np.floor(np.abs(2.97 * x)), 0.0
    if name == "__tanhf":
        return 2.0 ** (24 - 10.987), 0.0
    y = given[1].astype("f8")
    return 4 + 4 * np.abs(y) + 2 * np.abs(y * np.log2(np.abs(x))), 0.0


def tolerance(name: str, kind: str, given: list[np.ndarray]) -> tuple | None:
    """Return (units in the last place, absolute), per result; None: 0.

    Parameters
    ----------
    name
        The function.
    kind
        The type of the result.
    given
        The operands.
    """
    with np.errstate(all="ignore"):
        if name in APPROXIMATE:
            return approximate(name, given)
        base = name if name in ULP else name.removesuffix("f")
        if base not in ULP or kind in ("bool", "int"):
            return None
        double = kind == "double"
        x = given[0].astype("f8")
        absolute = np.zeros(len(x))
        if base == "lgamma":  # roots, near which the error is larger
            absolute[(x < -2.26) & (x > -24)] = 2e-15 if double else 2e-6
        if BESSEL.fullmatch(base):
            absolute[np.abs(x) >= 8] = 5e-12 if double else 2.2e-6
        return ULP[base][double] + 1.0, absolute
