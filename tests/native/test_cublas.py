"""Products through cuBLAS, tested with a library of the same functions.

``cublas/fake.c`` checks and records its arguments and multiplies in plain
loops; ``cublas_products.py`` runs in a separate process.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.no_sanitizer,
    pytest.mark.skipif(
        shutil.which("cc") is None, reason="no C compiler: apt install gcc"
    ),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    """Build the library."""
    built = tmp_path_factory.mktemp("cublas") / "libcublas.so"
    command = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    command += [f"-I{ROOT}/src", str(HERE / "cublas/fake.c")]
    subprocess.run([*command, "-o", str(built), "-ldl"], check=True)
    return built


def run(arguments: list[str], said: str, **settings: str) -> None:
    """Run a Python process that must succeed and print `said`."""
    import pycuda

    inside = Path(pycuda.__file__).parent / "lib/libpycuda_cpu.so"
    env = os.environ | settings
    env["FAKE_DRIVER"] = env.get("PYCUDA_CPU_LIBRARY", str(inside))
    done = subprocess.run(
        [sys.executable, *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert said in done.stdout


@pytest.mark.sweep(most=4)
@pytest.mark.parametrize(
    "check",
    ["dtypes", "small", "layouts", "batches", "streams", "repeated",
     "first_in_capture", "contexts"],
)  # fmt: skip
def test_products(check: str, library: Path) -> None:
    """Results are right, and computed by the expected call."""
    program = str(HERE / "cublas_products.py")
    run([program, check], check, PYCUDA_CUBLAS=str(library))


@pytest.mark.parametrize(
    ("check", "settings"),
    [
        ("unsupported", {"FAKE_STATUS": "15"}),
        ("failure", {"FAKE_STATUS": "13"}),
        ("no_memory", {"FAKE_CREATE_STATUS": "3"}),
        ("off", {"PYCUDA_CUBLAS": "0"}),
        ("damaged", {"PYCUDA_CUBLAS": __file__}),
        ("damaged", {"PYCUDA_CUBLAS": "/nowhere/libcublas.so"}),
    ],
)
def test_without(check: str, settings: dict, library: Path) -> None:
    """cuBLAS fails or does not exist."""
    program = str(HERE / "cublas_products.py")
    run([program, check], check, **{"PYCUDA_CUBLAS": str(library)} | settings)


def test_a_library_without_its_functions(tmp_path: Path) -> None:
    """A library that lacks functions is rejected as a whole."""
    source, built = tmp_path / "none.c", tmp_path / "libcublas.so"
    source.write_text("int cublasCreate_v2(void **h) { return h == 0; }\n")
    command = ["cc", "-shared", "-fPIC", str(source), "-o", str(built)]
    subprocess.run(command, check=True)
    program = str(HERE / "cublas_products.py")
    run([program, "damaged"], "damaged", PYCUDA_CUBLAS=str(built))


@pytest.mark.slow
def test_products_of_arrays(library: Path) -> None:
    """All tests of products, with the library."""
    tests = ROOT / "tests/array/test_products.py"
    command = ["-P", "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider"]
    run(
        [*command, str(tests), "-k", "cuBLAS"],
        "passed",
        PYCUDA_CUBLAS=str(library),
    )
