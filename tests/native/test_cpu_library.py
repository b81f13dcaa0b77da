"""The CPU device as a library of C programs: header, pkg-config, example."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
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
