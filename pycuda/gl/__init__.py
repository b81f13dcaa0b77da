"""OpenGL's buffers and images for kernels: not supported by this package.

PyCUDA's own `pycuda.gl` raises ImportError, too, unless it was built with
OpenGL, and programs check for that.
"""

# SPDX-License-Identifier: MIT

raise ImportError(
    "pycuda.gl is not in this package: it has no OpenGL interoperation "
    "(pycuda.driver.have_gl_ext() is False); copy through host memory, or "
    "through pycuda.gpuarray and DLPack"
)
