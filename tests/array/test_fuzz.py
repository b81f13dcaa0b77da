"""Random array programs against NumPy, many at a time.

The programs are those of `fuzzing.py`, one per seed; PYCUDA_FUZZ_CASES sets
the number of seeds, PYCUDA_FUZZ_FIRST the first one. Hypothesis draws more of
them and shrinks those that fail.
"""

# SPDX-License-Identifier: MIT

import fuzz_runs
import fuzzing
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from layouts import NUMBERS, both, numbers, orders, same, seen, shapes, views
from test_operators import BINARY, check

from pycuda import gpuarray

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("context")]

many = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
dtypes = st.sampled_from(NUMBERS)
# Powers and comparisons of complex numbers have tests of their own.
names = st.sampled_from(sorted(set(BINARY) - {"pow"}))


@pytest.mark.parametrize("part", fuzz_runs.seeds(1000), ids=str)
@pytest.mark.timeout(900)
def test_made_up_programs(part):
    fuzz_runs.passes(fuzzing.check, part)


def test_differences_are_seen(monkeypatch):
    fuzz_runs.sees_a_forgotten_sign(fuzzing.check, monkeypatch)


@many
@given(
    shape=shapes,
    types=st.tuples(dtypes, dtypes),
    order=st.tuples(orders, orders),
    view=views,
    name=names,
    seed=st.integers(0, 1000),
    data=st.data(),
)
@pytest.mark.timeout(900)
def test_operators(shape, types, order, view, name, seed, data):
    if "c" in "".join(types) and name in ("lt", "le", "gt", "ge"):
        name = "add"
    a, ga = both(numbers(shape, types[0], seed), order[0], view)
    lengths = tuple(data.draw(st.sampled_from([n, 1])) for n in a.shape)
    missing = data.draw(st.integers(0, len(lengths)))
    b, gb = both(numbers(lengths[missing:], types[1], seed + 1), order[1])
    if data.draw(st.booleans(), label="swap"):
        a, ga, b, gb = b, gb, a, ga
    check(name, (a, b), (ga, gb), types[0], types[1])


@many
@given(
    shape=shapes,
    dtype=dtypes,
    order=st.tuples(orders, orders),
    views=st.tuples(views, views),
    seed=st.integers(0, 1000),
)
@pytest.mark.timeout(900)
def test_assignments(shape, dtype, order, views, seed):
    """Assignment of a view to a view of another array or the same one."""
    target = np.asarray(numbers(shape, dtype, seed), order=order[0])
    source = np.asarray(numbers(shape, dtype, seed + 1), order=order[1])
    device = gpuarray.to_gpu(target)
    given_ = seen(gpuarray.to_gpu(source), views[1])
    if seen(target, views[0]).shape == seen(source, views[1]).shape:
        seen(target, views[0])[...] = seen(source, views[1])
        seen(device, views[0])[...] = given_
    same(device, target)
    if target.ndim and target.shape[-1] > 1:
        target[..., 1:] = target[..., :-1].copy()
        device[..., 1:] = device[..., :-1]
        same(device, target)
