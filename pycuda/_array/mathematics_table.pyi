"""Types of the element-wise functions that `mathematics` makes from tables.

Only type checkers read this file; a test compares it with the tables.

SPDX-License-Identifier: MIT
"""

from typing import Any, Protocol

import numpy as np

import pycuda.driver as drv
from pycuda._driver import ArrayBase
from pycuda.gpuarray import GPUArray

class _Unary(Protocol):
    def __call__(
        self,
        x: ArrayBase,
        /,
        out: GPUArray | None = None,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray: ...

class _Binary(Protocol):
    def __call__(
        self,
        x1: ArrayBase | complex | np.number[Any] | np.bool_,
        x2: ArrayBase | complex | np.number[Any] | np.bool_,
        /,
        out: GPUArray | None = None,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray: ...

abs: _Unary
absolute: _Unary
acos: _Unary
acosh: _Unary
arccos: _Unary
arccosh: _Unary
arcsin: _Unary
arcsinh: _Unary
arctan: _Unary
arctanh: _Unary
asin: _Unary
asinh: _Unary
atan: _Unary
atanh: _Unary
bitwise_count: _Unary
bitwise_invert: _Unary
bitwise_not: _Unary
cbrt: _Unary
ceil: _Unary
conj: _Unary
conjugate: _Unary
cos: _Unary
cosh: _Unary
deg2rad: _Unary
degrees: _Unary
exp: _Unary
exp2: _Unary
expm1: _Unary
fabs: _Unary
floor: _Unary
invert: _Unary
isfinite: _Unary
isinf: _Unary
isnan: _Unary
log: _Unary
log10: _Unary
log1p: _Unary
log2: _Unary
negative: _Unary
positive: _Unary
rad2deg: _Unary
radians: _Unary
reciprocal: _Unary
rint: _Unary
sign: _Unary
signbit: _Unary
sin: _Unary
sinh: _Unary
spacing: _Unary
sqrt: _Unary
square: _Unary
tan: _Unary
tanh: _Unary
trunc: _Unary

add: _Binary
arctan2: _Binary
atan2: _Binary
bitwise_and: _Binary
bitwise_left_shift: _Binary
bitwise_or: _Binary
bitwise_right_shift: _Binary
bitwise_xor: _Binary
copysign: _Binary
divide: _Binary
equal: _Binary
float_power: _Binary
floor_divide: _Binary
fmax: _Binary
fmin: _Binary
fmod: _Binary
gcd: _Binary
greater: _Binary
greater_equal: _Binary
heaviside: _Binary
hypot: _Binary
lcm: _Binary
ldexp: _Binary
left_shift: _Binary
less: _Binary
less_equal: _Binary
logaddexp: _Binary
logaddexp2: _Binary
logical_xor: _Binary
mod: _Binary
multiply: _Binary
nextafter: _Binary
not_equal: _Binary
pow: _Binary
power: _Binary
remainder: _Binary
right_shift: _Binary
subtract: _Binary
true_divide: _Binary
