"""Parts of pycuda.nccl."""

# SPDX-License-Identifier: MIT
