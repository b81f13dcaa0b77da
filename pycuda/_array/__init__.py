"""Methods of GPUArray that are written in Python: cold ones, and those that
put several kernels together.  `pycuda.gpuarray` gathers them into the class;
what is hot lies in ``src/array``.
"""

# SPDX-License-Identifier: MIT
