"""Random number generators behind `pycuda.curandom`, and their tables."""

# SPDX-License-Identifier: MIT
