"""GPUArrays in Dask: chunks of Dask arrays, and data of Dask workers.

`pycuda._import_hooks` imports these modules when both packages are loaded, and
calls their `register`.  Programs import none of them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

# The import of pycuda.gpuarray may import each module of this folder and call
# its `register`. It comes first, because no module of this folder may be half
# imported at that time. A process that imports one of these modules only to
# unpickle a function executes it, too.
import pycuda.gpuarray as _gpuarray  # noqa: F401
