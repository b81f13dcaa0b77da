"""Methods of GPUArray that are written in Python.

These are the methods that are called rarely and those that combine several
kernels.  `pycuda.gpuarray` collects them into the class; ``src/array`` has the
methods that must be fast.
"""

# SPDX-License-Identifier: MIT
