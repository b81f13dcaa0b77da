"""Turns random cases into tests: many seeds per test, all failures reported.

PYCUDA_FUZZ_CASES sets the number of seeds, PYCUDA_FUZZ_FIRST the first one.
"""

# SPDX-License-Identifier: MIT

import os
from collections.abc import Callable

import fuzzing
import numpy as np
import pytest

A_TEST = 1000


def seeds(typical: int) -> list[range]:
    """Return the seeds of each test; `typical` is the default total count."""
    cases = int(os.environ.get("PYCUDA_FUZZ_CASES", typical))
    first = int(os.environ.get("PYCUDA_FUZZ_FIRST", "0"))
    every = range(first, first + cases)
    return [every[k : k + A_TEST] for k in range(0, cases, A_TEST)]


def passes(check: Callable[[int], None], part: range) -> None:
    """Assert that `check` finds no difference for any seed."""
    wrong = []
    for seed in part:
        try:
            check(seed)
        except fuzzing.Difference as error:
            wrong.append(str(error))
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])


def sees_a_forgotten_sign(check: Callable[[int], None], patch) -> None:
    """Assert that `check` detects a device that drops signs."""
    right = fuzzing.gpuarray.to_gpu
    patch.setattr(fuzzing.gpuarray, "to_gpu", lambda host: right(np.abs(host)))
    with pytest.raises(fuzzing.Difference, match=r"case \d+"):
        for seed in range(50):
            check(seed)
