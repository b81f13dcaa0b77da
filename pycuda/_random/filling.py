"""Methods that return new arrays, based on a generator's `fill_*`."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

import pycuda.gpuarray as _gpuarray

if TYPE_CHECKING:
    import numpy.typing as npt

    import pycuda.driver as drv
    from pycuda._driver import _Shape


class Filling(abc.ABC):
    """Base of generators that fill arrays."""

    @abc.abstractmethod
    def fill_uniform(
        self, data: _gpuarray.GPUArray, stream: drv.Stream | None = None
    ) -> None:
        """Fill with uniform numbers."""

    @abc.abstractmethod
    def fill_normal(
        self, data: _gpuarray.GPUArray, stream: drv.Stream | None = None
    ) -> None:
        """Fill with normal numbers of mean 0 and deviation 1."""

    @abc.abstractmethod
    def fill_log_normal(
        self,
        data: _gpuarray.GPUArray,
        mean: float,
        stddev: float,
        stream: drv.Stream | None = None,
    ) -> None:
        """Fill with numbers whose logarithms are normal."""

    @abc.abstractmethod
    def fill_poisson(
        self,
        data: _gpuarray.GPUArray,
        lambda_value: Any = None,
        stream: drv.Stream | None = None,
    ) -> None:
        """Fill with Poisson numbers of one mean, or of means in an array."""

    def gen_uniform(
        self,
        shape: _Shape,
        dtype: npt.DTypeLike,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return a new array, filled by `fill_uniform`."""
        result = _gpuarray.empty(shape, dtype)
        self.fill_uniform(result, stream)
        return result

    def gen_normal(
        self,
        shape: _Shape,
        dtype: npt.DTypeLike,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return a new array, filled by `fill_normal`."""
        result = _gpuarray.empty(shape, dtype)
        self.fill_normal(result, stream)
        return result

    def gen_log_normal(
        self,
        shape: _Shape,
        dtype: npt.DTypeLike,
        mean: float,
        stddev: float,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return a new array, filled by `fill_log_normal`."""
        result = _gpuarray.empty(shape, dtype)
        self.fill_log_normal(result, mean, stddev, stream)
        return result

    def gen_poisson(
        self,
        shape: _Shape,
        dtype: npt.DTypeLike,
        lambda_value: float,
        stream: drv.Stream | None = None,
    ) -> _gpuarray.GPUArray:
        """Return a new array, filled by `fill_poisson`."""
        result = _gpuarray.empty(shape, dtype)
        self.fill_poisson(result, lambda_value, stream)
        return result
