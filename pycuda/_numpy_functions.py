"""Functions of NumPy 2 that NumPy 1.26 has elsewhere or lacks."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np

try:
    from numpy.lib.array_utils import normalize_axis_tuple
except ImportError:  # NumPy 1.26
    from numpy.core.numeric import (  # type: ignore[no-redef]
        normalize_axis_tuple,
    )

__all__ = ["bit_parity", "normalize_axis_tuple"]


def bit_parity(bits: np.ndarray) -> np.ndarray:
    """Return whether each unsigned 64-bit integer has an odd number of ones.

    Returns
    -------
    numpy.ndarray
        0 or 1 for each element, as `numpy.uint64`.
    """
    folded = bits.astype(np.uint64)
    for half in (32, 16, 8, 4, 2, 1):
        folded = folded ^ (folded >> np.uint64(half))
    return folded & np.uint64(1)
