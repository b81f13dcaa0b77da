"""NumPy's functions on made-up arrays, many at a time.

As `test_fuzz.py`; the cases are those of `fuzzing_functions.py`.
"""

# SPDX-License-Identifier: MIT

import os

import fuzzing
import fuzzing_functions
import numpy as np
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("context")]

CASES = int(os.environ.get("PYCUDA_FUZZ_CASES", "3000"))
FIRST = int(os.environ.get("PYCUDA_FUZZ_FIRST", "0"))
A_TEST = 1000


@pytest.mark.parametrize("first", range(FIRST, FIRST + CASES, A_TEST))
@pytest.mark.timeout(1800)
def test_made_up_calls(first):
    wrong = []
    for seed in range(first, min(first + A_TEST, FIRST + CASES)):
        try:
            fuzzing_functions.check(seed)
        except fuzzing.Difference as error:
            wrong.append(str(error))
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])


def test_differences_are_seen(monkeypatch):
    """A device that forgets a sign is found out."""
    right = fuzzing.gpuarray.to_gpu
    monkeypatch.setattr(
        fuzzing.gpuarray, "to_gpu", lambda host: right(np.abs(host))
    )
    with pytest.raises(fuzzing.Difference, match=r"case \d+"):
        for seed in range(50):
            fuzzing_functions.check(seed)
