"""Tokens of GPUArrays: keys of Dask's tasks, made from the elements."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from pycuda.gpuarray import GPUArray


def register() -> None:
    """Register with dask.tokenize, which is loaded."""
    from dask.tokenize import normalize_token

    @normalize_token.register(GPUArray)
    def token(array: GPUArray) -> tuple[Any, ...]:
        """Return what determines the array: its class and its elements.

        Copies the elements to the host.  Equal arrays have equal tokens, in
        every process; the address of the memory does not matter.
        """
        host = normalize_token(array.get())
        return type(array).__module__, type(array).__qualname__, host
