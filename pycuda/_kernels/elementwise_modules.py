"""Sources and modules of element-wise kernels from expressions in C."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pycuda import compiler
from pycuda._compile.source import includes_of
from pycuda._kernels.calls import parse_arguments
from pycuda._kernels.tuning import tuned
from pycuda.tools import Argument, ScalarArg, VectorArg, dtype_to_ctype

_UINTP = np.dtype(np.uintp)
_INTP = np.dtype(np.intp)

# Element access to an array of any strides, by its index in C order. Arrays of
# fewer than 2^31 elements have 32-bit indices; a multiplication by `factor`
# and a shift divide them by a length.
_STRIDED = """\
template <class T, int N>
struct pycuda_strided {
  char *base;
  long long stride[N];
  unsigned shape[N], factor[N], shift[N];
  __device__ T &operator[](unsigned long long i) const {
    char *place = base;
    unsigned left = (unsigned)i;
    for (int axis = N - 1; axis > 0; axis--) {
      unsigned long long product = (unsigned long long)left * factor[axis];
      unsigned rest = (unsigned)(product >> 32) >> shift[axis];
      place += (long long)(left - rest * shape[axis]) * stride[axis];
      left = rest;
    }
    return *(T *)(place + (long long)left * stride[0]);
  }
};
"""
# The same for arrays of 2^31 elements or more.
_STRIDED_WIDE = """\
template <class T, int N>
struct pycuda_strided_wide {
  char *base;
  long long stride[N];
  unsigned long long shape[N];
  __device__ T &operator[](unsigned long long i) const {
    char *place = base;
    for (int axis = N - 1; axis > 0; axis--) {
      place += (long long)(i % shape[axis]) * stride[axis];
      i /= shape[axis];
    }
    return *(T *)(place + (long long)i * stride[0]);
  }
};
"""
_WIDE = 1 << 31

GUARD = """\
extern "C" __global__ void {name}({parameters})
{{
  size_t i = (size_t)blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {{
    {operation}
    ;
  }}
}}
"""

# The elements of a thread are one block apart. If the compiler knows that
# arrays do not overlap, it loads all elements before it stores any, so that
# twice as many bytes are in transfer.
EACH_SEVERAL = """\
extern "C" __global__ void {name}({parameters})
{{
  const size_t pycuda_first =
      (size_t)blockIdx.x * blockDim.x * {several} + threadIdx.x;
  if (((size_t)blockIdx.x + 1) * blockDim.x * {several} <= n) {{
#pragma unroll
    for (int pycuda_turn = 0; pycuda_turn < {several}; pycuda_turn++) {{
      size_t i = pycuda_first + pycuda_turn * blockDim.x;
      {operation}
      ;
    }}
  }} else {{
    for (size_t i = pycuda_first; i < n; i += blockDim.x) {{
      {operation}
      ;
    }}
  }}
}}
"""

LOOP = """\
extern "C" __global__ void {name}({parameters})
{{
  const unsigned tid = threadIdx.x;
  const size_t total_threads = (size_t)gridDim.x * blockDim.x;
  const size_t cta_start = (size_t)blockDim.x * blockIdx.x;
  size_t i;
  {loop_prep};
  for (i = cta_start + tid; i < n; i += total_threads) {{
    {operation}
    ;
  }}
  {after_loop};
}}
"""

RANGE = """\
extern "C" __global__ void {name}({parameters})
{{
  const unsigned tid = threadIdx.x;
  const long total_threads = (long)gridDim.x * blockDim.x;
  const long cta_start = (long)blockDim.x * blockIdx.x;
  long i;
  {loop_prep};
  for (i = start + (cta_start + tid) * step;
       step < 0 ? i > stop : i < stop;
       i += total_threads * step) {{
    {operation}
    ;
  }}
  {after_loop};
}}
"""

SIZE = [ScalarArg(_UINTP, "n")]
RANGE_SIZE = [ScalarArg(_INTP, name) for name in ("start", "stop", "step")]


def _merge_axes(
    shape: Sequence[int], strides: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Drop axes of length 1 and merge contiguous ones (C order)."""
    lengths: list[int] = []
    steps: list[int] = []
    for length, stride in zip(shape, strides, strict=True):
        if length == 1:
            continue
        if lengths and steps[-1] == stride * length:
            lengths[-1] *= length
            steps[-1] = stride
        else:
            lengths.append(length)
            steps.append(stride)
    return lengths or [1], steps or [0]


def record_bytes(axes: int) -> int:
    """Return the size of a `strided_record` of `axes` axes."""
    if axes < 0:
        return 8 - 16 * axes
    return 8 + (8 + 3 * 4) * axes + 4 * (axes % 2)


def division(length: int) -> tuple[int, int]:
    """Return (factor, shift) that divide 31-bit integers by `length` > 1.

    The quotient of n is ``(n * factor >> 32) >> shift``.
    """
    bits = (length - 1).bit_length()
    return -(-(1 << (31 + bits)) // length), bits - 1


@functools.lru_cache(maxsize=512)
def _layout(
    shape: tuple[int, ...], strides: tuple[int, ...]
) -> tuple[int, bytes]:
    """Return the number of axes and the struct without its first field."""
    lengths, steps = _merge_axes(shape, strides)
    axes = len(lengths)
    if math.prod(shape) >= _WIDE:
        return -axes, struct.pack(f"={2 * axes}q", *steps, *lengths)
    divisions = [(0, 0), *map(division, lengths[1:])]
    return axes, struct.pack(
        f"={axes}q{3 * axes}I{4 * (axes % 2)}x",
        *steps,
        *lengths,
        *(factor for factor, _ in divisions),
        *(shift for _, shift in divisions),
    )


def strided_record(array: Any) -> tuple[int, bytes]:
    """Return the number of merged axes, and the struct for a kernel.

    The struct is a pycuda_strided, with strides in bytes.  For an array of
    2^31 elements or more it is a pycuda_strided_wide, and the number of axes
    is negative.
    """
    axes, layout = _layout(tuple(array.shape), tuple(array.strides))
    return axes, array.ptr.to_bytes(8, "little") + layout


def _declare(argument: Argument, axes: int, apart: bool) -> str:
    """Return one parameter; `axes` is not 0 for a vector with strides."""
    ctype = dtype_to_ctype(argument.dtype)
    if apart and isinstance(argument, VectorArg):
        return f"{ctype} *__restrict__ {argument.name}"
    if not axes:
        return argument.declarator()  # type: ignore[attr-defined]
    wide = "_wide" if axes < 0 else ""
    return f"pycuda_strided{wide}<{ctype}, {abs(axes)}> {argument.name}"


def generate(
    template: str,
    arguments: Sequence[Argument],
    operation: str,
    name: str,
    preamble: str = "",
    loop_prep: str = "",
    after_loop: str = "",
    layout: Sequence[int] = (),
) -> str:
    """Return the source; `layout` counts strided axes per argument."""
    layout = list(layout) or [0] * len(arguments)
    layout += [0] * (len(arguments) - len(layout))
    apart = template is EACH_SEVERAL
    parameters = ", ".join(
        _declare(argument, axes, apart)
        for argument, axes in zip(arguments, layout, strict=True)
    )
    text = template.format(
        name=name,
        several=tuned("elementwise_several") if apart else 1,
        parameters=parameters,
        operation=operation,
        loop_prep=loop_prep,
        after_loop=after_loop,
    )
    text = f"{preamble}\n{text}"
    if any(axes > 0 for axes in layout):
        text = _STRIDED + text
    if any(axes < 0 for axes in layout):
        text = _STRIDED_WIDE + text
    return includes_of(text) + text


def build(
    source: str,
    keep: bool = False,
    options: list[str] | None = None,
    make: Callable[..., Any] | None = None,
) -> Any:
    """Compile a source of `generate` by `make`, by default SourceModule."""
    make = make or compiler.SourceModule
    return make(source, options=options, keep=keep, no_extern_c=True)


def get_elwise_module(
    arguments: Sequence[Argument],
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: list[str] | None = None,
    preamble: str = "",
    loop_prep: str = "",
    after_loop: str = "",
) -> Any:
    """Build a module with a kernel that loops over `n` elements.

    `arguments` must end with the size, ``ScalarArg(np.uintp, "n")``.
    """
    source = generate(
        LOOP, arguments, operation, name, preamble, loop_prep, after_loop
    )
    return build(source, keep, options)


def get_elwise_range_module(
    arguments: Sequence[Argument],
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: list[str] | None = None,
    preamble: str = "",
    loop_prep: str = "",
    after_loop: str = "",
) -> Any:
    """Build a module with a kernel that loops over start, stop, step.

    `arguments` must end with those three, of type ``np.intp``.
    """
    source = generate(
        RANGE, arguments, operation, name, preamble, loop_prep, after_loop
    )
    return build(source, keep, options)


def prepare(
    make: Callable[..., Any],
    arguments: str | Sequence[Argument],
    name: str,
    use_range: bool,
    **kwargs: Any,
) -> tuple[Any, Any, list[Argument]]:
    """Return (module of `make`, prepared kernel, arguments with the size)."""
    full: list[Any] = parse_arguments(arguments)
    full += RANGE_SIZE if use_range else SIZE
    module = make(full, name=name, **kwargs)
    function = module.get_function(name)
    function.prepare([a.struct_char for a in full])
    return module, function, full


def get_elwise_kernel_and_types(
    arguments: str | Sequence[Argument],
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: list[str] | None = None,
    use_range: bool = False,
    **kwargs: Any,
) -> tuple[Any, Any, list[Argument]]:
    """Return (module, prepared kernel, arguments with the size at the end)."""
    make = get_elwise_range_module if use_range else get_elwise_module
    return prepare(
        make, arguments, name, use_range, operation=operation, keep=keep,
        options=options, **kwargs,
    )  # fmt: skip


def get_elwise_kernel(
    arguments: str | Sequence[Argument],
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: list[str] | None = None,
    **kwargs: Any,
) -> Any:
    """Return a prepared kernel.

    It is called as ``f.prepared_async_call(grid, block, stream, *values, n)``.
    """
    return get_elwise_kernel_and_types(
        arguments, operation, name, keep, options, **kwargs
    )[1]
