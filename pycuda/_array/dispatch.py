"""NumPy's functions on device arrays: ``np.sort(a)`` is ``gpuarray.sort(a)``.

NumPy calls `GPUArray.__array_function__`.  Functions that are not in the table
are refused, so that nothing is silently copied to the host.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array import (
    decompositions,
    einsums,
    nan_functions,
    numerics,
    numpy_keywords,
    numpy_refusals,
    padding,
    products,
    quantiles,
    reductions,
    scans,
    selecting,
    shaping,
    storage,
    ufunc_keywords,
)
from pycuda._array.common import HOST_ARRAY
from pycuda._array.layout import overlap
from pycuda._array.mathematics import FUNCTIONS
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    from pycuda._driver import _Shape


# Functions of pycuda.gpuarray that have the name and effect of NumPy's.
_SAME = """
all any append argmax argmin argsort argwhere array_split atleast_1d
atleast_2d atleast_3d broadcast_arrays broadcast_to choose clip column_stack
compress concatenate count_nonzero cumprod cumsum diag diagonal diff dstack
empty_like expand_dims extract flatnonzero flip fliplr flipud full_like
hsplit hstack inner isin linspace matrix_transpose max mean meshgrid min
moveaxis nonzero ones_like outer prod ptp put put_along_axis repeat roll
round save savez searchsorted sort split squeeze stack std sum swapaxes take
take_along_axis tensordot tile trace transpose tril triu unique unique_all
unique_counts unique_inverse unique_values unstack var vsplit vstack
zeros_like
""".split()  # noqa: SIM905


# Set by `provide`: the namespace of pycuda.gpuarray; ufunc with two results ->
# its function; NumPy's name -> function of a module that imports this one.
_public: dict[str, Any] = {}
_frexp: dict[str, Callable[..., Any]] = {}
_above: dict[str, Callable[..., Any]] = {}


def provide(
    namespace: dict[str, Any],
    two_results: dict[str, Callable[..., Any]],
    functions: dict[str, Callable[..., Any]],
) -> None:
    """Register functions of modules that import this one.

    `pycuda.gpuarray` calls this once, with its own namespace and with the
    functions for ufuncs that have two results, by the ufunc's name, and
    other functions by NumPy's names.
    """
    global _public, _frexp, _above
    _public, _frexp, _above = namespace, two_results, functions


_ALIASES = {"amax": "max", "amin": "min"}


def _shape_of(a: Any) -> tuple[int, ...]:
    return a.shape


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return selecting.nonzero(condition)
    return selecting.where(condition, x, y)


def _reshape(
    a: Any, /, shape: _Shape = None, order: str = "C", *, copy: Any = None
) -> Any:
    result = a.reshape(shape, order=order)
    return result.copy() if copy else result


def _ravel(a: Any, order: str = "C") -> Any:
    return a.reshape(-1, order=order)


def _copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    return a.copy() if order == "K" else a.copy(order)


def _size(a: Any, axis: int | None = None) -> int:
    return a.size if axis is None else a.shape[axis]


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    if getattr(a1, "shape", ()) != getattr(a2, "shape", ()):
        return False
    same = a1 == a2
    if equal_nan:
        same = same | (FUNCTIONS["isnan"](a1) & FUNCTIONS["isnan"](a2))
    return bool(reductions.all(same).get())


def _copyto(
    dst: Any, src: Any, casting: str = "same_kind", where: Any = True
) -> None:
    if isinstance(src, np.ndarray) and src.ndim:
        raise TypeError(HOST_ARRAY)
    kind = getattr(src, "dtype", None)
    if kind is not None and not np.can_cast(kind, dst.dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {kind} to {dst.dtype} according to "
            f"the rule '{casting}'"
        )
    if where is True:
        _apply("copy", (src,), dst)
    else:
        _apply("where", (where, src, dst), dst)


def _dot(a: Any, b: Any, out: Any = None) -> Any:
    return products.numpy_dot(a, b, out)


def _save(
    file: Any, arr: Any, allow_pickle: bool = True, fix_imports: Any = None
) -> None:
    storage.save(file, arr)


def _broadcast_to(array: Any, shape: _Shape, subok: bool = False) -> Any:
    return shaping.broadcast_to(array, shape)


def _broadcast_arrays(*arrays: Any, subok: bool = False) -> Any:
    return shaping.broadcast_arrays(*arrays)


_OWN: dict[str, Callable[..., Any]] = {
    "save": _save,
    "broadcast_to": _broadcast_to,
    "broadcast_arrays": _broadcast_arrays,
    "dot": _dot,
    "where": _where,
    "reshape": _reshape,
    "ravel": _ravel,
    "copy": _copy,
    "copyto": _copyto,
    "shape": _shape_of,
    "ndim": lambda a: a.ndim,
    "size": _size,
    "real": lambda val: val.real,
    "imag": lambda val: val.imag,
    "result_type": lambda *values: np.result_type(*map(_type_of, values)),
    "can_cast": lambda from_, to, casting="safe": np.can_cast(
        _type_of(from_), to, casting
    ),
    "iscomplexobj": lambda x: x.dtype.kind == "c",
    "isrealobj": lambda x: x.dtype.kind != "c",
    "array_equal": _array_equal,
    "array_repr": lambda arr, *args, **kwargs: repr(arr),
    "array_str": lambda a, *args, **kwargs: str(a),
    "may_share_memory": lambda a, b, max_work=None: _may_share(a, b),
    "shares_memory": lambda a, b, max_work=None: _may_share(a, b),
}


def _type_of(value: Any) -> Any:
    return value.dtype if isinstance(value, ArrayBase) else value


def _may_share(a: Any, b: Any) -> bool:
    if not isinstance(a, ArrayBase) or not isinstance(b, ArrayBase):
        return False
    return overlap(a, b)


@functools.cache
def _table() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Return our function for each function that this NumPy has."""
    ours = {name: _public[name] for name in _SAME}
    ours |= {name: _public[own] for name, own in _ALIASES.items()}
    for own in (
        _OWN, numpy_keywords.REDUCTIONS, numpy_keywords.LIKE,
        numpy_keywords.CREATION, nan_functions.FUNCTIONS, quantiles.FUNCTIONS,
        numerics.FUNCTIONS, padding.FUNCTIONS, decompositions.FUNCTIONS,
        {"einsum": einsums.einsum}, _above,
    ):  # fmt: skip
        ours |= own
    theirs = {name: _function_of_numpy(name) for name in ours}
    return {theirs[name]: own for name, own in ours.items() if theirs[name]}


def replace(
    function: Callable[..., Any],
    wrap: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> None:
    """Replace the implementation `f` of a NumPy function by ``wrap(f)``."""
    table = _table()
    table[function] = wrap(table[function])


def _function_of_numpy(name: str) -> Any:
    """Return NumPy's function of a name, such as "linalg.qr", or None."""
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _host_arrays(values: Any, depth: int = 2) -> Iterator[np.ndarray]:
    """Find host arrays among arguments and in lists of them."""
    for value in values:
        if isinstance(value, np.ndarray) and value.ndim:
            yield value
        elif isinstance(value, (list, tuple)) and depth:
            yield from _host_arrays(value, depth - 1)


# Functions that accept host arrays as indices, counts, positions or other
# parameters.
_TAKES_HOST = frozenset([
    "take", "put", "repeat", "split", "array_split", "hsplit", "vsplit",
    "compress", "roll", "tile", "take_along_axis", "put_along_axis",
    "quantile", "percentile", "nanquantile", "nanpercentile", "partition",
    "argpartition", "digitize", "gradient", "pad", "histogram",
    "histogram_bin_edges", "histogramdd", "histogram2d", "average",
    "isin", "ravel_multi_index", "interp",
    *numpy_keywords.CREATION,
])  # fmt: skip


def dispatch(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a function of NumPy for arguments with device arrays."""
    own = _table().get(function)
    name = getattr(function, "__name__", str(function))
    if own is None:
        module = getattr(function, "__module__", None) or "numpy"
        raise TypeError(numpy_refusals.text(f"{module}.{name}"))
    given = (*args, *kwargs.values())
    if name not in _TAKES_HOST and next(_host_arrays(given), None) is not None:
        raise TypeError(HOST_ARRAY)
    if name not in numpy_keywords.CREATION:
        args, kwargs = _translated(function, own, args, kwargs)
    return own(*args, **kwargs)


@functools.cache
def _parameters(
    function: Callable[..., Any],
) -> dict[str, inspect.Parameter] | None:
    try:
        return dict(inspect.signature(function).parameters)
    except ValueError:  # functions written in C may have no signature
        return None


def _translated(
    function: Callable[..., Any],
    own: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[Any, Any],
) -> tuple[tuple[Any, ...], dict[Any, Any]]:
    """Translate arguments of NumPy's function to those of this package's.

    Arguments that equal NumPy's defaults are left out, because an argument
    that this package lacks must not be passed.
    """
    theirs, ours = _parameters(function), _parameters(own)
    if theirs is None or ours is None:
        return args, kwargs
    kinds = [parameter.kind for parameter in theirs.values()]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return args, kwargs
    named = dict(zip(list(theirs)[: len(args)], args, strict=True)) | kwargs
    first, *rest = named
    found = {}
    is_open = any(one.kind is one.VAR_KEYWORD for one in ours.values())
    for name in rest:
        default = theirs[name].default if name in theirs else np._NoValue
        value = named[name]
        if value is default or value is np._NoValue:
            continue
        if name not in ours and not is_open:
            raise TypeError(
                f"numpy.{function.__name__} on a GPUArray does not take "
                f"'{name}'"
            )
        found[name] = value
    leading = []
    for name, parameter in list(ours.items())[1:]:
        if parameter.kind is not parameter.POSITIONAL_ONLY:
            break
        if name in found:
            leading.append(found.pop(name))
    return (named[first], *leading), found


# --- ufuncs --------------------------------------------------------------

_UFUNC_ALIASES = {"divide": "true_divide", "mod": "remainder"}
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}


_PRODUCTS = {"matmul": products.matmul, "vecdot": products.vecdot}


def _reduced(name: str, a: Any, target: Any, kwargs: dict[str, Any]) -> Any:
    """Run ``reduce`` of a ufunc, such as ``np.add.reduce``."""
    own = _REDUCTIONS.get(name)
    known = {"axis", "dtype", "keepdims", "initial", "where"}
    if own is None or not isinstance(a, ArrayBase) or set(kwargs) - known:
        return NotImplemented
    options = {"axis": 0, **kwargs}
    if options.pop("dtype", None) is not None:
        if name not in ("add", "multiply"):
            return NotImplemented
        options["dtype"] = kwargs["dtype"]
    if name in ("logical_and", "logical_or"):
        options.pop("initial", None)
    return numpy_keywords.REDUCTIONS[own](a, out=target, **options)


def _accumulated(
    name: str, a: Any, target: Any, kwargs: dict[str, Any]
) -> Any:
    """Run ``np.add.accumulate`` or ``np.multiply.accumulate``."""
    own = {"add": scans.cumsum, "multiply": scans.cumprod}.get(name)
    if own is None or set(kwargs) - {"axis", "dtype"}:
        return NotImplemented
    options = {"axis": 0, **kwargs}
    return own(a, out=target, **options)


def _outer(
    ufunc: np.ufunc,
    x: Any,
    y: Any,
    out: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    x, y = (
        v if isinstance(v, ArrayBase) else np.asarray(v)[()] for v in (x, y)
    )
    if isinstance(x, ArrayBase):
        x = x.reshape(x.shape + (1,) * np.ndim(y))
    if out:
        kwargs["out"] = out
    return ufunc(x, y, **kwargs)


def dispatch_ufunc(
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    kwargs: dict[Any, Any],
) -> Any:
    """Call a ufunc of NumPy for arguments with device arrays."""
    out = kwargs.pop("out", None) or ()
    if next(_host_arrays((*inputs, *out), 0), None) is not None:
        raise TypeError(HOST_ARRAY)
    if any(x is not None and not isinstance(x, ArrayBase) for x in out):
        raise TypeError(HOST_ARRAY)
    target = out[0] if out else None
    name = _UFUNC_ALIASES.get(ufunc.__name__, ufunc.__name__)
    if method == "reduce":
        return _reduced(name, inputs[0], target, kwargs)
    if method == "accumulate":
        return _accumulated(name, inputs[0], target, kwargs)
    if method == "outer" and len(inputs) == 2:
        return _outer(ufunc, *inputs, out, kwargs)
    if method == "__call__" and name in _PRODUCTS:
        if target is not None:
            kwargs["out"] = target
        return _PRODUCTS[name](*inputs, **kwargs)
    if method != "__call__":
        return NotImplemented
    if kwargs and ufunc.nout == 1 and ufunc.signature is None:
        return ufunc_keywords.call(ufunc, name, inputs, target, kwargs)
    if kwargs:
        return NotImplemented
    if ufunc.nout != 1:
        own = _frexp.get(name)
        return NotImplemented if own is None or out else own(*inputs)
    if ufunc.signature is not None:
        return NotImplemented
    return _apply(name, inputs, target)
