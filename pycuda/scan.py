"""Prefix scans from an expression in C.

The array is cut into intervals.  A first kernel scans each interval by a
block of its own and notes its total, the same kernel scans the totals, and a
second kernel adds to each interval what came before it.  Operands keep their
order, so the expression need only be associative.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

import pycuda.driver as _drv
from pycuda import _kernels
from pycuda._cluda import CLUDA_PREAMBLE
from pycuda.compiler import SourceModule
from pycuda.elementwise import check_vector
from pycuda.tools import VectorArg, dtype_to_ctype

__all__ = ["ExclusiveScanKernel", "InclusiveScanKernel"]

_MAX_INTERVALS = 1024


def _shape() -> tuple[int, int, int]:
    """(threads of a scan, threads of an update, elements of a thread).

    Where threads run in turn on a processor core, one thread a block reads
    its interval in order.
    """
    return (1, 1, 1024) if _kernels._runs_threads_in_turn() else (128, 256, 6)


# A tile is WG_SIZE * K elements: loaded and stored side by side, scanned by
# threads of K elements each in shared memory.  `carry` is the scan of all
# tiles before, known from the second tile on.  The exclusive form leaves the
# first element of an interval to the final update.
_KERNELS = """\
#define WG_SIZE {scan_threads}
#define UPDATE_WG_SIZE {update_threads}
#define K {each}
#define SCAN_EXPR(a, b) {scan_expr}
#define EXCLUSIVE {exclusive}

{preamble}

typedef {scan_type} scan_type;

extern "C" __global__ void {prefix}_scan_intervals(
    scan_type *input, size_t n, size_t interval_size, scan_type *output,
    scan_type *totals, int exclusive)
{{
  extern __shared__ scan_type tile[]; /* WG_SIZE * K, then the sums */
  scan_type *sums = tile + WG_SIZE * K;
  const unsigned lane = threadIdx.x;
  const size_t begin = interval_size * blockIdx.x;
  const size_t end =
      n - begin < interval_size ? n : begin + interval_size;
  scan_type carry;

  for (size_t base = begin; base < end; base += WG_SIZE * K) {{
    const unsigned count =
        end - base < WG_SIZE * K ? (unsigned)(end - base) : WG_SIZE * K;
    const unsigned used = (count + K - 1) / K;
    const unsigned first = lane * K;

    for (unsigned j = lane; j < count; j += WG_SIZE) {{
      tile[j] = input[base + j];
    }}
    __syncthreads();
    if (first < count) {{
      scan_type sum = tile[first];
      for (unsigned j = first + 1; j < first + K && j < count; j++) {{
        scan_type next = tile[j];
        sum = SCAN_EXPR(sum, next);
        tile[j] = sum;
      }}
      sums[lane] = sum;
    }}
    __syncthreads();
    for (unsigned step = 1; step < used; step *= 2) {{
      scan_type sum;
      if (lane < used) {{
        sum = sums[lane];
        if (lane >= step) {{
          scan_type before = sums[lane - step];
          sum = SCAN_EXPR(before, sum);
        }}
      }}
      __syncthreads();
      if (lane < used) {{
        sums[lane] = sum;
      }}
      __syncthreads();
    }}
    if (first < count) {{
      for (unsigned j = first; j < first + K && j < count; j++) {{
        scan_type value = tile[j];
        if (lane > 0) {{
          scan_type before = sums[lane - 1];
          value = SCAN_EXPR(before, value);
        }}
        if (base > begin) {{
          value = SCAN_EXPR(carry, value);
        }}
        tile[j] = value;
      }}
    }}
    __syncthreads();
    for (unsigned j = lane; j < count; j += WG_SIZE) {{
      if (!exclusive) {{
        output[base + j] = tile[j];
      }} else if (j > 0) {{
        output[base + j] = tile[j - 1];
      }} else if (base > begin) {{
        output[base] = carry;
      }}
    }}
    carry = tile[count - 1];
    __syncthreads();
  }}
  if (lane == 0 && begin < end) {{
    totals[blockIdx.x] = carry;
  }}
}}

extern "C" __global__ void {prefix}_final_update(
    scan_type *output, size_t n, size_t interval_size, scan_type *totals)
{{
  const size_t begin = interval_size * blockIdx.x;
  const size_t end =
      n - begin < interval_size ? n : begin + interval_size;
  size_t i = begin + threadIdx.x;

#if EXCLUSIVE
  if (blockIdx.x == 0) {{
    if (i == 0) {{
      output[0] = {neutral};
    }}
    return;
  }}
  if (i == begin) {{
    output[i] = totals[blockIdx.x - 1];
    i += UPDATE_WG_SIZE;
  }}
#else
  if (blockIdx.x == 0) {{
    return;
  }}
#endif
  const scan_type before = totals[blockIdx.x - 1];
  for (; i < end; i += UPDATE_WG_SIZE) {{
    scan_type value = output[i];
    output[i] = SCAN_EXPR(before, value);
  }}
}}
"""


class _ScanKernel:
    """What both scans share."""

    _exclusive: bool

    def __init__(
        self,
        dtype: Any,
        scan_expr: str,
        neutral: Any = None,
        name_prefix: str = "scan",
        options: list[str] | None = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        if self._exclusive and neutral is None:
            raise ValueError("neutral element is required for exclusive scan")
        self.dtype = np.dtype(dtype)
        self.neutral = neutral
        self.scan_wg_size, self.update_wg_size, self.scan_wg_seq_batches = (
            _shape()
        )
        self._prefix = name_prefix
        self._options = options
        self._preamble = preamble
        self._scan_expr = scan_expr
        self._argument = VectorArg(self.dtype, "input_ary")
        self._kernels: dict[Any, tuple[Any, Any]] = {}
        self.scan_intervals_knl, self.final_update_knl = self._compiled()

    def _compiled(self) -> tuple[Any, Any]:
        """The two kernels in the current context."""
        context = _drv.Context.get_current()
        if context not in self._kernels:
            source = CLUDA_PREAMBLE + _KERNELS.format(
                scan_threads=self.scan_wg_size,
                update_threads=self.update_wg_size,
                each=self.scan_wg_seq_batches,
                scan_expr=self._scan_expr,
                exclusive=int(self._exclusive),
                preamble=self._preamble,
                scan_type=dtype_to_ctype(self.dtype),
                prefix=self._prefix,
                neutral=self.neutral,
            )
            if "complex" in source:
                source = "#include <pycuda-complex.hpp>\n" + source
            module = SourceModule(
                source, options=self._options, no_extern_c=True
            )
            first = module.get_function(f"{self._prefix}_scan_intervals")
            second = module.get_function(f"{self._prefix}_final_update")
            first.prepare("PNNPPi")
            second.prepare("PNNP")
            self._kernels[context] = (first, second)
        return self._kernels[context]

    def __call__(
        self,
        input_ary: Any,
        output_ary: Any = None,
        allocator: Any = None,
        stream: Any = None,
    ) -> Any:
        """Scan `input_ary`, in place unless `output_ary` is given.

        Parameters
        ----------
        input_ary
            A contiguous GPUArray of one dimension.
        output_ary
            GPUArray of the same shape, or "new" for a new one.
        allocator
            Where the totals of intervals are allocated; default: as
            `input_ary` was.
        stream
            Stream to run in.
        """
        import pycuda.gpuarray as gpuarray

        allocator = allocator or input_ary.allocator
        if isinstance(output_ary, str) and output_ary == "new":
            output_ary = gpuarray.empty_like(input_ary)
        elif output_ary is None:
            output_ary = input_ary
        self._check(input_ary, output_ary)
        (n,) = input_ary.shape
        if n == 0:
            return output_ary
        intervals, interval_size = self._plan(n)
        totals = gpuarray.empty(intervals, self.dtype, allocator=allocator)
        self._launch(
            input_ary, output_ary, totals, n, intervals, interval_size, stream
        )
        return output_ary

    def _check(self, source: Any, target: Any) -> None:
        if source.shape != target.shape:
            raise ValueError("input and output must have the same shape")
        if not (source.flags.forc and target.flags.forc):
            raise RuntimeError(
                "ScanKernel cannot deal with non-contiguous arrays"
            )
        if len(source.shape) != 1:
            raise ValueError(
                "a scan needs an array of one dimension, not "
                f"{len(source.shape)}: use .ravel()"
            )
        for array in (source, target):
            if check_vector(self._prefix, self._argument, array) is not array:
                raise TypeError(
                    f"{self._prefix}: an array of {self.dtype} is needed, "
                    f"not of {array.dtype}"
                )

    def _plan(self, n: int) -> tuple[int, int]:
        """(intervals, elements of each, a multiple of a tile)."""
        tile = self.scan_wg_size * self.scan_wg_seq_batches
        count = _drv.device_attribute.MULTIPROCESSOR_COUNT
        device = _drv.Context.get_device()
        most = min(8 * device.get_attribute(count), _MAX_INTERVALS)
        tiles = -(-n // tile)
        each = -(-tiles // most) * tile
        return -(-n // each), each

    def _launch(
        self,
        source: Any,
        target: Any,
        totals: Any,
        n: int,
        intervals: int,
        size: int,
        stream: Any,
    ) -> None:
        scan, update = self._compiled()
        block = (self.scan_wg_size, 1, 1)
        shared = self.scan_wg_size * (self.scan_wg_seq_batches + 1)
        shared *= self.dtype.itemsize
        scan.prepared_async_call(
            (intervals, 1), block, stream, source.gpudata, n, size,
            target.gpudata, totals.gpudata, int(self._exclusive),
            shared_size=shared,
        )  # fmt: skip
        if intervals > 1:
            import pycuda.gpuarray as gpuarray

            # One block scans the totals; its own total goes aside.
            rest = gpuarray.empty(1, self.dtype, allocator=totals.allocator)
            scan.prepared_async_call(
                (1, 1), block, stream, totals.gpudata, intervals, intervals,
                totals.gpudata, rest.gpudata, 0,
                shared_size=shared,
            )  # fmt: skip
        if intervals > 1 or self._exclusive:
            update.prepared_async_call(
                (intervals, 1), (self.update_wg_size, 1, 1), stream,
                target.gpudata, n, size, totals.gpudata,
            )  # fmt: skip


class InclusiveScanKernel(_ScanKernel):
    """Element i of the result combines elements 0 to i.

    Parameters
    ----------
    dtype
        Of the arrays.
    scan_expr
        C expression in ``a`` (the earlier operand) and ``b``; associative.
    neutral
        C expression or number that changes nothing; only the exclusive scan
        uses it.
    name_prefix, options, preamble
        As in `pycuda.elementwise.ElementwiseKernel`.
    devices
        Ignored.
    """

    _exclusive = False


class ExclusiveScanKernel(_ScanKernel):
    """Element i of the result combines elements 0 to i - 1.

    The parameters are those of `InclusiveScanKernel`; `neutral` is needed
    and becomes element 0.
    """

    _exclusive = True
