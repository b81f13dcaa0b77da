"""GPUArrays in Dask: chunks of Dask arrays, and data of Dask workers.

`pycuda._import_hooks` imports these modules when both packages are loaded, and
calls their `register`.  Programs import none of them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

# The first import, so that the modules of this folder are complete when
# `pycuda.gpuarray` registers them. A process that imports one of them only to
# unpickle a function also runs this.
import pycuda.gpuarray as _gpuarray  # noqa: F401
