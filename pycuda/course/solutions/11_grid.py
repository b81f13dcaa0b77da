"""A solution of the exercise 11_grid."""

# SPDX-License-Identifier: MIT


def blocks(n, size):
    return (n + size - 1) // size
