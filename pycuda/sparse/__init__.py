"""Sparse matrices on the device: products with vectors, conjugate gradients.

PyCUDA deprecates this package, and so does a warning here; it is kept complete
for the programs that use it.
"""

# SPDX-License-Identifier: MIT

import warnings

warnings.warn(
    "pycuda.sparse is deprecated: for more than products with vectors and "
    "conjugate gradients use a library for sparse matrices",
    DeprecationWarning,
    stacklevel=2,
)
