"""Replacements for functions of NumPy that refuse device arrays."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

# NumPy function without a version for GPUArrays -> expression with the same
# result for an array `a`, computed on the device.
INSTEAD = {
    "numpy.cumulative_prod": "numpy.cumprod(a)",
    "numpy.cumulative_sum": "numpy.cumsum(a)",
    # the next two expressions are right for one axis only
    "numpy.fft.fftshift": "numpy.roll(a, a.size // 2)",
    "numpy.fft.ifftshift": "numpy.roll(a, -(a.size // 2))",
}


def text(name: str) -> str:
    """Return the exception's text for a function such as "numpy.fft.fft".

    CuPy reads the memory of a GPUArray without a copy, and has most functions
    under NumPy's names.
    """
    own = INSTEAD.get(name)
    theirs = name.replace("numpy", "cupy", 1)
    return (
        f"{name} is not implemented for GPUArrays: use "
        + (f"{own} on the device, " if own else "")
        + f"{name}(a.get()) on the host, or, with a GPU, "
        f"{theirs}(cupy.asarray(a)), which shares the memory"
    )
