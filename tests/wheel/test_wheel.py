"""Both wheels, installed with the extra ``cpu``, without a compiler."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import pycuda

ROOT = Path(__file__).parents[2]
TUTORIALS = [
    path
    for path in sorted((ROOT / "examples").glob("*.py"))
    if path.stem != "tutorial_mpi"
]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.cpu,
    pytest.mark.no_sanitizer,
    pytest.mark.timeout(900),
]


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """Return the folder of both wheels."""
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, ROOT / "tools" / "wheels", "--out", folder]
    done = subprocess.run(
        [*words, "--python", sys.executable], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-3000:]
    assert done.stdout.count("checked") == 2, done.stdout
    return folder


@pytest.fixture(scope="session")
def extension(wheels):
    (wheel,) = wheels.glob("pycuda_c-*.whl")
    return wheel


@pytest.fixture(scope="session")
def cpu(wheels):
    (wheel,) = wheels.glob("pycuda_c_cpu-*.whl")
    return wheel


@pytest.fixture(scope="session")
def installed(wheels, tmp_path_factory):
    """Runs programs in an environment that contains only the wheels."""
    folder = tmp_path_factory.mktemp("env")
    subprocess.run([sys.executable, "-m", "venv", folder / "v"], check=True)
    python = folder / "v" / "bin" / "python"
    words = [python, "-m", "pip", "install", "-q", "--find-links", wheels]
    got = subprocess.run(
        [*words, "pycuda-c[cpu]"], capture_output=True, text=True
    )
    if got.returncode and "connection" in got.stderr.lower():
        pytest.skip("ziglang cannot be downloaded")
    assert got.returncode == 0, got.stderr[-3000:]
    empty = folder / "empty"
    empty.mkdir()
    env = {
        "PATH": str(empty),
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYCUDA_DEVICE": "cpu",
        "PYTHONWARNINGS": "ignore",
    }

    def run(*words, **more):
        return subprocess.run(
            [python, *words],
            capture_output=True,
            text=True,
            timeout=300,
            cwd=folder,
            env=env | more,
        )

    run.cache = folder / "cache"
    return run


def content(wheel):
    """Return the names in a wheel, after a check of its record and tag."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        record = next(n for n in names if n.endswith("/RECORD"))
        listed = archive.read(record).decode().splitlines()
        meta = archive.read(record.replace("RECORD", "WHEEL")).decode()
    assert {line.rsplit(",", 2)[0] for line in listed} == names
    assert not any(name.startswith(("tests/", "src/")) for name in names)
    platform = re.search(r"-(manylinux_2_28_\w+)\.whl$", wheel.name)
    assert platform and platform[1] in meta
    return names


def test_what_is_inside(extension, cpu):
    python, device = content(extension), content(cpu)
    assert "pycuda/lib/libpycuda_cpu.so" in device
    assert "pycuda/include/pycuda_cpu.h" in device
    assert "pycuda/lib/pkgconfig/pycuda-cpu.pc" in device
    assert any(name.startswith("pycuda/cuda/cpu/") for name in device)
    assert not any(name.endswith(".py") for name in device)
    assert any(name.startswith("pycuda/_driver.") for name in python)
    assert {"pycuda/cuda/prelude.h", "pycuda/_driver.pyi"} <= python
    assert not python & device


def test_sizes(extension, cpu):
    assert extension.stat().st_size <= 3_000_000
    assert cpu.stat().st_size <= 20_000_000


def test_glibc(extension, cpu):
    """No library names a symbol of a newer glibc than the tag."""
    for wheel in (extension, cpu):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(".so"):
                    found = re.findall(rb"GLIBC_2\.(\d+)", archive.read(name))
                    assert found and max(map(int, found)) <= 28, name


def test_requirements(extension):
    with zipfile.ZipFile(extension) as archive:
        name = next(n for n in archive.namelist() if n.endswith("/METADATA"))
        lines = archive.read(name).decode().splitlines()
    version = pycuda.VERSION_TEXT
    assert f'Requires-Dist: pycuda-c-cpu=={version}; extra == "cpu"' in lines
    assert f"Version: {version}" in lines
    extras = {x.split()[1] for x in lines if x.startswith("Provides-Extra:")}
    assert extras == {
        "cccl", "cpu", "cu12", "cu13", "jupyter", "mpi", "test"
    }  # fmt: skip


def test_jit_needs_no_library(cpu, tmp_path):
    with zipfile.ZipFile(cpu) as archive:
        mode = archive.getinfo("pycuda/bin/pycuda-jit").external_attr >> 16
        path = archive.extract("pycuda/bin/pycuda-jit", tmp_path)
    assert mode & 0o111, "pycuda-jit cannot be run"
    assert b"/lib64/ld-linux" not in Path(path).read_bytes()[:4096]


def test_the_doctor_finds_everything(installed):
    done = installed("-m", "pycuda", "doctor", "--json")
    assert done.returncode == 0, done.stdout
    checks = {c["name"]: c for c in json.loads(done.stdout)["checks"]}
    data = checks["distributions"]["data"]
    assert data["pycuda-c"] == data["pycuda-c-cpu"] == pycuda.VERSION_TEXT
    assert data["replaced_files"] == []


@pytest.mark.parametrize("program", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(installed, program):
    done = installed(str(program))
    assert done.returncode == 0, done.stderr[-3000:]
    if program.stem.startswith("tutorial"):
        assert done.stdout.splitlines()[-1] == "Success"


NUMPY = Path(__file__).with_name("numpy_program.py")


def test_the_newest_numpy(installed):
    done = installed(str(NUMPY), "2.")
    assert done.stdout == "Success\n", done.stderr[-3000:]


@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="NumPy 1.26 has no wheel for it"
)
def test_numpy_1_26(installed, tmp_path):
    """The wheel is compiled against NumPy 2."""
    words = [sys.executable, "-m", "pip", "install", "-q", "--target"]
    words += [tmp_path / "numpy", "numpy==1.26.*"]
    got = subprocess.run(words, capture_output=True, text=True)
    if got.returncode and "connection" in got.stderr.lower():
        pytest.skip("NumPy 1.26 cannot be downloaded")
    assert got.returncode == 0, got.stderr[-3000:]
    done = installed(str(NUMPY), "1.26", PYTHONPATH=str(tmp_path / "numpy"))
    assert done.stdout == "Success\n", done.stderr[-3000:]


LATENCY = """
import time
import pycuda, pycuda.autoinit
from pycuda.compiler import compile
assert "site-packages" in pycuda.__file__
times = []
for i in range(6):
    start = time.perf_counter()
    compile("__global__ void k(float *a) { a[%d] = 1; }" % i, cache_dir=False)
    times.append(time.perf_counter() - start)
print(times[0], min(times[1:]))
"""


def test_headers_are_precompiled(installed):
    cold = installed("-c", LATENCY, XDG_CACHE_HOME=str(installed.cache / "2"))
    assert cold.returncode == 0, cold.stderr[-3000:]
    first, later = map(float, cold.stdout.split())
    assert list((installed.cache / "2").rglob("*.pch"))
    assert later < first
    assert later < 0.5  # 0.04 s on an idle machine


def test_without_the_extra_the_message_says_what_to_install(installed):
    program = (
        "import sys, pycuda.autoinit\n"
        "from pycuda.compiler import compile\n"
        "compile('__global__ void k() {}', cache_dir=False)\n"
    )
    done = installed(
        "-c", program, PYCUDA_CLANG="/nowhere/clang", PYCUDA_ZIGLANG="/nowhere"
    )
    assert done.returncode != 0
    assert "clang" in done.stderr and "/nowhere" in done.stderr


def test_explain_and_stub_dir(installed, tmp_path):
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(int *p) { p[threadIdx.x] = 1; }\n")
    done = installed("-m", "pycuda.cpu", "explain", str(source))
    assert "loop: one loop" in done.stdout, done.stderr
    folder = installed("-m", "pycuda.cpu", "--stub-dir").stdout.strip()
    assert os.path.exists(os.path.join(folder, "libcuda.so.1"))
