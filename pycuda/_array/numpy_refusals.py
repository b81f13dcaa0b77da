"""What to use in place of functions of NumPy that refuse device arrays."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

# Expressions on the device that equal the function's result for an array `a`
# (the comments name their limits).
INSTEAD = {
    "numpy.cumulative_prod": "numpy.cumprod(a)",
    "numpy.cumulative_sum": "numpy.cumsum(a)",
    "numpy.fft.fftshift": "numpy.roll(a, a.size // 2)",  # one dimension
    "numpy.fft.ifftshift": "numpy.roll(a, -(a.size // 2))",  # likewise
}


def text(name: str) -> str:
    """Return the text of the exception for a function, "numpy.fft.fft".

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
