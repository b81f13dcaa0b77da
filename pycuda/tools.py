"""Device selection, C type names, kernel arguments, caching, occupancy."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import functools
import os
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

import pycuda.driver as _drv
from pycuda._context_cache import ByContext
from pycuda._structs import match_dtype_to_c_struct
from pycuda.compyte.dtypes import dtype_to_ctype as base_dtype_to_ctype
from pycuda.compyte.dtypes import (
    get_or_register_dtype,
    parse_c_arg_backend,
    register_dtype,
)

if TYPE_CHECKING:
    import numpy.typing as npt


__all__ = [
    "Argument",
    "DebugMemoryPool",
    "DeviceData",
    "DeviceMemoryPool",
    "OccupancyRecord",
    "PageLockedAllocator",
    "PageLockedMemoryPool",
    "ScalarArg",
    "VectorArg",
    "base_dtype_to_ctype",
    "bitlog2",
    "clear_context_caches",
    "context_dependent_memoize",
    "context_dependent_memoized_functions",
    "dtype_to_ctype",
    "get_arg_type",
    "get_default_device",
    "get_or_register_dtype",
    "init_cuda_context_fixture",
    "make_default_context",
    "mark_cuda_test",
    "match_dtype_to_c_struct",
    "parse_c_arg",
    "register_dtype",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def bitlog2(value: int) -> int:
    """Return the position of the highest set bit: floor(log2(value)).

    Returns 0 if `value` is 0.
    """
    return max(int(value).bit_length() - 1, 0)


# Memory pools.

DeviceMemoryPool = _drv.DeviceMemoryPool
PageLockedAllocator = _drv.PageLockedAllocator
PageLockedMemoryPool = _drv.PageLockedMemoryPool


class DebugMemoryPool(DeviceMemoryPool):
    """A device memory pool that logs the origin of its allocations.

    Parameters
    ----------
    interactive
        Ask for a name for each call site that allocates, and wait for Enter
        before allocations that enlarge the pool.
    logfile
        Text stream for the log; default: standard output.
    """

    def __init__(self, interactive: bool = True, logfile: Any = None) -> None:
        super().__init__()
        self.interactive = interactive
        self.logfile: Any = logfile or sys.stdout
        self.places: dict[Any, str] = {}
        self.blocks: list[tuple[Any, int, str]] = []

    def _call_site(self) -> str:
        """Return the name of the call site that allocates."""
        import traceback

        stack = tuple(traceback.format_stack()[:-2])
        if stack not in self.places:
            name = f"place {len(self.places) + 1}"
            self.logfile.write(f"{name}:\n{''.join(stack)}")
            if self.interactive:
                name = input(f"name for {name}: ") or name
            self.places[stack] = name
        return self.places[stack]

    def _log(self, site: str, size: int, grew: int) -> None:
        """Log the allocation, and the allocated bytes of each call site."""
        self.blocks = [b for b in self.blocks if b[0]() is not None]
        totals: dict[str, int] = {}
        for _, block_size, block_place in self.blocks:
            totals[block_place] = totals.get(block_place, 0) + block_size
        self.logfile.write(
            f"{site}: {size} bytes; the pool grew by {grew} bytes to "
            f"{self.managed_bytes}, {self.active_bytes} in use\n"
        )
        for name, total in sorted(totals.items(), key=lambda t: -t[1]):
            self.logfile.write(f"  {total:12d} {name}\n")

    def allocate(self, size: int) -> _drv.PooledDeviceAllocation:
        """Allocate `size` bytes and log it."""
        before = self.managed_bytes
        block = super().allocate(size)
        site = self._call_site()
        self.blocks.append((weakref.ref(block), int(size), site))
        grew = self.managed_bytes - before
        self._log(site, int(size), grew)
        if self.interactive and grew:
            input("Enter to go on: ")
        return block


# Device selection.


def _chosen_device(count: int) -> int | None:
    """Return the device number of CUDA_DEVICE or ~/.cuda_device, or None.

    Raises
    ------
    ValueError
        If the text is no number.
    LogicError
        If the number is not that of one of the `count` devices.
    """
    text = os.environ.get("CUDA_DEVICE")
    source = "CUDA_DEVICE"
    if text is None:
        source = os.path.join(os.path.expanduser("~"), ".cuda_device")
        if not os.path.isfile(source):
            return None
        try:
            with open(source, "rb") as stream:
                text = stream.readline(80).decode(errors="replace")
        except OSError:
            return None
    kind: type[Exception] = ValueError
    with contextlib.suppress(ValueError):
        number = int(text)
        if 0 <= number < count:
            return number
        kind = _drv.LogicError
    shown = text.strip()
    if len(shown) > 40:
        shown = f"{shown[:40]}..."
    numbers = "0, the only device" if count == 1 else f"0 to {count - 1}"
    raise kind(f"{source} must be a device number ({numbers}), not {shown!r}")


def make_default_context(
    ctx_maker: Callable[[_drv.Device], _drv.Context] | None = None,
) -> _drv.Context:
    """Make a context on the device that CUDA_DEVICE names, or the first.

    Parameters
    ----------
    ctx_maker
        Called with a `pycuda.driver.Device`; default: its make_context.

    Returns
    -------
    Context
        The new context, which is current.

    Raises
    ------
    RuntimeError
        If there is no device, or no device allows a context.
    """
    maker = ctx_maker or (lambda device: device.make_context())
    count = _drv.Device.count()
    if count == 0:
        raise RuntimeError(
            "No CUDA enabled device found. Please check your installation."
        )
    number = _chosen_device(count)
    if number is not None:
        return maker(_drv.Device(number))
    reason: Exception | None = None
    for number in range(count):
        try:
            return maker(_drv.Device(number))
        except _drv.Error as error:
            reason = error
    raise RuntimeError(
        f"make_default_context() wasn't able to create a context on any of "
        f"the {count} detected devices: {reason}"
    )


def get_default_device(default: int = 0) -> _drv.Device:
    """Return the default device; deprecated: use `make_default_context`."""
    warnings.warn(
        "get_default_device() is deprecated; use make_default_context()",
        DeprecationWarning,
        stacklevel=2,
    )
    number = _chosen_device(_drv.Device.count())
    return _drv.Device(default if number is None else number)


# Device data and occupancy.


class DeviceData:
    """Limits of a device, for code that chooses block shapes."""

    def __init__(self, dev: Any = None) -> None:
        dev = dev or _drv.Context.get_device()
        names = _drv.device_attribute
        capability = dev.compute_capability()
        self.max_threads: int = dev.get_attribute(names.MAX_THREADS_PER_BLOCK)
        self.warp_size: int = dev.get_attribute(names.WARP_SIZE)
        limits = (((1, 2), 24), ((2, 0), 32), ((3, 0), 48))
        self.warps_per_mp: int = next(
            (warps for below, warps in limits if capability < below), 64
        )
        self.thread_blocks_per_mp = 8
        self.registers: int = dev.get_attribute(names.MAX_REGISTERS_PER_BLOCK)
        self.shared_memory: int = dev.get_attribute(
            names.MAX_SHARED_MEMORY_PER_BLOCK
        )
        old = capability < (2, 0)
        self.smem_alloc_granularity = 512 if old else 128
        self.smem_granularity = 16 if old else 32
        self.register_allocation_unit = "block" if old else "warp"

    def align(self, bytes: int, word_size: int = 4) -> int:
        """Round the size of a row in bytes up, so that each row is aligned."""
        step = self.align_bytes(word_size)
        return (bytes + step - 1) // step * step

    def align_dtype(self, elements: int, dtype_size: int) -> int:
        """Round the elements of a row up, so that each row is aligned."""
        aligned = self.align(elements * dtype_size, dtype_size)
        return aligned // dtype_size

    def align_words(self, word_size: int) -> int:
        """Return the alignment of `align_bytes`, counted in words."""
        words, rest = divmod(self.align_bytes(word_size), word_size)
        assert rest == 0
        return words

    def align_bytes(self, word_size: int = 4) -> int:
        """Return the row alignment in bytes for words of 4, 8 or 16 bytes.

        Raises
        ------
        ValueError
            For words of another size.
        """
        if word_size == 4:
            return 64
        if word_size in (8, 16):
            return 128
        raise ValueError(f"no alignment possible for word size {word_size}")

    def coalesce(self, thread_count: int) -> int:
        """Round a number of threads up to a multiple of 16."""
        return (thread_count + 15) // 16 * 16

    @staticmethod
    def make_valid_tex_channel_count(size: int) -> int:
        """Return the smallest valid channel count (1, 2 or 4) >= `size`.

        Raises
        ------
        ValueError
            If `size` is above 4.
        """
        for count in (1, 2, 4):
            if size <= count:
                return count
        raise ValueError("could not find texture channel count")


class OccupancyRecord:
    """Resident blocks of a kernel per multiprocessor, and what limits them."""

    def __init__(
        self,
        devdata: DeviceData,
        threads: int,
        shared_mem: int = 0,
        registers: int = 0,
    ) -> None:
        if threads > devdata.max_threads:
            raise ValueError("too many threads")
        if threads < 1:
            raise ValueError(f"a block has one thread at least, not {threads}")
        warps = -(-threads // devdata.warp_size)
        if devdata.register_allocation_unit == "warp":
            used_registers = warps * 32 * registers
        else:
            used_registers = -(-2 * warps // 4) * 4 * 16 * registers
        step = devdata.smem_alloc_granularity
        used_memory = -(-shared_mem // step) * step
        limits = [
            (devdata.thread_blocks_per_mp, "device"),
            (devdata.warps_per_mp // warps, "warps"),
        ]
        if registers > 0:
            limits.append((devdata.registers // used_registers, "regs"))
        if shared_mem > 0:
            limits.append((devdata.shared_memory // used_memory, "smem"))
        for count, what in limits:
            if count == 0 and what != "device":
                names = {"regs": "registers", "warps": "threads"}
                raise ValueError(f"too many {names.get(what, what)}")
        self.tb_per_mp_limits = limits
        self.tb_per_mp: int
        self.limited_by: str
        self.tb_per_mp, self.limited_by = min(limits)
        self.warps_per_mp: int = self.tb_per_mp * warps
        self.occupancy: float = self.warps_per_mp / devdata.warps_per_mp


# C type names and arguments.

_FP_TEX_NAMES = {
    np.dtype(np.float32): "fp_tex_float",
    np.dtype(np.float64): "fp_tex_double",
    np.dtype(np.complex64): "fp_tex_cfloat",
    np.dtype(np.complex128): "fp_tex_cdouble",
}


def dtype_to_ctype(
    dtype: npt.DTypeLike, with_fp_tex_hack: bool = False
) -> str:
    """Return the C name of `dtype`.

    With `with_fp_tex_hack`, float types have the names with which
    `pycuda-helpers.hpp` reads them through textures, such as fp_tex_double.

    Raises
    ------
    ValueError
        If `dtype` is None.
    """
    if dtype is None:
        raise ValueError("dtype may not be None")
    dtype = np.dtype(dtype)
    if with_fp_tex_hack and dtype in _FP_TEX_NAMES:
        return _FP_TEX_NAMES[dtype]
    return base_dtype_to_ctype(dtype)


class Argument:
    """One parameter of a generated kernel: dtype and name."""

    def __init__(self, dtype: npt.DTypeLike, name: str) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.name = name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.dtype})"


class VectorArg(Argument):
    """A pointer to elements of a dtype."""

    struct_char = "P"

    def declarator(self) -> str:
        """Return the parameter in C."""
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """A value of a dtype."""

    @property
    def struct_char(self) -> str:
        """Format character for `Function.prepare`."""
        if self.dtype.kind == "V" and self.dtype.name != "bfloat16":
            return f"{self.dtype.itemsize}s"
        return self.dtype.char

    def declarator(self) -> str:
        """Return the parameter in C."""
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


def parse_c_arg(c_arg: str) -> VectorArg | ScalarArg:
    """Make an argument from one C declarator, such as ``"float *x"``."""
    return parse_c_arg_backend(c_arg, ScalarArg, VectorArg)


def get_arg_type(c_arg: str) -> str:
    """Return the format character of one C declarator."""
    return parse_c_arg(c_arg).struct_char


# Caches of results.

context_dependent_memoized_functions: list[Any] = []


def context_dependent_memoize(func: _Function) -> _Function:
    """Cache results of `func` for each context and set of arguments.

    The cache keeps the context alive until it is detached, or until
    `clear_context_caches` is called.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        key: tuple[Any, ...] = (_drv.Context.get_current(), args)
        if kwargs:
            key = (*key, frozenset(kwargs.items()))
        cache = wrapper._pycuda_ctx_dep_memoize_dic  # type: ignore
        try:
            return cache[key]
        except KeyError:
            result = cache[key] = func(*args, **kwargs)
            return result

    wrapper._pycuda_ctx_dep_memoize_dic = ByContext()  # type: ignore
    context_dependent_memoized_functions.append(wrapper)
    return wrapper  # type: ignore


def clear_context_caches() -> None:
    """Clear the caches of all functions of `context_dependent_memoize`.

    This releases the contexts that the caches kept alive, and the kernels
    that the package itself has compiled in any context.
    """
    for function in context_dependent_memoized_functions:
        function._pycuda_ctx_dep_memoize_dic.clear()
    _drv._driver._drop_kernels()


# Support for tests.


def _check_device() -> None:
    device = _drv.Context.get_device()
    assert isinstance(device.name(), str)
    assert isinstance(device.compute_capability(), tuple)
    assert isinstance(device.get_attributes(), dict)


def init_cuda_context_fixture() -> Iterator[None]:
    """Make a context and free it after the test (body of a fixture)."""
    import gc

    _drv.init()
    context = make_default_context()
    try:
        _check_device()
        yield
    finally:
        context.pop()
        clear_context_caches()
        gc.collect()


def mark_cuda_test(func: _Function) -> _Function:
    """Run `func` in a new context; mark it "cuda" for pytest."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        for _ in init_cuda_context_fixture():
            func(*args, **kwargs)

    try:
        import pytest
    except ImportError:
        return wrapper  # type: ignore
    return pytest.mark.cuda(wrapper)
