"""What every generator has: new arrays that its `fill_*` fill."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import abc
from typing import Any

import pycuda.gpuarray as _gpuarray


class Filling(abc.ABC):
    """A generator that fills arrays."""

    @abc.abstractmethod
    def fill_uniform(self, data: Any, stream: Any = None) -> None:
        """Fill with uniform numbers."""

    @abc.abstractmethod
    def fill_normal(self, data: Any, stream: Any = None) -> None:
        """Fill with normal numbers of mean 0 and width 1."""

    @abc.abstractmethod
    def fill_log_normal(
        self, data: Any, mean: float, stddev: float, stream: Any = None
    ) -> None:
        """Fill with numbers whose logarithms are normal."""

    @abc.abstractmethod
    def fill_poisson(
        self, data: Any, lambda_value: Any = None, stream: Any = None
    ) -> None:
        """Fill with Poisson numbers of the mean, or of means in the array."""

    def gen_uniform(self, shape: Any, dtype: Any, stream: Any = None) -> Any:
        """A new array, filled by `fill_uniform`."""
        result = _gpuarray.empty(shape, dtype)
        self.fill_uniform(result, stream)
        return result

    def gen_normal(self, shape: Any, dtype: Any, stream: Any = None) -> Any:
        """A new array, filled by `fill_normal`."""
        result = _gpuarray.empty(shape, dtype)
        self.fill_normal(result, stream)
        return result

    def gen_log_normal(
        self,
        shape: Any,
        dtype: Any,
        mean: float,
        stddev: float,
        stream: Any = None,
    ) -> Any:
        """A new array, filled by `fill_log_normal`."""
        result = _gpuarray.empty(shape, dtype)
        self.fill_log_normal(result, mean, stddev, stream)
        return result

    def gen_poisson(
        self, shape: Any, dtype: Any, lambda_value: float, stream: Any = None
    ) -> Any:
        """A new array, filled by `fill_poisson`."""
        result = _gpuarray.empty(shape, dtype)
        self.fill_poisson(result, lambda_value, stream)
        return result
