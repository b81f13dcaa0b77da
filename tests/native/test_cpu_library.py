"""The CPU device as a library of C programs: header, pkg-config, example."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "cpu_library.c"

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.no_sanitizer,
    pytest.mark.skipif(
        not (shutil.which("pkg-config") and shutil.which("gcc")),
        reason="no pkg-config or no gcc",
    ),
]


def _tool(*words):
    return subprocess.run(
        [sys.executable, "-m", "pycuda.cpu", *words],
        capture_output=True,
        text=True,
        cwd="/",
        check=True,
    ).stdout.strip()


def _pkg_config(*words):
    env = dict(os.environ, PKG_CONFIG_PATH=_tool("--pkgconfig-dir"))
    return subprocess.run(
        ["pkg-config", *words, "pycuda-cpu"],
        capture_output=True,
        text=True,
        env=env,
        check=True,
    ).stdout.split()


@pytest.mark.parametrize("language", ["c", "c++"])
def test_example_through_pkg_config(language, tmp_path):
    program = tmp_path / "program"
    words = ["-std=c11"] if language == "c" else ["-fpermissive", "-w"]
    subprocess.run(
        ["gcc", "-x", language, *words, "-Wall", "-Wextra", "-Werror"]
        + [EXAMPLE, "-x", "none", "-o", program]
        + _pkg_config("--cflags", "--libs"),
        check=True,
    )
    env = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run(
        [program], capture_output=True, text=True, env=env, timeout=60
    )
    assert done.stdout == "Success\n", done.stderr


def test_version():
    import pycuda

    year, number = pycuda.VERSION[:2]
    assert _pkg_config("--modversion") == [f"{year}.{number}"]


def test_a_kernel_that_does_not_compile_is_told(tmp_path):
    text = EXAMPLE.read_text().replace("c[i] = a[i]", "c[i] = nothing[i]")
    source = tmp_path / "wrong.c"
    source.write_text(text)
    subprocess.run(
        ["gcc", source, "-o", tmp_path / "wrong"]
        + _pkg_config("--cflags", "--libs"),
        check=True,
    )
    done = subprocess.run(
        [tmp_path / "wrong"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "add.cu:6:" in done.stderr and "nothing" in done.stderr


PRODUCT = r"""
#include <pycuda_cpu.h>
#include <stdio.h>

int main(void)
{
    CUdevice device;
    CUcontext ctx;
    cublasHandle_t handle = NULL;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&ctx, device);
    cuCtxSetCurrent(ctx);
    printf("%d %d\n", (int)cublasCreate(&handle), handle == NULL);
    printf("%d\n", (int)cublasSetStream(handle, NULL));
    return 0;
}
"""


def test_products_without_a_blas(tmp_path):
    """The cuBLAS functions link, and report that there is no BLAS."""
    source = tmp_path / "product.c"
    source.write_text(PRODUCT)
    command = ["gcc", "-Wall", "-Wextra", "-Werror", source]
    command += ["-o", tmp_path / "product"]
    subprocess.run([*command, *_pkg_config("--cflags", "--libs")], check=True)
    done = subprocess.run(
        [tmp_path / "product"], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "15 1\n1\n"


def test_memory_of_no_process_by_the_old_name():
    from pycuda import cpu

    library = ctypes.CDLL(str(cpu.library()))
    pointer, context = ctypes.c_uint64(), ctypes.c_void_p()
    handle = (ctypes.c_char * 64)()
    assert library.cuInit(0) == 0
    assert library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert library.cuCtxPushCurrent_v2(context) == 0
    for name in ("cuIpcOpenMemHandle", "cuIpcOpenMemHandle_v2"):
        call = getattr(library, name)
        assert call(ctypes.byref(pointer), handle, 1) != 0
    assert library.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0
    assert library.cuDevicePrimaryCtxRelease_v2(0) == 0


def test_functions_about_other_processes_need_no_initialization():
    from pycuda import cpu

    program = (
        "import ctypes, sys\n"
        "library = ctypes.CDLL(sys.argv[1])\n"
        "state = ctypes.c_int()\n"
        "call = library.cuCheckpointProcessGetState\n"
        "print(call(1, ctypes.byref(state)), library.cuCtxSynchronize())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(cpu.library())],
        capture_output=True,
        text=True,
    )
    # CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_NOT_INITIALIZED
    assert done.stdout == "801 3\n", done.stderr


@pytest.mark.skipif(
    platform.machine() != "x86_64", reason="names those of x86-64"
)
def test_the_compiler_names_its_targets():
    import pycuda

    jit = Path(pycuda.__file__).parent / "bin" / "pycuda-jit"
    done = subprocess.run([jit, "--nothing"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "unknown option '--nothing'" in done.stderr
    assert "x86-64-v4|x86-64-v3" in done.stderr
    env = os.environ | {"PYCUDA_CPU_TARGET": "z80"}
    done = subprocess.run([jit], capture_output=True, text=True, env=env)
    assert done.returncode == 1
    assert "is 'z80'; it must be " in done.stderr
    assert "x86-64-v4 or x86-64-v3" in done.stderr
