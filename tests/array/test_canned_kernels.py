"""The predefined kernels of pycuda.elementwise, each run against NumPy."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

from pycuda import elementwise, gpuarray

pytestmark = pytest.mark.usefixtures("context")

F4, F8, I4, C8 = map(np.dtype, ("f4", "f8", "i4", "c8"))
X = np.array([1.5, -2.25, 0.5, 4.0], F4)
Y = np.array([2.0, 0.5, -1.0, 3.0], F4)
Z = (X + 1j * Y).astype(C8)
INDEX = np.array([2, 0, 3, 1], I4)

# name -> (arguments of the generator, values, NumPy's result for the vectors
# that are None, in order)
CASES = {
    "get_take_kernel": ((F4, I4), (INDEX, None, X), [X[INDEX]]),
    "get_take_kernel of two": (
        (F4, I4, 2),
        (INDEX, None, None, X, Y),
        [X[INDEX], Y[INDEX]],
    ),
    "get_take_put_kernel": (
        (F4, I4, False),
        (INDEX, INDEX[::-1].copy(), None, X),
        [X[::-1]],
    ),
    "get_take_put_kernel with offsets": (
        (F4, I4, True),
        (INDEX, np.zeros(4, I4), None, X, np.int32(3)),
        [np.full(4, X[3])],
    ),
    "get_put_kernel": ((F4, I4), (INDEX, None, X), [X[[1, 3, 0, 2]]]),
    "get_copy_kernel": ((F8, F4), (None, X), [X.astype(F8)]),
    "get_linear_combination_kernel": (
        (((False, F4, F4), (True, F4, F4)), F4),
        (2.0, X, np.array([3.0], F4), Y, None),
        [2 * X + 3 * Y],
    ),
    "get_axpbyz_kernel": (
        (F4, F4, F4),
        (2.0, X, 3.0, Y, None),
        [2 * X + 3 * Y],
    ),
    "get_axpbyz_kernel of a number": (
        (F4, F4, F4, False, True),
        (2.0, X, 3.0, 4.0, None),
        [2 * X + 12],
    ),
    "get_axpbz_kernel": ((F4, F8), (2.0, X, 1.0, None), [2 * X + F8.type(1)]),
    "get_binary_op_kernel": ((F4, F4, F4, "-"), (X, Y, None), [X - Y]),
    "get_binary_op_kernel complex": ((C8, F4, C8, "*"), (Z, X, None), [Z * X]),
    "get_rdivide_elwise_kernel": ((F4, F4), (X, 2.0, None), [2 / X]),
    "get_binary_func_kernel": (
        ("atan2f", F4, F4, F4),
        (X, Y, None),
        [np.arctan2(X, Y)],
    ),
    "get_binary_func_scalar_kernel": (
        ("fmaxf", F4, F4, F4),
        (X, 1.0, None),
        [np.maximum(X, 1)],
    ),
    "get_binary_minmax_kernel": (
        ("max", I4, I4, I4, False),
        (INDEX, INDEX[::-1].copy(), None),
        [np.maximum(INDEX, INDEX[::-1])],
    ),
    "get_binary_minmax_kernel of a number": (
        ("min", F4, F4, F4, True),
        (X, 1.0, None),
        [np.minimum(X, 1)],
    ),
    "get_fill_kernel": ((F4,), (7.0, None), [np.full(4, 7, F4)]),
    "get_reverse_kernel": ((F4,), (X, None), [X[::-1]]),
    "get_real_kernel": ((C8, F4), (Z, None), [X]),
    "get_imag_kernel": ((C8, F4), (Z, None), [Y]),
    "get_conj_kernel": ((C8, C8), (Z, None), [Z.conj()]),
    "get_arange_kernel": (
        (F4,),
        (None, 1.0, 0.5),
        [np.arange(1, 3, 0.5, F4)],
    ),
    "get_pow_array_kernel": (
        (F4, F4, F4, True, False),
        (Y, 2.0, None),
        [Y**2],
    ),
    "get_fmod_kernel": ((), (X, Y, None), [np.fmod(X, Y)]),
    "get_modf_kernel": ((), (X, None, None), np.modf(X)[::-1]),
    "get_frexp_kernel": ((), (X, None, None), np.frexp(X)),
    "get_ldexp_kernel": ((), (X, Y, None), [np.ldexp(X, Y.astype(I4))]),
    "get_unary_func_kernel": (("fabsf", F4), (X, None), [np.abs(X)]),
    "get_if_positive_kernel": (
        (F4, F4),
        (X, X, Y, None),
        [np.where(X > 0, X, Y)],
    ),
    "get_where_kernel": (
        (I4, F4),
        (INDEX, X, Y, None),
        [np.where(INDEX, X, Y)],
    ),
    "get_scalar_op_kernel": ((F4, F4, F4, "*"), (X, 2.0, None), [X * 2]),
    "get_multiply_kernel": ((F4, F4, F8), (X, Y, None), [X * F8.type(1) * Y]),
    "get_multiply_kernel of one dtype": ((F4,), (X, Y, None), [X * Y]),
    "get_divide_kernel": ((F4,), (X, Y, None), [X / Y]),
    "get_pow_kernel": ((F4,), (2.0, Y, None), [Y**2]),
    "get_pow_array_kernel of two arrays": ((F4, F4, F4), (Y, Y, None), [Y**Y]),
    "get_axpbyz_kernel of one dtype": (
        (F4,),
        (2.0, X, 3.0, Y, None),
        [2 * X + 3 * Y],
    ),
    "get_axpbz_kernel of one dtype": ((F4,), (2.0, X, 1.0, None), [2 * X + 1]),
    "get_rdivide_elwise_kernel of one dtype": (
        (F4,),
        (X, 2.0, None),
        [2 / X],
    ),
    "get_logical_not_kernel": (
        (I4, np.dtype(bool)),
        (INDEX, None),
        [INDEX == 0],
    ),
}  # fmt: skip


def test_every_generator_has_a_case():
    canned = {name for name in elementwise.__all__ if name.startswith("get_")}
    canned -= {
        "get_elwise_kernel",
        "get_elwise_kernel_and_types",
        "get_elwise_module",
        "get_elwise_range_module",
    }
    assert {name.split()[0] for name in CASES} == canned


@pytest.mark.parametrize("name", sorted(CASES))
def test_canned_kernels(name):
    arguments, values, expected = CASES[name]
    made = getattr(elementwise, name.split()[0])(*arguments)
    kernel = made[0] if isinstance(made, tuple) else made
    rest = iter(expected)
    results, ready = [], []
    for value in values:
        if value is None:
            host = next(rest)
            dtype = F4 if host.dtype.kind == "i" and not arguments else None
            result = gpuarray.zeros(host.shape, dtype or host.dtype)
            results.append((result, host))
            ready.append(result.gpudata)
        elif isinstance(value, np.ndarray):
            results.append((gpuarray.to_gpu(value), value))
            ready.append(results[-1][0].gpudata)
        else:
            ready.append(value)
    kernel.prepared_async_call((1, 1), (32, 1, 1), None, *ready, 4)
    for result, host in results:
        np.testing.assert_allclose(result.get(), host, rtol=2e-7)
