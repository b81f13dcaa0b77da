"""The arguments of calls: an array, with the part of each rank."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
from mpi4py import MPI

from pycuda import gpuarray


def _array(value: Any) -> Any:
    """Return the array of a buffer argument."""
    if isinstance(value, (gpuarray.GPUArray, np.ndarray)):
        return value
    if hasattr(value, "__cuda_array_interface__"):
        return gpuarray.asarray(value, copy=False)
    raise TypeError(
        "expected a GPUArray, a NumPy array, or a list of one and its counts, "
        f"not {type(value).__name__}"
    )


class Parts:
    """A buffer argument with the part of each rank: counts and offsets."""

    def __init__(self, value: Any, size: int, *, equal: bool) -> None:
        spec = list(value) if isinstance(value, (list, tuple)) else [value]
        if not spec:
            raise TypeError("expected an array, not an empty list")
        self.array = _array(spec.pop(0))
        itemsize = self.array.dtype.itemsize
        if spec and isinstance(spec[-1], (MPI.Datatype, str)):
            self._check_datatype(spec.pop(), itemsize)
        offsets = None
        if len(spec) == 1 and self._is_pair(spec[0], simple=not equal):
            spec = list(spec[0])
        if len(spec) == 2:
            offsets = spec.pop()
        if len(spec) > 1:
            raise TypeError(
                "expected [array, counts], [array, (counts, offsets)], or "
                "[array, counts, offsets, datatype]"
            )
        counts = spec[0] if spec else None
        if counts is None:
            counts = self._equal(size) if equal else [self.array.size]
        elif isinstance(counts, (int, np.integer)):
            counts = [int(counts)] * size
        if offsets is None:
            # Sums of Python integers do not overflow, so that they can be
            # checked.
            offsets = [0, *itertools.accumulate(map(int, counts))][:-1]
        elif isinstance(offsets, (int, np.integer)):  # distance of parts
            parts = range(size) if equal else [1]
            offsets = [int(offsets) * part for part in parts]
        for what, numbers in (("counts", counts), ("offsets", offsets)):
            if len(numbers) != size:
                raise ValueError(
                    f"{len(numbers)} {what} were given for {size} ranks"
                )
        self.counts = [int(n) * itemsize for n in counts]
        self.offsets = [int(n) * itemsize for n in offsets]
        self._check()

    @staticmethod
    def _is_pair(value: Any, *, simple: bool) -> bool:
        """Return whether a value is the pair (counts, offsets) of mpi4py.

        A list of two integers is such a pair if `simple`, which means that
        the buffer has only one part; otherwise it is a list of counts.
        """
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            return False
        return (
            simple
            or isinstance(value, tuple)
            or any(
                isinstance(v, (list, tuple, np.ndarray)) or v is None
                for v in value
            )
        )

    def _check_datatype(self, given: Any, itemsize: int) -> None:
        known = MPI._typedict.get(given) if isinstance(given, str) else given
        if known is None or known.Get_size() != itemsize:
            raise TypeError(
                f"the MPI datatype {given!r} does not fit an array of "
                f"{self.array.dtype}"
            )

    def _equal(self, size: int) -> list[int]:
        if self.array.size % size:
            raise ValueError(
                f"an array of {self.array.size} elements cannot be divided "
                f"equally among {size} ranks"
            )
        return [self.array.size // size] * size

    def _check(self) -> None:
        nbytes = self.array.nbytes
        for count, offset in zip(self.counts, self.offsets, strict=True):
            if count < 0 or offset < 0 or offset + count > nbytes:
                item = self.array.dtype.itemsize
                raise ValueError(
                    f"{count // item} elements at offset {offset // item} are "
                    f"outside of an array of {nbytes // item} elements"
                )

    def only(self, rank: int) -> Parts:
        """Return the part of one rank."""
        made = copy.copy(self)
        made.counts = [self.counts[rank]]
        made.offsets = [self.offsets[rank]]
        return made

    def copy(self) -> Parts:
        """Return the same parts of a copy of the array."""
        made = copy.copy(self)
        made.array = self.array.copy()
        return made
