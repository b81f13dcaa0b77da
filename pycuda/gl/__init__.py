"""OpenGL's buffers and images for kernels: not in this package.

PyCUDA's own `pycuda.gl` raises ImportError as well unless it was built with
OpenGL, and programs look for that.
"""

# SPDX-License-Identifier: MIT

raise ImportError("PyCUDA was compiled without GL extension support")
