"""Table of calls of the package that use the device, by name.

``test_current_stream.py`` makes each call with every way to choose a stream. A
name is ``module.function``, ``GPUArray.method`` or, with a colon, a further
call of the same function. A name of the interface that is neither here nor in
``NO_WORK`` fails a test.
"""

# SPDX-License-Identifier: MIT

import functools
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import pycuda.driver as drv
from pycuda import cumath, curandom, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

X = np.array([[0.5, -1.5, 2.25, 3.0], [4.5, 0.25, -0.75, 1.0]], np.float32)
BIG = (np.arange(1 << 15) % 7 - 3).astype(np.float32)  # sums are exact
INDEX = np.array([3, 0, 2], np.int32)
ONE = {"block": (8, 1, 1), "grid": (1, 1)}
SOURCE = """
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
"""


class Call(NamedTuple):
    """NumPy's function of the input, and the call on the device.

    ``ours`` takes the array and, if the call supports it, ``stream=``.
    """

    numpy: Callable[[Any], Any]
    ours: Callable[..., Any]
    input: Any = X
    takes_stream: bool = False


@functools.cache
def on_device(key: str) -> Any:
    """Return constant arrays that calls need in addition to their input."""
    return gpuarray.to_gpu(
        {
            "index": INDEX,
            "backwards": np.arange(7, -1, -1),
            "forwards": np.arange(8),
            "mask": X > 1,
            "nothing": 0 * X,
            "fives": np.full_like(X, 5),
            "seven": np.array(7, np.float32),
            "small": np.array([[1, 2, 0, 3], [2, 1, 0, 2]], np.int32),
        }[key]
    )


@functools.cache
def kernel(name: str) -> Any:
    """Return a kernel, compiled on first use."""
    if name == "double":
        return ElementwiseKernel("float *x, float *z", "z[i] = 2*x[i]")
    if name == "squares":
        return ReductionKernel(
            np.float32, "0", "a+b", "x[i]*x[i]", "const float *x"
        )
    if name == "inclusive":
        return InclusiveScanKernel(np.float32, "a+b")
    if name == "exclusive":
        return ExclusiveScanKernel(np.float32, "a+b", "0.0f")
    return SourceModule(SOURCE).get_function(name)


def twice(a: Any, how: Callable[[Any], Any]) -> Any:
    """Launch the kernel `twice` in one of the possible ways."""
    how(kernel("twice"))
    return a


def prepared() -> Any:
    """Return the kernel `twice` after `prepare`."""
    return kernel("twice").prepare("P")


def old_style(a: Any, launch: Callable[[Any], Any]) -> Any:
    """Launch through the calls that predate `prepare`."""
    function = kernel("twice")
    function._set_block_shape(8, 1, 1)
    function._param_set_size(8)
    function._param_setv(0, np.uintp(a.ptr).tobytes())
    launch(function)
    return a


def into(a: Any, call: Callable[[Any], Any]) -> Any:
    """Return the result of a call that fills an array like `a`."""
    result = gpuarray.empty_like(a)
    call(result)
    return result


def plain(numpy: Any, ours: Any, **fields: Any) -> Call:
    """A call that has no ``stream=``."""
    return Call(numpy, ours, **fields)


def with_stream(numpy: Any, ours: Any, **fields: Any) -> Call:
    """A call that has ``stream=``."""
    return Call(numpy, ours, takes_stream=True, **fields)


def by_name(name: str, **fields: Any) -> Call:
    """A function with the same name in NumPy and `gpuarray`."""
    return with_stream(
        getattr(np, name),
        lambda a, **s: getattr(gpuarray, name)(a, **s),
        **fields,
    )


def along(name: str, axis: int) -> Call:
    """A function as in `by_name`, along an axis."""
    return with_stream(
        lambda x: getattr(np, name)(x, axis=axis),
        lambda a, **s: getattr(gpuarray, name)(a, axis=axis, **s),
    )


def method(name: str, **fields: Any) -> Call:
    """A method that NumPy's arrays have too."""
    return with_stream(
        lambda x: getattr(x, name)(),
        lambda a, **s: getattr(a, name)(**s),
        **fields,
    )


INTEGERS = np.array([[5, 3, 12, 7], [9, 1, 8, 6]], np.int32)
POSITIVE = np.abs(X) + 0.25


def operators() -> dict[str, Call]:
    """Return calls of every operator: reflected, in place, with scalars."""
    table: dict[str, Call] = {}
    arithmetic = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
    for name in arithmetic:
        apply = getattr(operator, name)
        fields = {"input": POSITIVE}
        table[f"GPUArray.__{name}__"] = plain(
            lambda x, f=apply: f(x, np.float32(1.5)),
            lambda a, f=apply: f(a, 1.5),
            **fields,
        )
        table[f"GPUArray.__{name}__:array"] = plain(
            lambda x, f=apply: f(x, x), lambda a, f=apply: f(a, a), **fields
        )
        table[f"GPUArray.__r{name}__"] = plain(
            lambda x, f=apply: f(np.float32(1.5), x),
            lambda a, f=apply: f(1.5, a),
            **fields,
        )
        in_place = getattr(operator, f"i{name}")
        table[f"GPUArray.__i{name}__"] = plain(
            lambda x, f=apply: f(x, np.float32(1.5)),
            lambda a, f=in_place: f(a, 1.5),
            **fields,
        )
    for name in ["and_", "or_", "xor", "lshift", "rshift"]:
        short, apply = name.rstrip("_"), getattr(operator, name)
        fields = {"input": INTEGERS}
        table[f"GPUArray.__{short}__"] = plain(
            lambda x, f=apply: f(x, 2), lambda a, f=apply: f(a, 2), **fields
        )
        table[f"GPUArray.__r{short}__"] = plain(
            lambda x, f=apply: f(np.int32(2), x),
            lambda a, f=apply: f(2, a),
            **fields,
        )
        in_place = getattr(operator, "i" + name.rstrip("_"), None)
        in_place = in_place or getattr(operator, f"i{name}")
        table[f"GPUArray.__i{short}__"] = plain(
            lambda x, f=apply: f(x, 2),
            lambda a, f=in_place: f(a, 2),
            **fields,
        )
    for name in ["neg", "pos", "abs"]:
        apply = getattr(operator, name)
        table[f"GPUArray.__{name}__"] = plain(apply, lambda a, f=apply: f(a))
    table["GPUArray.__invert__"] = plain(
        operator.invert, lambda a: ~a, input=INTEGERS
    )
    for name in ["lt", "le", "eq", "ne", "gt", "ge"]:
        apply = getattr(operator, name)
        table[f"GPUArray.__{name}__"] = plain(
            lambda x, f=apply: f(x, np.float32(1)), lambda a, f=apply: f(a, 1)
        )
    for name, apply in [("div", operator.truediv)]:
        table[f"GPUArray.__{name}__"] = plain(
            lambda x: x / np.float32(2), lambda a: a.__div__(2)
        )
        table[f"GPUArray.__r{name}__"] = plain(
            lambda x: np.float32(2) / x,
            lambda a: a.__rdiv__(2),
            input=POSITIVE,
        )
        table[f"GPUArray.__i{name}__"] = plain(
            lambda x, f=apply: f(x, np.float32(2)), lambda a: a.__idiv__(2)
        )
    return table


def of_cumath() -> dict[str, Call]:
    """Return calls of every function of `cumath`."""
    names = ["fabs", "ceil", "floor", "exp", "log", "log10", "sqrt", "sin"]
    names += ["cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"]
    names += ["acosh", "asinh", "atanh", "cbrt", "exp2", "expm1", "log1p"]
    names += ["log2", "rint", "trunc"]
    there = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
    small = np.linspace(0.1, 0.9, 8, dtype=np.float32)
    table = {}
    for name in names:
        numpy = getattr(np, there.get(name, name))
        table[f"cumath.{name}"] = with_stream(
            numpy,
            lambda a, f=name, **s: getattr(cumath, f)(a, **s),
            input=small + (name == "acosh"),
        )
        table[f"cumath.{name}:short"] = plain(
            numpy,
            lambda a, f=name: getattr(cumath, f)(a),
            input=small + (name == "acosh"),
        )
    table["cumath.fmod"] = with_stream(
        lambda x: np.fmod(x, x[::-1]),
        lambda a, **s: cumath.fmod(a, a[::-1], **s),
    )
    table["cumath.frexp"] = with_stream(
        lambda x: np.frexp(x)[0], lambda a, **s: cumath.frexp(a, **s)[0]
    )
    table["cumath.modf"] = with_stream(
        lambda x: np.modf(x)[1], lambda a, **s: cumath.modf(a, **s)[1]
    )
    table["cumath.ldexp"] = with_stream(
        lambda x: np.ldexp(x, np.trunc(x).astype(int)),
        lambda a, **s: cumath.ldexp(a, a, **s),
    )
    return table


def whole_arrays() -> dict[str, Call]:
    """Return reductions and scans, as functions and as methods."""
    table = {}
    names = ["sum", "prod", "max", "min", "mean", "var", "std", "any", "all"]
    names += ["argmin", "argmax", "count_nonzero"]
    for name in names:
        table[f"gpuarray.{name}"] = by_name(name)
        table[f"gpuarray.{name}:axis 0"] = along(name, 0)
        table[f"gpuarray.{name}:axis 1"] = along(name, 1)
        if name != "count_nonzero":
            table[f"GPUArray.{name}"] = method(name)
    table["gpuarray.sum:large"] = by_name("sum", input=BIG)
    table["gpuarray.sum:short"] = plain(np.sum, gpuarray.sum, input=BIG)
    for name in ["cumsum", "cumprod"]:
        table[f"gpuarray.{name}"] = by_name(name)
        table[f"gpuarray.{name}:axis 0"] = along(name, 0)
        table[f"gpuarray.{name}:axis 1"] = along(name, 1)
        table[f"GPUArray.{name}"] = method(name)
    table["gpuarray.cumsum:large"] = by_name("cumsum", input=BIG)
    table["gpuarray.dot"] = with_stream(
        lambda x: np.vdot(x, x), lambda a, **s: gpuarray.dot(a, a, **s)
    )
    picked = lambda x: x.ravel()[INDEX]  # noqa: E731
    for name in ["sum", "min", "max"]:
        table[f"gpuarray.subset_{name}"] = with_stream(
            lambda x, f=name: getattr(picked(x), f)(),
            lambda a, f=name, **s: getattr(gpuarray, f"subset_{f}")(
                on_device("index"), a, **s
            ),
        )
    table["gpuarray.subset_dot"] = with_stream(
        lambda x: (picked(x) ** 2).sum(),
        lambda a, **s: gpuarray.subset_dot(on_device("index"), a, a, **s),
    )
    return table


def put(a: Any, key: Any, value: Any) -> Any:
    """Execute ``a[key] = value`` and return a."""
    a[key] = value
    return a


def indexing() -> dict[str, Call]:
    """Return calls with indices of all kinds, or equivalent functions."""
    index = functools.partial(on_device, "index")
    return {
        "GPUArray.__getitem__": plain(
            lambda x: x[:, ::2], lambda a: a[:, ::2].copy()
        ),
        "GPUArray.__getitem__:array": plain(
            lambda x: x.ravel()[INDEX], lambda a: a.ravel()[index()]
        ),
        "GPUArray.__setitem__": plain(
            lambda x: put(x.copy(), np.s_[:, 1], 7),
            lambda a: put(a + 0, np.s_[:, 1], 7),
        ),
        "GPUArray.__setitem__:array": plain(
            lambda x: put(x.copy(), np.s_[:, ::2], x[:, 1::2]),
            lambda a: put(a + 0, np.s_[:, ::2], a[:, 1::2]),
        ),
        "GPUArray.__setitem__:index": plain(
            lambda x: put(x.ravel().copy(), INDEX, 7),
            lambda a: put((a + 0).ravel(), index(), on_device("seven")),
        ),
        "GPUArray.__setitem__:mask": plain(
            lambda x: put(x.copy(), X > 1, 7),
            lambda a: put(a + 0, on_device("mask"), 7),
        ),
        "gpuarray.take": with_stream(
            lambda x: x.ravel()[INDEX],
            lambda a, **s: gpuarray.take(a, index(), **s),
        ),
        "gpuarray.multi_take": with_stream(
            lambda x: x.ravel()[INDEX],
            lambda a, **s: gpuarray.multi_take([a], index(), **s)[0],
        ),
        "gpuarray.multi_put": with_stream(
            lambda x: x.ravel()[::-1],
            lambda a, **s: gpuarray.multi_put(
                [a], on_device("backwards"), dest_shape=(8,), **s
            )[0],
        ),
        "gpuarray.multi_take_put": with_stream(
            lambda x: x.ravel()[::-1],
            lambda a, **s: gpuarray.multi_take_put(
                [a],
                on_device("backwards"),
                on_device("forwards"),
                dest_shape=(8,),
                **s,
            )[0],
        ),
    }


def shapes_and_copies() -> dict[str, Call]:
    """Return copies, casts, selections, and calls that combine arrays."""
    complex_ = lambda x: x.astype(np.complex64) * 1j  # noqa: E731
    turned = complex_(X)
    return {
        "GPUArray.copy": method("copy"),
        "GPUArray.copy:strided": plain(
            lambda x: x.T.copy(), lambda a: a.T.copy("C")
        ),
        "GPUArray.__copy__": plain(np.copy, lambda a: a.__copy__()),
        "GPUArray.astype": with_stream(
            lambda x: x.astype(np.int32),
            lambda a, **s: a.astype(np.int32, **s),
        ),
        "GPUArray.fill": with_stream(
            lambda x: np.full_like(x, 7), lambda a, **s: a.fill(7, **s)
        ),
        "GPUArray.reverse": with_stream(
            lambda x: x[::-1, ::-1], lambda a, **s: a.reverse(**s)
        ),
        "GPUArray.mul_add": with_stream(
            lambda x: 5 * x, lambda a, **s: a.mul_add(2, a, 3, **s)
        ),
        "GPUArray.set_async": with_stream(
            lambda x: x,
            lambda a, **s: into(a, lambda r: r.set_async(a, **s)),
        ),
        "GPUArray.set": with_stream(
            lambda x: x, lambda a, **s: into(a, lambda r: r.set(a, **s))
        ),
        "GPUArray.conj": plain(np.conj, lambda a: a.conj(), input=turned),
        "GPUArray.conjugate": plain(
            np.conj, lambda a: a.conjugate(), input=turned
        ),
        "GPUArray.real": plain(np.real, lambda a: a.real, input=turned),
        "GPUArray.imag": plain(np.imag, lambda a: a.imag, input=turned),
        "GPUArray.ravel": plain(
            lambda x: x.T.ravel(), lambda a: a.T.ravel() + 0
        ),
        "GPUArray.reshape": plain(
            lambda x: x.T.reshape(8), lambda a: a.T.reshape(8)
        ),
        "gpuarray.reshape": plain(
            lambda x: x.T.reshape(8), lambda a: gpuarray.reshape(a.T, 8)
        ),
        "gpuarray.concatenate": with_stream(
            lambda x: np.concatenate([x, x]),
            lambda a, **s: gpuarray.concatenate([a, a], **s),
        ),
        "gpuarray.stack": with_stream(
            lambda x: np.stack([x, x], 1),
            lambda a, **s: gpuarray.stack([a, a], 1, **s),
        ),
        "gpuarray.where": with_stream(
            lambda x: np.where(x > 1, x, 9).astype(x.dtype),
            lambda a, **s: gpuarray.where(on_device("mask"), a, 9, **s),
        ),
        "gpuarray.if_positive": with_stream(
            lambda x: np.where(x > 0, x, 9).astype(x.dtype),
            lambda a, **s: gpuarray.if_positive(a, a, 9, **s),
        ),
        "gpuarray.maximum": with_stream(
            lambda x: np.maximum(x, 1),
            lambda a, **s: gpuarray.maximum(a, 1, **s),
        ),
        "gpuarray.minimum": with_stream(
            lambda x: np.minimum(x, 1),
            lambda a, **s: gpuarray.minimum(a, 1, **s),
        ),
        "gpuarray.logical_and": with_stream(
            lambda x: np.logical_and(x, x > 1),
            lambda a, **s: gpuarray.logical_and(a, on_device("mask"), **s),
        ),
        "gpuarray.logical_or": with_stream(
            lambda x: np.logical_or(x, x),
            lambda a, **s: gpuarray.logical_or(a, a, **s),
        ),
        "gpuarray.logical_not": with_stream(
            np.logical_not, lambda a, **s: gpuarray.logical_not(a, **s)
        ),
        "GPUArray.__array_ufunc__": plain(np.sin, np.sin),
    }


def fills(fill: Callable[..., Any], dtype: Any = np.float32) -> Call:
    """A call that fills an array of its own with random numbers."""
    return Call(
        RANDOM,
        lambda a, **s: fill(gpuarray.empty(8, dtype), **s),
        takes_stream=True,
    )


def RANDOM(x: Any) -> None:
    """Represents NumPy's result: any values except the initial ones."""


@functools.cache
def pinned() -> Any:
    """Return X in page-locked memory."""
    host = drv.pagelocked_empty(X.shape, X.dtype)
    host[...] = X
    return host


def made_new() -> dict[str, Call]:
    """Return calls that create arrays without an input array."""
    return {
        "gpuarray.zeros": plain(
            np.zeros_like, lambda a: gpuarray.zeros((2, 4), np.float32)
        ),
        "gpuarray.ones": plain(
            np.ones_like, lambda a: gpuarray.ones((2, 4), np.float32)
        ),
        "gpuarray.zeros_like": plain(np.zeros_like, gpuarray.zeros_like),
        "gpuarray.ones_like": plain(np.ones_like, gpuarray.ones_like),
        "gpuarray.arange": with_stream(
            lambda x: np.arange(9, dtype=np.float32),
            lambda a, **s: gpuarray.arange(9, dtype=np.float32, **s),
        ),
        "gpuarray.to_gpu_async": with_stream(
            lambda x: X, lambda a, **s: gpuarray.to_gpu_async(pinned(), **s)
        ),
        "curandom.rand": with_stream(
            RANDOM, lambda a, **s: curandom.rand(8, **s)
        ),
    }


@functools.cache
def generator(kind: str) -> Any:
    """Return a random generator, created on first use."""
    return getattr(curandom, f"{kind}RandomNumberGenerator")()


def generators() -> dict[str, Call]:
    """Return calls of the generators, which all share one way to launch."""
    name = "curandom.XORWOWRandomNumberGenerator"
    ours = functools.partial(generator, "XORWOW")
    table = {
        f"{name}.fill_{what}": fills(
            lambda r, w=what, v=values, **s: into_given(
                getattr(ours(), f"fill_{w}"), r, *v, **s
            ),
            np.uint32 if what == "poisson" else np.float32,
        )
        for what, values in [
            ("uniform", ()),
            ("normal", ()),
            ("log_normal", (0, 1)),
            ("poisson", (900,)),
        ]
    }
    for what, values in [
        ("uniform", ()),
        ("normal", ()),
        ("log_normal", (0, 1)),
        ("poisson", (900,)),
    ]:
        dtype = np.uint32 if what == "poisson" else np.float32
        table[f"{name}.gen_{what}"] = with_stream(
            RANDOM,
            lambda a, w=what, v=values, d=dtype, **s: getattr(
                ours(), f"gen_{w}"
            )(8, d, *v, **s),
        )
    table[f"{name}.fill_uniform:strided"] = with_stream(
        RANDOM,
        lambda a, **s: into_given(
            ours().fill_uniform,
            gpuarray.empty((2, 8), np.float32)[:, ::2],
            **s,
        ),
    )
    table |= of_numpys_names()
    for kind in ["MRG32k3a", "Sobol32", "ScrambledSobol64"]:
        table[f"curandom.{kind}RandomNumberGenerator.gen_uniform"] = (
            with_stream(
                RANDOM,
                lambda a, k=kind, **s: generator(k).gen_uniform(
                    8, np.float32, **s
                ),
            )
        )
    return table


def of_numpys_names() -> dict[str, Call]:
    """Return calls of Philox under the names of NumPy's generator."""
    name = "curandom.PhiloxRandomNumberGenerator"
    draws: dict[str, tuple] = {
        "random": (),
        "uniform": (-1, 5),
        "integers": (0, 90),
        "standard_normal": (),
        "normal": (0.5, 2),
        "lognormal": (0.5, 2),
        "standard_exponential": (),
        "exponential": (2,),
        "poisson": (900,),
        "standard_gamma": (2,),
        "gamma": (2, 3),
        "choice": (90,),
    }
    table = {
        f"{name}.{what}": with_stream(
            RANDOM,
            lambda a, w=what, v=values, **s: getattr(generator("Philox"), w)(
                *v, size=8, **s
            ),
        )
        for what, values in draws.items()
    }
    for what in ("random", "normal", "lognormal", "exponential"):
        table[f"{name}.{what}:out"] = fills(
            lambda r, w=what, **s: getattr(generator("Philox"), w)(out=r, **s)
        )
    for what in ("uniform", "normal", "log_normal"):
        values = (0, 1) if what == "log_normal" else ()
        table[f"{name}.fill_{what}"] = fills(
            lambda r, w=what, v=values, **s: into_given(
                getattr(generator("Philox"), f"fill_{w}"), r, *v, **s
            )
        )
    table[f"{name}.normal:arrays"] = with_stream(
        lambda x: x,
        lambda a, **s: generator("Philox").normal(
            a, on_device("nothing"), dtype="f4", **s
        ),
    )
    table[f"{name}.poisson:arrays"] = Call(
        np.zeros_like,
        lambda a, **s: generator("Philox").poisson(a, **s),
        input=0 * X,
        takes_stream=True,
    )
    table[f"{name}.permutation"] = with_stream(
        RANDOM, lambda a, **s: generator("Philox").permutation(8, **s)
    )
    table[f"{name}.permutation:array"] = with_stream(
        lambda x: x[:1],
        lambda a, **s: generator("Philox").permutation(a[:1], **s),
    )
    table[f"{name}.shuffle"] = with_stream(
        lambda x: np.full_like(x, 5),
        lambda a, **s: into_given(
            lambda r, **s: generator("Philox").shuffle(r, **s),
            on_device("fives").copy(),
            **s,
        ),
    )
    table[f"{name}.choice:array"] = with_stream(
        lambda x: x[:1],
        lambda a, **s: generator("Philox").choice(
            a[:1], 1, replace=False, **s
        ),
    )
    return table


def into_given(
    fill: Callable[..., Any], result: Any, *rest: Any, **s: Any
) -> Any:
    """Return the array that a call fills."""
    fill(result, *rest, **s)
    return result


def of_driver() -> dict[str, Call]:
    """Return launches, copies and fills of the driver module."""
    double = lambda x: 2 * x  # noqa: E731
    one = ((1, 1), (8, 1, 1))
    table = {
        "Function.__call__": with_stream(
            double,
            lambda a, **s: twice(a, lambda f: f(a, **ONE, **s)),
        ),
        "Function.prepared_call": plain(
            double,
            lambda a: twice(
                a, lambda f: prepared().prepared_call(*one, a.gpudata)
            ),
        ),
        "Function.prepared_async_call": plain(
            double,
            lambda a: twice(
                a,
                lambda f: prepared().prepared_async_call(
                    *one, None, a.gpudata
                ),
            ),
        ),
        "Function._launch": plain(
            double, lambda a: old_style(a, lambda f: f._launch())
        ),
        "Function._launch_grid": plain(
            double, lambda a: old_style(a, lambda f: f._launch_grid(1, 1))
        ),
        "Function._launch_grid_async": plain(
            double,
            lambda a: old_style(a, lambda f: f._launch_grid_async(1, 1, None)),
        ),
        "driver.memcpy_dtod_async": with_stream(
            lambda x: x,
            lambda a, **s: into(
                a,
                lambda r: drv.memcpy_dtod_async(
                    r.gpudata, a.gpudata, a.nbytes, **s
                ),
            ),
        ),
    }
    for bits in (8, 16, 32):
        name, count = f"memset_d{bits}_async", 8 * X.nbytes // bits
        table[f"driver.{name}"] = with_stream(
            np.zeros_like,
            lambda a, f=name, n=count, **s: into(
                a, lambda r: getattr(drv, f)(r.gpudata, 0, n, **s)
            ),
        )
        name = f"memset_d2d{bits}_async"
        table[f"driver.{name}"] = with_stream(
            np.zeros_like,
            lambda a, f=name, n=count, **s: into(
                a,
                lambda r: getattr(drv, f)(r.gpudata, X.nbytes, 0, n, 1, **s),
            ),
        )
    return table


def of_kernels() -> dict[str, Call]:
    """Return calls of user-defined kernels."""
    return {
        "elementwise.ElementwiseKernel": with_stream(
            lambda x: 2 * x,
            lambda a, **s: into(a, lambda r: kernel("double")(a, r, **s)),
        ),
        "elementwise.ElementwiseKernel:range": with_stream(
            lambda x: np.where(np.arange(8).reshape(2, 4) % 2, 0, 2 * x),
            lambda a, **s: into(
                a,
                lambda r: (
                    r.fill(0, **s),
                    kernel("double")(a, r, slice=slice(0, 8, 2), **s),
                ),
            ),
        ),
        "reduction.ReductionKernel": with_stream(
            lambda x: (x * x).sum(),
            lambda a, **s: kernel("squares")(a, **s),
        ),
        "reduction.ReductionKernel:large": with_stream(
            lambda x: (x * x).sum(),
            lambda a, **s: kernel("squares")(a, **s),
            input=BIG,
        ),
        "scan.InclusiveScanKernel": with_stream(
            np.cumsum, lambda a, **s: kernel("inclusive")(a, **s), input=X[0]
        ),
        "scan.ExclusiveScanKernel": with_stream(
            lambda x: np.cumsum(x) - x,
            lambda a, **s: kernel("exclusive")(a, **s),
            input=BIG,
        ),
    }


def calls() -> dict[str, Call]:
    """Return the asynchronous calls."""
    return {
        **operators(),
        **of_cumath(),
        **whole_arrays(),
        **indexing(),
        **shapes_and_copies(),
        **made_new(),
        **generators(),
        **of_driver(),
        **of_kernels(),
    }


# Names that enqueue no work, or that duplicate an entry of the table.
NO_WORK = {
    "gpuarray": {
        "GPUArray", "empty", "empty_like", "from_dlpack", "splay",
        "transpose", "vec",
    },
    "GPUArray": {
        "T", "__array__", "__array_priority__", "__cuda_array_interface__",
        "__delitem__", "__dict__", "__dlpack__", "__dlpack_device__",
        "__len__", "__module__", "__slots__", "__weakref__", "allocator",
        "base", "bind_to_texref", "bind_to_texref_ext", "device", "dtype",
        "flags", "from_ipc_handle", "get_async", "gpudata", "ipc_handle",
        "itemsize", "mem_size", "nbytes", "ndim", "ptr", "shape", "size",
        "squeeze", "strides", "to_device", "transpose", "view",
    },
    "cumath": set(),
    "driver": {
        "memcpy_atod",
        "Memcpy3DPeer", "from_device_like", "memcpy_atoa", "memcpy_atoh",
        "memcpy_htoa", "memcpy_peer_async", "memcpy_htod_async",
        "memcpy_dtoh_async",
    },
}  # fmt: skip
