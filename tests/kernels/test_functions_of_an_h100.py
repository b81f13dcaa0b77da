"""997 CUDA functions give an H100's results on fixed operands.

Integer functions, conversions, rounding and half-precision arithmetic give the
same bytes; mathematical functions are within CUDA's bounds. The H100's results
were written by ``python tools/oracle evaluate`` and shortened by its option
``--pack``.
"""

# SPDX-License-Identifier: MIT

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "kernels" / "data" / "functions_h100.txt.xz"


@pytest.fixture(scope="module")
def evaluate():
    """Load the module `evaluate` of tools/oracle."""
    path = str(ROOT / "tools" / "oracle")
    sys.path.insert(0, path)
    try:
        return importlib.import_module("evaluate")
    finally:
        sys.path.remove(path)


@pytest.fixture(scope="module")
def expected(evaluate):
    """Load the H100's results."""
    return evaluate.unpack(DATA)


@pytest.mark.parametrize("batch", range(17))
@pytest.mark.filterwarnings("ignore:(?s).*compiler succeeded, but said")
def test_functions(context, evaluate, expected, batch):
    rows = evaluate.read()[batch * evaluate.BATCH :][: evaluate.BATCH]
    found = evaluate.run(rows)
    wrong = {
        key: evaluate.wrong(row, found[key], expected[key])
        for row in rows
        for key in [evaluate.key_of(row)]
    }
    assert not {key: count for key, count in wrong.items() if count}


def test_every_function_is_in_a_batch(evaluate, expected):
    assert len(expected) == len(evaluate.read()) <= 17 * evaluate.BATCH


@pytest.mark.parametrize(
    "row",
    [
        ("__clz", "int", ("int",)),
        ("llrint", "long long", ("double",)),
        ("sinf", "float", ("float",)),
        ("__sinf", "float", ("float",)),
        ("htanh_approx", "__half", ("__half",)),
    ],
)
def test_a_wrong_result_is_found(evaluate, row):
    right = np.arange(1, evaluate.COUNT + 1).astype(evaluate.DTYPES[row[1]])
    wrong = right.copy()
    wrong[::4] += 64
    units = evaluate.distances(*(x.view("u1") for x in (wrong, right)), row[1])
    assert evaluate.beyond(row, *units) > 0
