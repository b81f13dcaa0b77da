"""ReductionKernel over some axes: each row is reduced separately.

The arrays are laid out with the reduced axes last, copied if necessary, so
that a row's elements are contiguous.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from typing import Any

from pycuda._compile.source import includes_of
from pycuda._kernels import building
from pycuda._numpy_functions import normalize_axis_tuple
from pycuda.compiler import SourceModule
from pycuda.tools import VectorArg

# Kernel in which a thread or a block reduces a row. Its macros and variables
# have the same names as those of the kernel in `pycuda.reduction`.
_KERNEL = """\
#define READ_AND_MAP(i) ({map_expr})
#define REDUCE(a, b) ({reduce_expr})

{preamble}

typedef {out_type} out_type;

extern "C" __global__ void {name}(out_type *out, {arguments},
                                  size_t pycuda_rows, size_t n)
{{
#if {threads} == 1
  size_t pycuda_row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int tid = threadIdx.x;
  (void)tid; // for expressions
  if (pycuda_row < pycuda_rows) {{
    out_type acc = {neutral};
    for (size_t i = pycuda_row * n; i < (pycuda_row + 1) * n; i++) {{
      acc = REDUCE(acc, READ_AND_MAP(i));
    }}
    out[pycuda_row] = acc;
  }}
#else
  extern __shared__ out_type sdata[];
  const unsigned int tid = threadIdx.x;
  for (size_t pycuda_row = blockIdx.x; pycuda_row < pycuda_rows;
       pycuda_row += gridDim.x) {{
    const size_t pycuda_end = (pycuda_row + 1) * n;
    out_type acc = {neutral};
    for (size_t i = pycuda_row * n + tid; i < pycuda_end; i += {threads}) {{
      acc = REDUCE(acc, READ_AND_MAP(i));
    }}
    sdata[tid] = acc;
    for (unsigned int pycuda_half = {threads} / 2; pycuda_half > 0;
         pycuda_half /= 2) {{
      __syncthreads();
      if (tid < pycuda_half) {{
        sdata[tid] = REDUCE(sdata[tid], sdata[tid + pycuda_half]);
      }}
    }}
    if (tid == 0) {{
      out[pycuda_row] = sdata[0];
    }}
    __syncthreads();
  }}
#endif
}}
"""

_THREADS_OF_ROWS = 128  # threads per block if each thread reduces a row
_MOST_BLOCKS = 0x7FFFFFFF


def make(
    spec: dict[str, Any], arguments: list[Any], name: str, threads: int
) -> Any:
    """Compile the kernel; `threads`, a power of two, share a row."""
    map_expr = spec["map_expr"]
    source = _KERNEL.format(
        **{**spec, "map_expr": "in[i]" if map_expr is None else map_expr},
        name=name,
        threads=threads,
    )
    source = includes_of(source, spec["arguments"] or "") + source
    module = SourceModule(
        source, options=spec["options"], keep=spec["keep"], no_extern_c=True
    )
    function = module.get_function(name)
    function.prepare(["P", *(a.struct_char for a in arguments), "N", "N"])
    return function


def threads_of(length: int) -> int:
    """Return how many threads share a row of this length."""
    if length < 32 or building.runs_threads_in_turn():
        return 1
    return min(1 << (length - 1).bit_length(), 256)


class Plan:
    """The rows that a call reduces, and the shape of its result."""

    def __init__(self, shape: tuple[int, ...], axis: Any) -> None:
        ndim = len(shape)
        every = tuple(range(ndim)) if axis is None else axis
        self.axes = normalize_axis_tuple(every, ndim)
        remaining = [k for k in range(ndim) if k not in self.axes]
        self.order = (*remaining, *(k for k in range(ndim) if k in self.axes))
        self.remaining = tuple(shape[k] for k in remaining)
        self.full = tuple(
            1 if k in self.axes else length for k, length in enumerate(shape)
        )
        self.rows = math.prod(self.remaining)
        self.length = math.prod(shape[k] for k in self.axes)

    def packed(self, array: Any, stream: Any) -> Any:
        """Return the array with its rows in C order."""
        turned = array.transpose(self.order)
        return (
            turned if turned.flags.c_contiguous else turned.copy("C", stream)
        )


def check_shapes(name: str, types: list[Any], arrays: list[Any]) -> None:
    """Raise ValueError unless all vectors have the first one's shape."""
    names = [t.name for t in types if isinstance(t, VectorArg)]
    for array, argument in zip(arrays, names, strict=True):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"{name}: argument '{argument}' has shape {array.shape}, the "
                f"first vector {arrays[0].shape}; a reduction over axes needs "
                "one shape"
            )


def launch(
    function: Any, threads: int, plan: Plan, arguments: list[Any],
    itemsize: int, stream: Any,
) -> None:  # fmt: skip
    """Run the kernel on all rows."""
    if threads == 1:
        block, blocks = _THREADS_OF_ROWS, -(-plan.rows // _THREADS_OF_ROWS)
        shared = 0
    else:
        block, blocks = threads, min(plan.rows, _MOST_BLOCKS)
        shared = threads * itemsize
    function.prepared_async_call(
        (blocks, 1), (block, 1, 1), stream, *arguments, plan.rows,
        plan.length, shared_size=shared,
    )  # fmt: skip
