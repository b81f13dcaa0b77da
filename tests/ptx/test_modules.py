"""Modules in PTX that were written by hand, on the CPU device or a GPU."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from ptx_modules import MODULES, Module

import pycuda.driver as drv

PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")


def run(module: Module) -> list[int]:
    """Load the module, launch its kernel, and return the words."""
    loaded = drv.module_from_buffer(module.text.encode())
    out = np.zeros(64, dtype=np.uint32)
    loaded.get_function("k")(
        drv.InOut(out),
        *module.arguments,
        block=(module.threads, 1, 1),
        shared=module.shared,
    )
    assert not out[len(module.words) :].any()
    return out[: len(module.words)].tolist()


@pytest.mark.parametrize("name", MODULES)
def test_module(name, context):
    assert run(MODULES[name]) == MODULES[name].words


@pytest.mark.skipif(PTXAS is None, reason="needs ptxas")
@pytest.mark.parametrize("name", MODULES)
def test_module_is_valid(name, tmp_path: Path):
    path = tmp_path / "k.ptx"
    path.write_text(MODULES[name].text)
    done = subprocess.run(
        [PTXAS, "-arch=sm_80", "-c", path, "-o", tmp_path / "k.cubin"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
