"""Examines and describes this installation: `python -m pycuda`.

The modules import nothing but the standard library until they know that the
package is intact: another distribution may have replaced some of its files.

SPDX-License-Identifier: MIT
"""
