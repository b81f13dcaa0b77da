"""NumPy's random distributions, named as in `numpy.random.Generator`.

A generator has `_draw`; `pycuda._random.philox` lists the kinds of numbers.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import abc
import contextlib
import functools
import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.gpuarray as _gpuarray
from pycuda import _driver
from pycuda._array.common import check_array, normal_axis
from pycuda._array.layout import apart
from pycuda._array.sorting import order_of_random
from pycuda._driver import ArrayBase, _apply
from pycuda._random.filling import Filling

if TYPE_CHECKING:
    import numpy.typing as npt

    import pycuda.driver as drv


_REALS = frozenset("fd")
_INTEGERS = frozenset("bBhHiIlLqQ")
_POISSON = frozenset("bBhHiIlLqQfd")


_HERE = contextlib.nullcontext()


# Largest magnitude of a parameter, so that it is finite in float32.
_MOST = 3e38


@functools.lru_cache(32)
def _range_of(dtype: np.dtype) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _in(stream: Any) -> Any:
    if stream is None:
        return _HERE
    return _driver._as_stream(stream).use()


def _shape_of(size: Any) -> tuple[int, ...]:
    if size is None:
        return ()
    if type(size) is not tuple and np.ndim(size) == 0:
        size = (size,)
    shape = tuple(operator.index(n) for n in size)
    if any(n < 0 for n in shape):
        raise ValueError(f"size must not be negative, as in {shape}")
    return shape


def _target(
    what: str,
    size: Any,
    dtype: npt.DTypeLike,
    default: Any,
    out: Any,
    kinds: frozenset[Any],
) -> Any:
    """Return `out` after checks, or a new array."""
    if out is not None:
        check_array(out, "out")
        default = out.dtype
    dtype = np.dtype(default if dtype is None else dtype)
    if dtype.char not in kinds or not dtype.isnative:
        raise TypeError(f"{what} makes no numbers of {dtype}")
    if out is None:
        if type(size) is not int or size < 0:
            size = _shape_of(size)
        return _gpuarray.empty(size, dtype)
    if out.dtype != dtype:
        raise TypeError(f"the dtype of out is {out.dtype}, not {dtype}")
    if size is not None and _shape_of(size) != out.shape:
        raise ValueError(
            f"out has shape {out.shape}, and size is {_shape_of(size)}"
        )
    return out


def _spread(size: Any, out: Any, *parameters: Any) -> Any:
    """Return the size that results from parameters that are arrays."""
    if size is not None or out is not None:
        return size
    shapes = [p.shape for p in parameters if isinstance(p, ArrayBase)]
    return np.broadcast_shapes(*shapes) if shapes else None


def _checked_number(
    value: Any, name: str, least: float | None = None
) -> float:
    """Return a parameter that must be a number of at least `least`."""
    if isinstance(value, np.ndarray) and value.ndim:
        check_array(value, name)
    try:
        number = float(value)
    except (TypeError, ValueError):
        # If `value` is a GPUArray, the parameter must be a single number, so
        # the message does not suggest a GPUArray.
        known = isinstance(value, ArrayBase)
        raise TypeError(
            f"{name} must be a number{'' if known else ' or a GPUArray'}, "
            f"not {type(value).__name__}"
        ) from None
    if least is not None and not number >= least:
        raise ValueError(f"{name} must be at least {least:g}, not {number:g}")
    return number


def check_state(state: Any, name: str, keys: tuple[str, ...]) -> None:
    """Raise ValueError unless `state` is a result of get_state()."""
    if not isinstance(state, dict):
        raise TypeError(
            f"state must be a dictionary, not {type(state).__name__}"
        )
    if state.get("generator") != name:
        raise ValueError(
            f"expected the state of a {name}, not of "
            f"{state.get('generator')!r}"
        )
    for key in keys:
        if key not in state:
            raise ValueError(f"the state has no {key!r}")


class Distributions(Filling):
    """Base of generators with the methods of NumPy's Generator.

    `size` is a shape or a length; None with no `out` gives an array without
    dimensions.  `out` is filled and returned; its dtype is the default for
    `dtype`.  `stream` is the stream of the launches.
    """

    @abc.abstractmethod
    def _draw(
        self, kind: str, out: Any, parameters: tuple[Any, ...], stream: Any
    ) -> None:
        """Fill `out` with numbers of the given kind."""

    # --- PyCUDA's names ----------------------------------------------------

    def _refuse(self, what: str, data: Any, kinds: str) -> None:
        if not isinstance(data, ArrayBase):
            raise TypeError(f"expected a GPUArray, not {type(data).__name__}")
        if data.dtype.char not in kinds or not data.dtype.isnative:
            raise NotImplementedError(
                f"{type(self).__name__} makes no {what} numbers of "
                f"{data.dtype}"
            )

    def fill_uniform(
        self, data: Any, stream: drv.Stream | None = None
    ) -> None:
        """Fill with reals in (0, 1], or with integers of the full range.

        Parameters
        ----------
        data
            GPUArray of float32, float64, or integers of 32 or 64 bits.
        stream
            Stream to run in.
        """
        self._refuse("uniform", data, "fdiIlLqQ")
        if data.dtype.kind == "f":
            self._draw("uniform", data, (), stream)
        else:
            self._draw(f"bits{8 * data.dtype.itemsize}", data, (0,), stream)

    def fill_normal(self, data: Any, stream: drv.Stream | None = None) -> None:
        """Fill a real array with normal numbers of mean 0, deviation 1."""
        self._refuse("normal", data, "fd")
        self._draw("normal", data, (0.0, 1.0), stream)

    def fill_log_normal(
        self,
        data: Any,
        mean: float,
        stddev: float,
        stream: drv.Stream | None = None,
    ) -> None:
        """Fill float32 or float64 with exponentials of normal numbers.

        `mean` and `stddev` are those of the normal numbers.
        """
        self._refuse("log-normal", data, "fd")
        self._draw("lognormal", data, (float(mean), float(stddev)), stream)

    def fill_poisson(
        self,
        data: Any,
        lambda_value: float | None = None,
        stream: drv.Stream | None = None,
    ) -> None:
        """Fill with Poisson numbers.

        Parameters
        ----------
        data
            GPUArray of integers, float32 or float64.
        lambda_value
            The mean.  Without it, each element holds the mean of the number
            that replaces it.
        """
        self._refuse("Poisson", data, "bBhHiIlLqQfd")
        if lambda_value is not None:
            self.poisson(lambda_value, out=data, stream=stream)
            return
        with _in(stream):
            self._draw("poisson", data, _means(data, data), None)

    # --- reals -------------------------------------------------------------

    def random(
        self,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return reals in [0, 1): multiples of 2**-53 (float64) or 2**-24."""
        if stream is not None:
            with _in(stream):
                return self.random(size, dtype, out)
        out = _target("random", size, dtype, np.float64, out, _REALS)
        self._draw("random", out, (), None)
        return out

    def uniform(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return reals in [low, high); after rounding they may equal high."""
        if not isinstance(low, ArrayBase):
            low = _checked_number(low, "low")
        if not isinstance(high, ArrayBase):
            high = _checked_number(high, "high")
        with _in(stream):
            width = _width(low, high, dtype if out is None else out.dtype)
            if type(low) is type(width) is float and (
                -_MOST <= low <= _MOST and -_MOST <= width <= _MOST
            ):
                out = _target("random", size, dtype, np.float64, out, _REALS)
                self._draw("between", out, (low, width), None)
                return out
            size = _spread(size, out, low, high)
            low, width = _unaliased(out, low), _unaliased(out, width)
            out = self.random(size, dtype, out)
            out *= width
            out += low
        return out

    def _scaled(
        self,
        kind: str,
        what: str,
        parameters: tuple[Any, ...],
        target: tuple[Any, ...],
        standard: tuple[Any, ...] = (0.0, 1.0),
    ) -> Any:
        """Return location + scale * numbers; either may be an array."""
        size, dtype, out = target
        size = _spread(size, out, *parameters)
        out = _target(what, size, dtype, np.float64, out, _REALS)
        if not any(isinstance(p, ArrayBase) for p in parameters):
            self._draw(kind, out, parameters, None)
            return out
        *locations, width = [_unaliased(out, p) for p in parameters]
        self._draw(kind, out, standard, None)
        out *= width
        for location in locations:
            out += location
        return out

    def standard_normal(
        self,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return normal numbers of mean 0, deviation 1, float64 or float32."""
        if stream is not None:
            return self.normal(0.0, 1.0, size, dtype, out, stream)
        out = _target("normal", size, dtype, np.float64, out, _REALS)
        self._draw("normal", out, (0.0, 1.0), None)
        return out

    def normal(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return normal numbers of mean `loc` and standard deviation `scale`.

        Both may be arrays on the device, which are broadcast.
        """
        with _in(stream):
            parameters = _location_and_scale(loc, "loc", scale, "scale")
            return self._scaled(
                "normal", "normal", parameters, (size, dtype, out)
            )

    def lognormal(
        self,
        mean: Any = 0.0,
        sigma: Any = 1.0,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return exponentials of normal numbers of this mean and deviation."""
        with _in(stream):
            parameters = _location_and_scale(mean, "mean", sigma, "sigma")
            target = (size, dtype, out)
            if not any(isinstance(p, ArrayBase) for p in parameters):
                return self._scaled(
                    "lognormal", "lognormal", parameters, target
                )
            out = self._scaled("normal", "lognormal", parameters, target)
            return _apply("exp", (out,), out)

    def standard_exponential(
        self,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return exponential numbers of mean 1, float64 or float32."""
        return self.exponential(1.0, size, dtype, out, stream)

    def exponential(
        self,
        scale: Any = 1.0,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return exponential numbers of mean `scale`, a number or an array."""
        with _in(stream):
            if not isinstance(scale, ArrayBase):
                scale = _checked_number(scale, "scale", 0)
            return self._scaled(
                "exponential", "exponential", (scale,), (size, dtype, out),
                (1.0,),
            )  # fmt: skip

    def standard_gamma(
        self,
        shape: float,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return gamma-distributed numbers of this shape, with scale 1."""
        return self.gamma(shape, 1.0, size, dtype, out, stream)

    def gamma(
        self,
        shape: float,
        scale: float = 1.0,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return gamma-distributed numbers of this shape and scale.

        Raises
        ------
        ValueError
            If the shape is 0 or negative.
        """
        values = (
            _checked_number(shape, "shape", 0),
            _checked_number(scale, "scale", 0),
        )
        if values[0] == 0:
            raise ValueError("shape must be above 0")
        with _in(stream):
            out = _target("gamma", size, dtype, np.float64, out, _REALS)
            self._draw("gamma", out, values, None)
        return out

    # --- integers ----------------------------------------------------------

    def poisson(
        self,
        lam: Any = 1.0,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return Poisson numbers of mean `lam`, by default int64.

        Where `lam` is an array, elements that are not above 0 give 0.

        Raises
        ------
        ValueError
            If `lam` is too large for the dtype.
        """
        with _in(stream):
            size = _spread(size, out, lam)
            out = _target("poisson", size, dtype, np.int64, out, _POISSON)
            if isinstance(lam, ArrayBase):
                self._draw("poisson", out, _means(lam, out), None)
                return out
            lam = _checked_number(lam, "lam", 0)
            most = _highest(out.dtype)
            if lam + 10 * lam**0.5 > most:
                raise ValueError(f"lam is {lam:g}, too large for {out.dtype}")
            if lam < 10:
                self._draw("small poisson", out, (lam, math.exp(-lam)), None)
            else:
                self._draw("large poisson", out, (lam,), None)
        return out

    def integers(
        self,
        low: int,
        high: int | None = None,
        size: Any = None,
        dtype: npt.DTypeLike | None = None,
        endpoint: bool = False,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return integers in [low, high), all with the same probability.

        Parameters
        ----------
        low, high
            Integers; without `high`, the result is in [0, low).
        dtype
            Any integers; default int64.
        endpoint
            Whether `high` is one of the numbers.

        Raises
        ------
        ValueError
            If `low` is not below `high`, or the dtype does not hold the range.
        """
        if high is None:
            low, high = 0, low
        low, high = _integer(low, "low"), _integer(high, "high")
        high += bool(endpoint)
        with _in(stream):
            out = _target("integers", size, dtype, np.int64, out, _INTEGERS)
            least, most = _range_of(out.dtype)
            if low < least or high - 1 > most:
                raise ValueError(
                    f"[{low}, {high}) is not within the range of {out.dtype}"
                )
            if low >= high:
                raise ValueError(f"low ({low}) must be below high ({high})")
            self._draw(*_range_kind(low, high - low, out), None)
        return out

    def permutation(
        self, x: Any, axis: int = 0, stream: drv.Stream | None = None
    ) -> _gpuarray.GPUArray:
        """Return the integers below `x`, or the rows of `x`, in random order.

        Parameters
        ----------
        x
            An integer, or an array on the device, of which a copy is made.
        axis
            Axis along which `x` is permuted.

        Raises
        ------
        ValueError
            If `x` is a negative number.
        """
        with _in(stream):
            if isinstance(x, ArrayBase):
                order = self._random_order(
                    x.shape[_gpuarray_axis(axis, x.ndim)]
                )
                return _gpuarray.take(x, order, axis=axis)
            if isinstance(x, np.ndarray):
                check_array(x, "x")
            count = _integer(x, "x")
            if count < 0:
                raise ValueError(f"x must not be negative, as {count} is")
            return self._random_order(count)

    def _random_order(self, count: int) -> Any:
        """Return the integers below `count`, sorted by random 64-bit keys."""
        keys = _gpuarray.empty(count, np.uint64)
        self._draw("bits64", keys, (0,), None)
        return order_of_random(keys)

    def shuffle(
        self, x: Any, axis: int = 0, stream: drv.Stream | None = None
    ) -> None:
        """Shuffle the elements along an axis of `x`, in place."""
        check_array(x, "x")
        with _in(stream):
            x[...] = self.permutation(x, axis)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return random elements of `a`, or random integers below it.

        Parameters
        ----------
        a
            An integer, or an array on the device.
        replace
            Whether an element may be chosen more than once.
        p
            Probability of each, relative to the sum of all: a list, or an
            array on the device, whose values are not checked.
        axis
            Axis of `a` along which elements are chosen.
        shuffle
            For compatibility with NumPy: the order is always random.

        Raises
        ------
        ValueError
            If `a` is empty, or has too few elements for a choice without
            replacement.
        """
        with _in(stream):
            is_array = isinstance(a, ArrayBase)
            if isinstance(a, np.ndarray) and a.ndim:
                check_array(a, "a")
            count = (
                a.shape[_gpuarray_axis(axis, a.ndim)]
                if is_array
                else _integer(a, "a")
            )
            shape = _shape_of(size)
            wanted = int(np.prod(shape, dtype=np.int64))
            if count <= 0 and wanted:
                raise ValueError("a must not be empty")
            if not replace and wanted > count:
                raise ValueError(
                    f"{wanted} of {count} cannot be chosen without replacement"
                )
            least = 1 if replace else wanted
            weights = None if p is None else _weights(p, count, least)
            index = self._chosen(count, wanted, replace, weights)
            index = index.reshape(shape)
            return _gpuarray.take(a, index, axis=axis) if is_array else index

    def _chosen(self, count: int, wanted: int, replace: bool, p: Any) -> Any:
        if not wanted:
            return _gpuarray.empty(0, np.int64)
        if p is None and replace:
            return self.integers(0, count, wanted)
        if p is None:
            return self._random_order(count)[:wanted].copy()
        if replace:
            ends = _gpuarray.cumsum(p)
            at = self.random(wanted) * ends[-1]
            index = _gpuarray.searchsorted(ends, at, side="right")
            return _gpuarray.minimum(index, count - 1)
        # Draw an exponential number with rate p[i] for each i. The indices of
        # the smallest numbers are distributed as draws without replacement
        # (Efraimidis and Spirakis, 2006).
        keys = self.standard_exponential(count) / p
        return _gpuarray.argsort(keys)[:wanted].copy()


def _unaliased(out: Any, parameter: Any) -> Any:
    """Return a parameter that does not change while `out` is written."""
    if out is None or not isinstance(parameter, ArrayBase):
        return parameter
    return apart(out, parameter, None)


def _width(low: Any, high: Any, dtype: npt.DTypeLike) -> Any:
    """Return ``high - low``; raise NumPy's errors for invalid bounds.

    Arrays of integers are subtracted as float64, in which they do not wrap.
    """
    if not type(low) is type(high) is float:
        return _real(high) - _real(low)
    width = high - low
    if not (-_MOST <= low <= _MOST and width <= _MOST):
        most = float(np.finfo(np.float64 if dtype is None else dtype).max)
        if not (-most <= low <= most and width <= most):
            raise OverflowError(
                f"high - low range exceeds valid bounds: {low:g} to {high:g}"
            )
    if width < 0:
        raise ValueError(f"high - low < 0: {low:g} to {high:g}")
    return width


def _real(bound: Any) -> Any:
    """Return a bound as float32 or float64."""
    if isinstance(bound, ArrayBase) and bound.dtype.char not in _REALS:
        return bound.astype(np.float64)
    return bound


def _location_and_scale(
    location: Any, location_name: str, width: Any, width_name: str
) -> tuple[Any, Any]:
    if not isinstance(location, ArrayBase):
        location = _checked_number(location, location_name)
    if not isinstance(width, ArrayBase):
        width = _checked_number(width, width_name, 0)
    return location, width


def _gpuarray_axis(axis: Any, ndim: int) -> int:
    return normal_axis(axis, ndim)


def _integer(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} must be an integer, not {type(value).__name__}"
        ) from None


def _highest(dtype: np.dtype) -> float:
    return float(np.iinfo(dtype).max) if dtype.kind in "iu" else float("inf")


def _means(means: Any, out: Any) -> tuple[Any]:
    """Return the parameter of Poisson numbers: one mean per element."""
    packed = _gpuarray.empty(out.shape, np.float64)
    packed[...] = means
    return (packed,)


def _range_kind(
    low: int, count: int, out: Any
) -> tuple[str, Any, tuple[Any, ...]]:
    """Return (kind, out, parameters) for integers in [low, low + count)."""
    bits = 32 if count <= 1 << 32 else 64
    if count == 1 << bits:
        return f"bits{bits}", out, (low,)
    return f"within{bits}", out, (low, count, (1 << bits) % count)


def _weights(p: Any, count: int, least: int) -> Any:
    """Return `p` as float64 on the device; `least` entries must be nonzero."""
    if not isinstance(p, ArrayBase):
        if isinstance(p, np.ndarray):
            check_array(p, "p")
        host = np.asarray(p, np.float64)
        if not (host >= 0).all() or not 0 < host.sum() < np.inf:
            raise ValueError(
                "p must not have negative entries, nor only zeros"
            )
        if np.count_nonzero(host) < least:
            raise ValueError(
                f"{least} cannot be chosen: fewer of p are above 0"
            )
        p = _gpuarray.to_gpu(host)
    if p.shape != (count,):
        raise ValueError(f"p has shape {p.shape}, and ({count},) is needed")
    return p.astype(np.float64)
