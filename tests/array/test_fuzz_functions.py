"""NumPy's functions on random arrays, many at a time.

The method is that of `test_fuzz.py`, the cases are those of
`fuzzing_functions.py`.
"""

# SPDX-License-Identifier: MIT

import fuzz_runs
import fuzzing_functions
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("context")]


@pytest.mark.parametrize("part", fuzz_runs.seeds(500), ids=str)
@pytest.mark.timeout(1800)
def test_made_up_calls(part):
    fuzz_runs.passes(fuzzing_functions.check, part)


def test_differences_are_seen(monkeypatch):
    fuzz_runs.sees_a_forgotten_sign(fuzzing_functions.check, monkeypatch)
