"""GPUArrays in Dask: chunks of Dask arrays, and data of Dask workers.

`pycuda._import_hooks` imports these modules when both packages are loaded, and
calls their `register`.  Programs import none of them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

# First, so that these modules are complete when `pycuda.gpuarray` registers
# them, also in a process that imports one of them to unpickle a function.
import pycuda.gpuarray as _gpuarray  # noqa: F401
