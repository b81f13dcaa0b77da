"""Implementation of `pycuda.compiler`: one step of a compilation per file.

`options` translates nvcc's options to NVRTC's, `source` wraps and scans the
program's text, `includes` finds the folders and files it can reach, `cache`
keeps images on disk, `nvrtc` and `nvcc` call the two compilers, and `warn`
warns the user.
"""

# SPDX-License-Identifier: MIT
