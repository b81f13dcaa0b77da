"""Grid size: how many blocks does a launch need?

`blocks(n, size)` returns the smallest number of blocks of `size` threads that
have a thread for each of n elements.
"""

# SPDX-License-Identifier: MIT


def blocks(n, size):
    """Return the number of blocks for n elements."""
    # n // size rounds down.
    return 1
