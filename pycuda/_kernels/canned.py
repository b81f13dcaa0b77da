"""Prepared kernels for common operations, which `pycuda.elementwise` exports.

Each is called as ``f.prepared_async_call(grid, block, stream, *values, n)``
with the values in the order that its docstring lists; vectors are addresses
(``array.gpudata``) of arrays with the same memory order.  Indices are not
checked.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pycuda._kernels.elementwise_modules import get_elwise_kernel
from pycuda.tools import (
    Argument,
    ScalarArg,
    VectorArg,
    context_dependent_memoize,
    dtype_to_ctype,
)

__all__ = [
    "get_arange_kernel",
    "get_axpbyz_kernel",
    "get_axpbz_kernel",
    "get_binary_func_kernel",
    "get_binary_func_scalar_kernel",
    "get_binary_minmax_kernel",
    "get_binary_op_kernel",
    "get_conj_kernel",
    "get_copy_kernel",
    "get_divide_kernel",
    "get_fill_kernel",
    "get_fmod_kernel",
    "get_frexp_kernel",
    "get_if_positive_kernel",
    "get_imag_kernel",
    "get_ldexp_kernel",
    "get_linear_combination_kernel",
    "get_logical_not_kernel",
    "get_modf_kernel",
    "get_multiply_kernel",
    "get_pow_array_kernel",
    "get_pow_kernel",
    "get_put_kernel",
    "get_rdivide_elwise_kernel",
    "get_real_kernel",
    "get_reverse_kernel",
    "get_scalar_op_kernel",
    "get_take_kernel",
    "get_take_put_kernel",
    "get_unary_func_kernel",
    "get_where_kernel",
]


def _kernel(name: str, operation: str, *arguments: Argument) -> Any:
    return get_elwise_kernel(list(arguments), operation, name)


def _argument(dtype: Any, name: str, scalar: bool) -> Argument:
    return (ScalarArg if scalar else VectorArg)(dtype, name)


def _defaulted(dtype: Any, *dtypes: Any) -> list[Any]:
    """Fill in dtypes that older releases take from the first one."""
    return [dtype if other is None else other for other in dtypes]


def _element(name: str, scalar: bool) -> str:
    return name if scalar else f"{name}[i]"


def _as(dtype: Any, text: str) -> str:
    """Return C for `text` as an element of `dtype`."""
    return f"({dtype_to_ctype(dtype)})({text})"


# --- by index ------------------------------------------------------------


def _vectors(dtype: Any, name: str, count: int) -> list[Argument]:
    return [VectorArg(dtype, f"{name}{k}") for k in range(count)]


def _each(text: str, count: int) -> str:
    return "; ".join(text.format(k=k) for k in range(count))


@context_dependent_memoize
def get_take_kernel(
    dtype: Any, idx_dtype: Any, vec_count: int = 1
) -> tuple[Any, list[Any]]:
    """Compile ``dest[i] = src[idx[i]]``, for several vectors at a time.

    Returns
    -------
    tuple
        The kernel, which takes (idx, dest..., src...), and an empty list,
        which used to hold texture references.
    """
    return _kernel(
        "take",
        _each("dest{k}[i] = src{k}[idx[i]]", vec_count),
        VectorArg(idx_dtype, "idx"),
        *_vectors(dtype, "dest", vec_count),
        *_vectors(dtype, "src", vec_count),
    ), []


@context_dependent_memoize
def get_take_put_kernel(
    dtype: Any, idx_dtype: Any, with_offsets: bool, vec_count: int = 1
) -> tuple[Any, list[Any]]:
    """Compile ``dest[dest_idx[i]] = src[src_idx[i] + offset]``.

    Returns
    -------
    tuple
        The kernel, which takes (dest_idx, src_idx, dest..., src...) and, with
        offsets, one of ``idx_dtype`` for each vector; and an empty list.
    """
    plus = " + offset{k}" if with_offsets else ""
    offsets = [
        ScalarArg(idx_dtype, f"offset{k}")
        for k in range(vec_count if with_offsets else 0)
    ]
    return _kernel(
        "take_put",
        _each(
            f"dest{{k}}[dest_idx[i]] = src{{k}}[src_idx[i]{plus}]", vec_count
        ),
        VectorArg(idx_dtype, "dest_idx"),
        VectorArg(idx_dtype, "src_idx"),
        *_vectors(dtype, "dest", vec_count),
        *_vectors(dtype, "src", vec_count),
        *offsets,
    ), []


@context_dependent_memoize
def get_put_kernel(dtype: Any, idx_dtype: Any, vec_count: int = 1) -> Any:
    """``dest[idx[i]] = src[i]``; takes (idx, dest..., src...)."""
    return _kernel(
        "put",
        _each("dest{k}[idx[i]] = src{k}[i]", vec_count),
        VectorArg(idx_dtype, "idx"),
        *_vectors(dtype, "dest", vec_count),
        *_vectors(dtype, "src", vec_count),
    )


# --- copies --------------------------------------------------------------


@context_dependent_memoize
def get_copy_kernel(dtype_dest: Any, dtype_src: Any) -> Any:
    """``dest[i] = src[i]`` with a conversion; takes (dest, src)."""
    return _kernel(
        "copy",
        f"dest[i] = {_as(dtype_dest, 'src[i]')}",
        VectorArg(dtype_dest, "dest"),
        VectorArg(dtype_src, "src"),
    )


@context_dependent_memoize
def get_fill_kernel(dtype: Any) -> Any:
    """``z[i] = a``; takes (a, z)."""
    return _kernel(
        "fill", "z[i] = a", ScalarArg(dtype, "a"), VectorArg(dtype, "z")
    )


@context_dependent_memoize
def get_reverse_kernel(dtype: Any) -> Any:
    """``z[i] = y[n-1-i]``; takes (y, z)."""
    return _kernel(
        "reverse",
        "z[i] = y[n-1-i]",
        VectorArg(dtype, "y"),
        VectorArg(dtype, "z"),
    )


@context_dependent_memoize
def get_arange_kernel(dtype: Any) -> Any:
    """``z[i] = start + i*step``; takes (z, start, step)."""
    part = np.empty(0, dtype).real.dtype
    return _kernel(
        "arange",
        f"z[i] = start + {_as(part, 'i')}*step",
        VectorArg(dtype, "z"),
        ScalarArg(dtype, "start"),
        ScalarArg(dtype, "step"),
    )


# --- arithmetic ----------------------------------------------------------


@context_dependent_memoize
def get_linear_combination_kernel(
    summand_descriptors: Sequence[tuple[bool, Any, Any]], dtype_z: Any
) -> tuple[Any, list[Any]]:
    """Compile ``z[i] = a0*x0[i] + a1*x1[i] + ...``.

    Parameters
    ----------
    summand_descriptors
        A hashable sequence of (whether the factor is on the device, its
        dtype, the vector's dtype).
    dtype_z
        Dtype of the result.

    Returns
    -------
    tuple
        The kernel, which takes (a0, x0, a1, x1, ..., z), where a factor on
        the device is its address; and an empty list.
    """
    arguments: list[Argument] = []
    summands = []
    for k, (on_device, dtype_a, dtype_x) in enumerate(summand_descriptors):
        arguments.append(_argument(dtype_a, f"a{k}", not on_device))
        arguments.append(VectorArg(dtype_x, f"x{k}"))
        factor = f"a{k}[0]" if on_device else f"a{k}"
        summands.append(f"{_as(dtype_z, factor)}*{_as(dtype_z, f'x{k}[i]')}")
    return _kernel(
        "linear_combination",
        "z[i] = " + " + ".join(summands),
        *arguments,
        VectorArg(dtype_z, "z"),
    ), []


@context_dependent_memoize
def get_axpbyz_kernel(
    dtype_x: Any,
    dtype_y: Any = None,
    dtype_z: Any = None,
    x_is_scalar: bool = False,
    y_is_scalar: bool = False,
) -> Any:
    """``z[i] = a*x[i] + b*y[i]``; takes (a, x, b, y, z)."""
    dtype_y, dtype_z = _defaulted(dtype_x, dtype_y, dtype_z)
    x = _as(dtype_z, _element("x", x_is_scalar))
    y = _as(dtype_z, _element("y", y_is_scalar))
    return _kernel(
        "axpbyz",
        f"z[i] = {_as(dtype_z, 'a')}*{x} + {_as(dtype_z, 'b')}*{y}",
        ScalarArg(dtype_x, "a"),
        _argument(dtype_x, "x", x_is_scalar),
        ScalarArg(dtype_y, "b"),
        _argument(dtype_y, "y", y_is_scalar),
        VectorArg(dtype_z, "z"),
    )


@context_dependent_memoize
def get_axpbz_kernel(dtype_x: Any, dtype_z: Any = None) -> Any:
    """``z[i] = a*x[i] + b``; takes (a, x, b, z), with a and b in z's dtype."""
    (dtype_z,) = _defaulted(dtype_x, dtype_z)
    return _kernel(
        "axpbz",
        f"z[i] = a*{_as(dtype_z, 'x[i]')} + b",
        ScalarArg(dtype_z, "a"),
        VectorArg(dtype_x, "x"),
        ScalarArg(dtype_z, "b"),
        VectorArg(dtype_z, "z"),
    )


@context_dependent_memoize
def get_binary_op_kernel(
    dtype_x: Any,
    dtype_y: Any,
    dtype_z: Any,
    operator: str,
    x_is_scalar: bool = False,
    y_is_scalar: bool = False,
) -> Any:
    """``z[i] = x[i] operator y[i]``; takes (x, y, z).

    Numbers are first converted to z's dtype if that is complex.
    """
    x, y = _element("x", x_is_scalar), _element("y", y_is_scalar)
    if np.dtype(dtype_z).kind == "c":
        x, y = _as(dtype_z, x), _as(dtype_z, y)
    return _kernel(
        "binary_op",
        f"z[i] = {x} {operator} {y}",
        _argument(dtype_x, "x", x_is_scalar),
        _argument(dtype_y, "y", y_is_scalar),
        VectorArg(dtype_z, "z"),
    )


@context_dependent_memoize
def get_rdivide_elwise_kernel(dtype_x: Any, dtype_z: Any = None) -> Any:
    """``z[i] = y / x[i]``; takes (x, y, z), with y in z's dtype."""
    (dtype_z,) = _defaulted(dtype_x, dtype_z)
    return _kernel(
        "rdivide",
        f"z[i] = y / {_as(dtype_z, 'x[i]')}",
        VectorArg(dtype_x, "x"),
        ScalarArg(dtype_z, "y"),
        VectorArg(dtype_z, "z"),
    )


@context_dependent_memoize
def get_scalar_op_kernel(
    dtype_x: Any, dtype_a: Any, dtype_y: Any, operator: str
) -> Any:
    """``y[i] = x[i] operator a``; takes (x, a, y)."""
    return _kernel(
        "scalar_op",
        f"y[i] = x[i] {operator} a",
        VectorArg(dtype_x, "x"),
        ScalarArg(dtype_a, "a"),
        VectorArg(dtype_y, "y"),
    )


# --- names of older releases -------------------------------------------


def get_multiply_kernel(
    dtype_x: Any, dtype_y: Any = None, dtype_z: Any = None
) -> Any:
    """``z[i] = x[i] * y[i]``; takes (x, y, z)."""
    others = _defaulted(dtype_x, dtype_y, dtype_z)
    return get_binary_op_kernel(dtype_x, *others, "*")


def get_divide_kernel(
    dtype_x: Any, dtype_y: Any = None, dtype_z: Any = None
) -> Any:
    """``z[i] = x[i] / y[i]``; takes (x, y, z)."""
    others = _defaulted(dtype_x, dtype_y, dtype_z)
    return get_binary_op_kernel(dtype_x, *others, "/")


@context_dependent_memoize
def get_pow_kernel(dtype: Any) -> Any:
    """``z[i] = pow(y[i], value)``; takes (value, y, z)."""
    return _kernel(
        "pow_method",
        "z[i] = pow(y[i], value)",
        ScalarArg(dtype, "value"),
        VectorArg(dtype, "y"),
        VectorArg(dtype, "z"),
    )


# --- functions -----------------------------------------------------------


@context_dependent_memoize
def get_binary_func_kernel(
    func: str, dtype_x: Any, dtype_y: Any, dtype_z: Any
) -> Any:
    """``z[i] = func(x[i], y[i])``; takes (x, y, z)."""
    return _kernel(
        "binary_func",
        f"z[i] = {func}(x[i], y[i])",
        VectorArg(dtype_x, "x"),
        VectorArg(dtype_y, "y"),
        VectorArg(dtype_z, "z"),
    )


@context_dependent_memoize
def get_binary_func_scalar_kernel(
    func: str, dtype_x: Any, dtype_y: Any, dtype_z: Any
) -> Any:
    """``z[i] = func(x[i], y)``; takes (x, y, z)."""
    return _kernel(
        "binary_func_scalar",
        f"z[i] = {func}(x[i], y)",
        VectorArg(dtype_x, "x"),
        ScalarArg(dtype_y, "y"),
        VectorArg(dtype_z, "z"),
    )


def get_binary_minmax_kernel(
    func: str,
    dtype_x: Any,
    dtype_y: Any,
    dtype_z: Any,
    use_scalar: bool = False,
) -> Any:
    """`get_binary_func_kernel` for ``max`` or ``min`` of any real dtypes.

    For floats that is ``fmax`` or ``fmin``, which prefer numbers to NaN.
    """
    if any(np.dtype(d).kind == "f" for d in (dtype_x, dtype_y)):
        func = "f" + func
    make = get_binary_func_scalar_kernel if use_scalar else (
        get_binary_func_kernel
    )  # fmt: skip
    return make(func, dtype_x, dtype_y, dtype_z)


@context_dependent_memoize
def get_pow_array_kernel(
    dtype_x: Any,
    dtype_y: Any,
    dtype_z: Any,
    is_base_array: bool = True,
    is_exp_array: bool = True,
) -> Any:
    """``z[i] = pow(x[i], y[i])``, either may be a number; takes (x, y, z)."""
    compute = np.dtype(dtype_z)
    if compute.kind not in "fc":
        compute = np.dtype(np.float64)
    x = _as(compute, _element("x", not is_base_array))
    y = _as(compute, _element("y", not is_exp_array))
    return _kernel(
        "pow_array",
        f"z[i] = {_as(dtype_z, f'pow({x}, {y})')}",
        _argument(dtype_x, "x", not is_base_array),
        _argument(dtype_y, "y", not is_exp_array),
        VectorArg(dtype_z, "z"),
    )


@context_dependent_memoize
def get_unary_func_kernel(
    func_name: str, in_dtype: Any, out_dtype: Any = None
) -> Any:
    """``z[i] = func(y[i])``; takes (y, z)."""
    return _kernel(
        "unary_func",
        f"z[i] = {func_name}(y[i])",
        VectorArg(in_dtype, "y"),
        VectorArg(in_dtype if out_dtype is None else out_dtype, "z"),
    )


@context_dependent_memoize
def get_real_kernel(dtype: Any, real_dtype: Any) -> Any:
    """``z[i] = real(x[i])``; takes (x, z)."""
    return get_unary_func_kernel("pycuda::real", dtype, real_dtype)


@context_dependent_memoize
def get_imag_kernel(dtype: Any, real_dtype: Any) -> Any:
    """``z[i] = imag(x[i])``; takes (x, z)."""
    return get_unary_func_kernel("pycuda::imag", dtype, real_dtype)


@context_dependent_memoize
def get_conj_kernel(dtype: Any, conj_dtype: Any) -> Any:
    """``z[i] = conj(x[i])``; takes (x, z)."""
    return get_unary_func_kernel("pycuda::conj", dtype, conj_dtype)


def _floats(*names: str) -> list[Argument]:
    return [VectorArg(np.float32, name) for name in names]


@context_dependent_memoize
def get_fmod_kernel() -> Any:
    """``z[i] = fmodf(arg[i], mod[i])``; takes (arg, mod, z), float32."""
    return _kernel(
        "fmod_kernel",
        "z[i] = fmodf(arg[i], mod[i])",
        *_floats("arg", "mod", "z"),
    )


@context_dependent_memoize
def get_modf_kernel() -> Any:
    """``fracpart[i] = modff(x[i], &intpart[i])``.

    The kernel takes (x, intpart, fracpart), all float32.
    """
    return _kernel(
        "modf_kernel",
        "fracpart[i] = modff(x[i], &intpart[i])",
        *_floats("x", "intpart", "fracpart"),
    )


@context_dependent_memoize
def get_frexp_kernel() -> Any:
    """``significand[i] = frexpf(x[i], &exponent)``.

    The kernel takes (x, significand, exponent), all float32.
    """
    return _kernel(
        "frexp_kernel",
        "int e; significand[i] = frexpf(x[i], &e); exponent[i] = e",
        *_floats("x", "significand", "exponent"),
    )


@context_dependent_memoize
def get_ldexp_kernel() -> Any:
    """``z[i] = ldexpf(sig[i], (int)expt[i])``.

    The kernel takes (sig, expt, z), all float32.
    """
    return _kernel(
        "ldexp_kernel",
        "z[i] = ldexpf(sig[i], (int)expt[i])",
        *_floats("sig", "expt", "z"),
    )


# --- choices -------------------------------------------------------------


def _choice(name: str, test: str, crit_dtype: Any, dtype: Any) -> Any:
    return _kernel(
        name,
        f"result[i] = {test} ? then_[i] : else_[i]",
        VectorArg(crit_dtype, "crit"),
        VectorArg(dtype, "then_"),
        VectorArg(dtype, "else_"),
        VectorArg(dtype, "result"),
    )


@context_dependent_memoize
def get_if_positive_kernel(crit_dtype: Any, dtype: Any) -> Any:
    """``crit > 0 ? then_ : else_``; takes ``(crit, then_, else_, result)``."""
    return _choice("if_positive", "crit[i] > 0", crit_dtype, dtype)


@context_dependent_memoize
def get_where_kernel(crit_dtype: Any, dtype: Any) -> Any:
    """``crit ? then_ : else_``; takes ``(crit, then_, else_, result)``."""
    return _choice("where", "crit[i] != 0", crit_dtype, dtype)


@context_dependent_memoize
def get_logical_not_kernel(dtype_x: Any, dtype_out: Any) -> Any:
    """``out[i] = x[i] == 0``; takes (x, out)."""
    zero = _as(dtype_x, "0")
    return _kernel(
        "logical_not",
        f"out[i] = x[i] == {zero}",
        VectorArg(dtype_x, "x"),
        VectorArg(dtype_out, "out"),
    )
