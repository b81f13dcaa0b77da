"""The cuBLAS interface on the CPU device, implemented by a CBLAS.

``blas/products.c`` checks it without Python, with CBLAS libraries of each
kind: ``blas/fake.c`` in plain loops, with integers of 32 and of 64 bits, and
NumPy's own. ``blas_arrays.py`` runs products of arrays in a separate process.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.skipif(
        shutil.which("cc") is None, reason="no C compiler: apt install gcc"
    ),
]

# name -> (mangling of function names, integers, symbol of a fast BLAS)
FAKES = {
    "OpenBLAS": ("cblas_##name", "int32_t", "openblas_get_config"),
    "OpenBLAS, NumPy's": (
        "scipy_cblas_##name##64_", "int64_t", "scipy_openblas_get_config64_",
    ),
    "OpenBLAS, 64": ("cblas_##name##64_", "int64_t", "openblas_get_config64_"),
    "MKL": ("cblas_##name", "int64_t", "MKL_Get_Version"),
    "BLIS": ("cblas_##name##_64", "int64_t", "bli_info_get_version_str"),
}  # fmt: skip
CC = ["cc", "-g", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/src"]


def library() -> str:
    import pycuda

    inside = Path(pycuda.__file__).parent / "lib/libpycuda_cpu.so"
    return os.environ.get("PYCUDA_CPU_LIBRARY", str(inside))


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    built = tmp_path_factory.mktemp("blas") / "products"
    command = [*CC, str(HERE / "blas/products.c"), "-o", str(built)]
    subprocess.run([*command, "-ldl", "-lm"], check=True)
    return built


def make_fake(folder: Path, name: str, integer: str, mark: str) -> Path:
    built = folder / "libfake.so"
    command = [*CC, "-O1", "-shared", "-fPIC", f"-DNAME(name)={name}"]
    command += [f"-DINT={integer}", f"-DMARK={mark}"]
    command += [str(HERE / "blas/fake.c"), "-o", str(built)]
    subprocess.run(command, check=True)
    return built


def numpys() -> Path:
    """The CBLAS of NumPy's wheel."""
    folder = Path(np.__file__).parents[1] / "numpy.libs"
    found = sorted(folder.glob("libscipy_openblas*"))
    if not found:
        pytest.skip("NumPy has no BLAS beside it")
    return found[0]


def run(arguments: list, said: str, **settings: str) -> None:
    done = subprocess.run(
        [str(argument) for argument in arguments],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"{said}: Success\n"


@pytest.mark.parametrize("kind", FAKES)
def test_fakes(program: Path, tmp_path: Path, kind: str) -> None:
    """The right function for each product, all results, errors, ordering."""
    fake = make_fake(tmp_path, *FAKES[kind])
    run([program, library(), fake], "products")


def test_numpys(program: Path) -> None:
    run([program, library(), numpys()], "products")


def test_nothing_is_taken_that_is_slow(program: Path, tmp_path: Path) -> None:
    """Without a library, and with the reference BLAS, there are no handles."""
    run([program, library()], "products")
    slow = make_fake(tmp_path, "cblas_##name", "int32_t", "reference")
    done = subprocess.run(
        [str(program), library(), str(slow)], capture_output=True, text=True
    )
    assert "cublasCreate(&handle) gave 15" in done.stdout


@pytest.mark.no_sanitizer
def test_not_while_the_checks_watch(program: Path) -> None:
    """The checks would not see the library's reads and writes."""
    settings = {"PYCUDA_CPU_CHECK": "memory"}
    run([program, library(), numpys()], "products", **settings)


@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    ("check", "settings"),
    [
        ("used", {}),
        ("unused", {"PYCUDA_CUBLAS": "0"}),
        ("unused", {"PYCUDA_CPU_CHECK": "memory"}),
        ("order", {}),
        ("freed", {}),
        ("captures", {}),
        ("threads", {}),
        ("forks", {}),
    ],
)
def test_arrays(check: str, settings: dict) -> None:
    """Products of arrays, through NumPy's BLAS."""
    numpys()
    program = HERE / "blas_arrays.py"
    run([sys.executable, "-P", program, check], check, **settings)
