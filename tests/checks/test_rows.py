"""Which accesses of a loop are checked as a row, once for all its rounds.

Seen in the image: it asks the runtime for what looks at rows, or does not.
"""

# SPDX-License-Identifier: MIT

import pytest

from pycuda.compiler import compile

pytestmark = pytest.mark.cpu

KERNEL = """
__global__ void k(float *x, float *y, int n, int m)
{{
    for (int i = 0; i < n; i++) {{
        {body}
    }}
}}
"""
IN_ROWS = [
    "x[i] = 1;",
    "x[3 * i + m] = y[i];",
    "x[n - i] = 1;",
    "if (i < m) x[i] = 1;",
    "if (m <= i) x[i] = 1;",
    "if (m >= i && i != 3) x[i] = 1;",
    "if (!(i > m || i == 7)) x[i] = 1;",
    "if (m > 3) x[i] = 1;",
    "for (int j = 0; j < m; j++) x[m * i + j] = 1;",
    "for (int j = 0; j < m; j++) if (j < i) x[m * i + j] = 1;",
]
ONE_BY_ONE = [
    "x[i * i] = 1;",
    "if (i * i < m) x[i] = 1;",
    "if (x[m] < 3) { x[m] = i; }",
    "if (i < y[m]) { y[m] = i; }",
]


def is_checked_in_rows(body: str, monkeypatch) -> bool:
    monkeypatch.setenv("PYCUDA_CPU_CHECK", "memory,race")
    image = compile(KERNEL.format(body=body), cache_dir=False)
    assert b"__pycuda_check" in image
    return b"__pycuda_check_rows" in image


@pytest.mark.parametrize("body", IN_ROWS)
def test_in_rows(body, monkeypatch):
    assert is_checked_in_rows(body, monkeypatch)


@pytest.mark.parametrize("body", ONE_BY_ONE)
def test_one_by_one(body, monkeypatch):
    assert not is_checked_in_rows(body, monkeypatch)
