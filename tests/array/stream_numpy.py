"""Tables of calls with NumPy's names, in the format of `stream_calls`.

Functions of one or two arrays are found by their signatures; the others are
listed.
"""

# SPDX-License-Identifier: MIT

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from stream_calls import INDEX, INTEGERS, Call, on_device, plain, with_stream

from pycuda import gpuarray

SMALL = np.linspace(0.1, 0.9, 8, dtype=np.float32)
ABOVE_ONE = SMALL + 1
OF_INTEGERS = ("bitwise", "gcd", "lcm", "left_", "right_", "invert")
SQUARE = np.arange(16, dtype=np.float32).reshape(4, 4) % 5
ORDER = np.array([[1, 0, 1, 0], [0, 1, 1, 0]])


def input_of(name: str) -> Any:
    """Return elements at which a function is defined."""
    if name.startswith(OF_INTEGERS):
        return INTEGERS
    return ABOVE_ONE if name in ("acosh", "arccosh") else SMALL


def elementwise() -> dict[str, Call]:
    """Return functions ``f(x, /, out)`` and ``f(x1, x2, /, out)``."""
    table = {}
    for name in gpuarray.__all__:
        ours, numpy = getattr(gpuarray, name), getattr(np, name, None)
        if inspect.isclass(ours) or not isinstance(numpy, np.ufunc):
            continue
        words = list(inspect.signature(ours).parameters)
        if words[:1] == ["x"]:
            table[f"gpuarray.{name}"] = with_stream(
                numpy, lambda a, f=ours, **s: f(a, **s), input=input_of(name)
            )
        elif name == "ldexp":
            table[f"gpuarray.{name}"] = with_stream(
                lambda x: np.ldexp(x, 2),
                lambda a, **s: gpuarray.ldexp(a, 2, **s),
            )
        elif words[:2] == ["x1", "x2"] and "out" in words and numpy.nin == 2:
            table[f"gpuarray.{name}"] = with_stream(
                lambda x, f=numpy: f(x, x),
                lambda a, f=ours, **s: f(a, a, **s),
                input=input_of(name),
            )
    for name in ["real", "imag"]:
        table[f"gpuarray.{name}"] = same(
            name, input=SMALL * np.complex64(1 - 2j)
        )
    # Arguments of two dimensions, and of three.
    for name, inputs in {"matmul": SQUARE, "vecdot": SQUARE}.items():
        table[f"gpuarray.{name}"] = with_stream(
            lambda x, f=name: getattr(np, f, _vecdot)(x, x),
            lambda a, f=name, **s: getattr(gpuarray, f)(a, a, **s),
            input=inputs,
        )
    return table


def _vecdot(x: Any, y: Any) -> Any:
    return (x * y).sum(-1)


def same(name: str, *rest: Any, numpy: Any = None, **fields: Any) -> Call:
    """A function with the same call in NumPy: ``f(x, ...)``."""
    theirs = numpy or getattr(np, name)
    return with_stream(
        lambda x: theirs(x, *rest),
        lambda a, **s: getattr(gpuarray, name)(a, *rest, **s),
        **fields,
    )


def not_packed() -> dict[str, Call]:
    """Return calls that copy their argument or result on the way."""

    def into(name: str) -> Call:
        def ours(a: Any, **s: Any) -> Any:
            function = getattr(gpuarray, name)
            out = gpuarray.empty(function(a, axis=0).shape, np.float16)
            return function(a, axis=0, out=out, **s)

        return with_stream(lambda x: getattr(np, name)(x, axis=0), ours)

    def put(a: Any, **s: Any) -> Any:
        made = on_device("small").astype(np.float32).T
        gpuarray.put(made, on_device("index"), a[:, 1:], **s)
        return made

    def host_put(x: Any) -> Any:
        made = np.array([[1, 2, 0, 3], [2, 1, 0, 2]], np.float32).T
        np.put(made, INDEX, x[:, 1:])
        return made

    return {
        "gpuarray.sort:flat": with_stream(
            lambda x: np.sort(x.T, None),
            lambda a, **s: gpuarray.sort(a.T, None, **s),
        ),
        "gpuarray.argsort:flat": with_stream(
            lambda x: np.argsort(x.T, None),
            lambda a, **s: gpuarray.argsort(a.T, None, **s),
        ),
        "gpuarray.concatenate:flat": with_stream(
            lambda x: np.concatenate((x.T, x), None),
            lambda a, **s: gpuarray.concatenate((a.T, a), None, **s),
        ),
        "gpuarray.repeat:flat": with_stream(
            lambda x: np.repeat(x.T, 2),
            lambda a, **s: gpuarray.repeat(a.T, 2, **s),
        ),
        "gpuarray.take_along_axis:flat": with_stream(
            lambda x: np.take_along_axis(x.T, INDEX, None),
            lambda a, **s: gpuarray.take_along_axis(
                a.T, on_device("index"), None, **s
            ),
        ),
        "gpuarray.outer:turned": with_stream(
            lambda x: np.outer(x.T, x),
            lambda a, **s: gpuarray.outer(a.T, a, **s),
        ),
        "gpuarray.tensordot:turned": with_stream(
            lambda x: np.tensordot(
                x.reshape(2, 2, 2), x.reshape(2, 2, 2), ((1,), (1,))
            ),
            lambda a, **s: gpuarray.tensordot(
                a.reshape(2, 2, 2), a.reshape(2, 2, 2), ((1,), (1,)), **s
            ),
        ),
        "gpuarray.cumsum:flat": with_stream(
            lambda x: np.cumsum(x.T),
            lambda a, **s: gpuarray.cumsum(a.T, **s),
        ),
        "gpuarray.put:not packed": with_stream(host_put, put),
        **{f"gpuarray.{n}:out": into(n) for n in ("sum", "max", "cumsum")},
    }


def of_two(name: str) -> Call:
    """A function called with a tuple: ``f((x, x))``."""
    return with_stream(
        lambda x: getattr(np, name)((x, x)),
        lambda a, **s: getattr(gpuarray, name)((a, a), **s),
    )


def method(name: str, *rest: Any, **fields: Any) -> Call:
    """A method with the same call in NumPy."""
    return with_stream(
        lambda x: getattr(x, name)(*rest),
        lambda a, **s: getattr(a, name)(*rest, **s),
        **fields,
    )


def changed(change: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of the array, changed in place."""

    def call(a: Any, **s: Any) -> Any:
        copy = a.copy(**({"stream": s["stream"]} if s else {}))
        change(copy, **s)
        return copy

    return call


def functions() -> dict[str, Call]:
    """Return calls of functions with particular arguments."""
    square = {"input": SQUARE}
    table = {
        **{f"gpuarray.{n}": same(n) for n in ["sort", "argsort", "ptp"]},
        **{f"gpuarray.{n}": same(n, **square) for n in ["tril", "triu"]},
        "gpuarray.trace": same("trace", **square),
        "gpuarray.diag": same("diag", input=SMALL),
        "gpuarray.diff": same("diff"),
        "gpuarray.roll": same("roll", 1),
        "gpuarray.tile": same("tile", 2),
        "gpuarray.repeat": same("repeat", 2),
        "gpuarray.clip": same("clip", -1, 1),
        "gpuarray.full_like": same("full_like", 3),
        "gpuarray.concat": with_stream(
            lambda x: np.concatenate((x, x)),
            lambda a, **s: gpuarray.concat((a, a), **s),
        ),
        **{
            f"gpuarray.{n}": of_two(n)
            for n in ["hstack", "vstack", "dstack", "column_stack"]
        },
        "gpuarray.append": with_stream(
            lambda x: np.append(x, x),
            lambda a, **s: gpuarray.append(a, a, **s),
        ),
        "gpuarray.full": with_stream(
            lambda x: np.full(5, 3, np.float32),
            lambda a, **s: gpuarray.full(5, 3, np.float32, **s),
        ),
        "gpuarray.eye": with_stream(
            lambda x: np.eye(4, dtype=np.float32),
            lambda a, **s: gpuarray.eye(4, dtype=np.float32, **s),
        ),
        "gpuarray.identity": with_stream(
            lambda x: np.identity(4), lambda a, **s: gpuarray.identity(4, **s)
        ),
        "gpuarray.linspace": with_stream(
            lambda x: np.linspace(0, 1, 5),
            lambda a, **s: gpuarray.linspace(0, 1, 5, **s),
        ),
        "gpuarray.tensordot": with_stream(
            lambda x: np.tensordot(x, x, 1),
            lambda a, **s: gpuarray.tensordot(a, a, 1, **s),
            **square,
        ),
        **not_packed(),
        "GPUArray.sort": with_stream(
            np.sort, changed(lambda a, **s: a.sort(**s))
        ),
        **{f"GPUArray.{n}": method(n) for n in ["argsort", "round"]},
        "GPUArray.ptp": with_stream(np.ptp, lambda a, **s: a.ptp(**s)),
        "GPUArray.trace": method("trace", **square),
        "GPUArray.clip": method("clip", -1, 1),
        "GPUArray.repeat": method("repeat", 2),
        "GPUArray.flatten": plain(
            lambda x: x.T.flatten(), lambda a: a.T.flatten()
        ),
        "GPUArray.__divmod__": plain(
            lambda x: divmod(x, np.float32(2))[1], lambda a: divmod(a, 2)[1]
        ),
        "GPUArray.__rdivmod__": plain(
            lambda x: divmod(np.float32(2), x)[1],
            lambda a: divmod(2, a)[1],
            input=SMALL,
        ),
        "GPUArray.__matmul__": plain(
            lambda x: x @ x, lambda a: a @ a, **square
        ),
        "GPUArray.__rmatmul__": plain(
            lambda x: x @ x, lambda a: a.__rmatmul__(a), **square
        ),
        "GPUArray.__imatmul__": plain(
            lambda x: x @ x, lambda a: a.__imatmul__(a), **square
        ),
    }
    for name in ["inner", "outer", "isin", "searchsorted"]:
        table[f"gpuarray.{name}"] = with_stream(
            lambda x, f=name: getattr(np, f)(x, x),
            lambda a, f=name, **s: getattr(gpuarray, f)(a, a, **s),
            input=SMALL,
        )
    return table


def calls() -> dict[str, Call]:
    """Return the asynchronous calls."""
    return {**elementwise(), **functions()}


def host(result: Any, stream: Any = None) -> Any:
    """Return the result of a call on the stream as one NumPy array."""
    if stream is not None:
        stream.synchronize()
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(part.get()) for part in parts])


def waiting() -> dict[str, Call]:
    """Return calls whose result's size or value is known only after a wait."""
    table = {
        f"gpuarray.{name}": with_stream(
            lambda x, f=name: np.ravel(getattr(np, f)(x > 1)),
            lambda a, f=name, **s: host(
                getattr(gpuarray, f)(gpuarray.greater(a, 1, **s), **s), **s
            ),
        )
        for name in ["argwhere", "flatnonzero"]
    }
    for name in ["unique_all", "unique_counts", "unique_inverse"]:
        table[f"gpuarray.{name}"] = with_stream(
            lambda x: np.unique(x),
            lambda a, f=name, **s: getattr(gpuarray, f)(a, **s).values,
        )
    for name, apply in {
        "int": int,
        "float": float,
        "complex": complex,
    }.items():
        table[f"GPUArray.__{name}__"] = plain(
            lambda x, f=apply: np.asarray(f(x[0, 3])),
            lambda a, f=apply: np.asarray(f(a[0, 3])),
        )
    return {
        **table,
        "gpuarray.unique": with_stream(
            np.unique, lambda a, **s: gpuarray.unique(a, **s)
        ),
        "gpuarray.unique:all": with_stream(
            lambda x: np.concatenate(
                [np.ravel(part) for part in np.unique(x.T, True, True, True)]
            ),
            lambda a, **s: host(
                gpuarray.unique(a.T, True, True, True, **s), **s
            ),
        ),
        "gpuarray.unique:rows": with_stream(
            lambda x: np.concatenate(
                [np.ravel(p) for p in np.unique(x, True, True, True, axis=1)]
            ),
            lambda a, **s: host(
                gpuarray.unique(a, True, True, True, axis=1, **s), **s
            ),
        ),
        "gpuarray.unique_values": with_stream(
            np.unique, lambda a, **s: gpuarray.unique_values(a, **s)
        ),
        "gpuarray.nonzero": with_stream(
            lambda x: np.concatenate(np.nonzero(x > 1)),
            lambda a, **s: host(
                gpuarray.nonzero(gpuarray.greater(a, 1, **s), **s), **s
            ),
        ),
        "gpuarray.where:one": with_stream(
            lambda x: np.concatenate(np.where(x - 5)),
            lambda a, **s: host(
                gpuarray.where(gpuarray.subtract(a, 5, **s), **s), **s
            ),
        ),
        "GPUArray.nonzero": with_stream(
            lambda x: np.concatenate(np.nonzero(x > 1)),
            lambda a, **s: host(gpuarray.greater(a, 1, **s).nonzero(**s), **s),
        ),
        "gpuarray.extract": with_stream(
            lambda x: np.extract(x > 1, x),
            lambda a, **s: gpuarray.extract(
                gpuarray.greater(a, 1, **s), a, **s
            ),
        ),
        "gpuarray.compress": plain(
            lambda x: np.compress([True, False], x, 0),
            lambda a: gpuarray.compress([True, False], a, 0),
        ),
        "GPUArray.compress": plain(
            lambda x: x.compress([True, False], 0),
            lambda a: a.compress([True, False], 0),
        ),
        "gpuarray.choose": plain(
            lambda x: np.choose(ORDER, (x, -x)),
            lambda a: gpuarray.choose(gpuarray.to_gpu(ORDER), (a, -a)),
        ),
        "GPUArray.choose": plain(
            lambda x: np.choose(ORDER, (x, -x)),
            lambda a: gpuarray.to_gpu(ORDER).choose((a, -a)),
        ),
        "gpuarray.take_along_axis": plain(
            lambda x: np.take_along_axis(x, ORDER, 1),
            lambda a: gpuarray.take_along_axis(a, gpuarray.to_gpu(ORDER), 1),
        ),
        "gpuarray.put_along_axis": plain(
            lambda x: _put_along(np, x.copy(), ORDER),
            lambda a: _put_along(gpuarray, a + 0, gpuarray.to_gpu(ORDER)),
        ),
        "gpuarray.put": plain(
            lambda x: _put(np.put, x.copy()),
            lambda a: _put(gpuarray.put, a + 0),
        ),
        "GPUArray.put": plain(
            lambda x: _put(np.put, x.copy()),
            lambda a: _put(gpuarray.GPUArray.put, a + 0),
        ),
        "GPUArray.take": plain(
            lambda x: x.take([3, 0]), lambda a: a.take([3, 0])
        ),
        "GPUArray.searchsorted": plain(
            lambda x: x.searchsorted(0.5),
            lambda a: a.searchsorted(0.5),
            input=SMALL,
        ),
        "GPUArray.item": plain(
            lambda x: np.asarray(x.item(0, 3)),
            lambda a: np.asarray(a.item(0, 3)),
        ),
        "GPUArray.__contains__": plain(
            lambda x: np.asarray(x[1, 2] in x),
            lambda a: np.asarray(a[1, 2] in a),
        ),
        "GPUArray.tolist": plain(
            lambda x: x, lambda a: np.asarray(a.tolist())
        ),
    }


def _put(put: Callable[..., Any], x: Any) -> Any:
    put(x, [1, 2], 9)
    return x


def _put_along(module: Any, x: Any, order: Any) -> Any:
    module.put_along_axis(x, order, 9, 1)
    return x


# NumPy names whose results are views, or that create no array.
NO_WORK = {
    "gpuarray": {
        "array_split", "atleast_1d", "atleast_2d", "atleast_3d",
        "broadcast_arrays", "broadcast_to", "diagonal", "expand_dims",
        "flip", "fliplr", "flipud", "hsplit", "load", "matrix_transpose",
        "meshgrid", "moveaxis", "save", "savez", "split", "squeeze",
        "swapaxes", "unstack", "vsplit",
    },
    "GPUArray": {
        "__array_function__", "__index__", "diagonal", "mT", "swapaxes",
    },
}  # fmt: skip
