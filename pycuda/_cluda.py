"""Macros with which one kernel source works in CUDA and in OpenCL."""

# SPDX-License-Identifier: MIT

_AXES = (("0", "x"), ("1", "y"), ("2", "z"))
_INDICES = (
    ("LID", "threadIdx"),
    ("GID", "blockIdx"),
    ("LDIM", "blockDim"),
    ("GDIM", "gridDim"),
)

CLUDA_PREAMBLE = (
    """
#define CUDA
#define WITHIN_KERNEL __device__
#define KERNEL extern "C" __global__
#define GLOBAL_MEM
#define LOCAL_MEM __shared__
#define LOCAL_MEM_ARG
#define REQD_WG_SIZE(X, Y, Z) __launch_bounds__(X * Y * Z, 1)
#define local_barrier() __syncthreads()
"""
    + "\n".join(
        f"#define {name}_{number} {variable}.{axis}"
        for name, variable in _INDICES
        for number, axis in _AXES
    )
    + "\n"
)
