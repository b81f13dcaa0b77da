"""Accesses of a loop that are checked as one row for all iterations.

The image shows it: it imports the runtime's row checks, or does not. It also
shows which accesses need no check at all.
"""

# SPDX-License-Identifier: MIT

import pytest

from pycuda.compiler import compile
from pycuda.cpu._explain import code

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


LONG = """
    a[i] = b[i] * c[i] + x[i] * y[i];
    b[i] = y[i] / c[i] - x[i] * (c[i] + 1);
    if (n > 100) x[i] = 3;
"""


@pytest.mark.no_sanitizer
def test_long_loops_without_checks_are_vectors(monkeypatch, tmp_path):
    monkeypatch.setenv("PYCUDA_CPU_CHECK", "memory")
    path = tmp_path / "long.cu"
    source = KERNEL.format(body=LONG)
    path.write_text(source.replace("k(", "k(float *a, float *b, float *c, "))
    assert "vector.body" in code(path, "ir")


def image(source, checks, patch):
    """Return a kernel's image, compiled with checks, as bytes."""
    patch.setenv("PYCUDA_CPU_CHECK", checks)
    return compile(source, cache_dir=False)


WARP = "__syncwarp();"


@pytest.mark.parametrize(("after", "told"), [("", False), (WARP, True)])
def test_threads_that_do_not_wait_tell_no_place(after, told, monkeypatch):
    source = (
        "__global__ void k(float *x, int n)"
        f"{{ int i = threadIdx.x; if (i >= n) return; x[i] = 1; {after} }}"
    )
    made = image(source, "sync", monkeypatch)
    assert (b"__pycuda_check_at" in made) is told


@pytest.mark.parametrize(("index", "looked_at"), [("0", False), ("n", True)])
def test_what_is_surely_inside_is_not_looked_at(index, looked_at, monkeypatch):
    source = (
        "__global__ void k(int n)"
        f"{{ __shared__ volatile int s[2]; s[{index}] = 1; }}"
    )
    made = image(source, "memory", monkeypatch)
    assert (b"__pycuda_check\0" in made) is looked_at
