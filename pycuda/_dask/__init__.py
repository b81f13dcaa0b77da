"""GPUArrays in Dask: chunks of Dask arrays, and data of Dask workers.

`pycuda._import_hooks` imports these modules when both packages are loaded, and
calls their `register`.  Programs import none of them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

# This import comes first: it completes the modules of this folder before
# `pycuda.gpuarray` registers them. It also runs in a process that imports one
# of these modules only to unpickle a function.
import pycuda.gpuarray as _gpuarray  # noqa: F401
