"""Parts of `pycuda.mpi`: buffers and requests."""

# SPDX-License-Identifier: MIT
