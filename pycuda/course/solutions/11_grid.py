"""A solution of the exercise 11_grid."""

# SPDX-License-Identifier: MIT


def blocks(n, size):
    """Return the number of blocks for n elements."""
    return (n + size - 1) // size
