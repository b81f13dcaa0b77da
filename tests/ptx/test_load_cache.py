"""The disk cache of modules in PTX: hits, damaged and untrusted files."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from ptx_modules import MODULES

pytestmark = pytest.mark.cpu

PROGRAM = """
import sys

import numpy as np

import pycuda.autoinit
import pycuda.driver as drv

out = np.zeros(64, dtype=np.uint32)
for text in sys.argv[1:]:
    kernel = drv.module_from_file(text).get_function("k")
    kernel(drv.InOut(out), block=(32, 1, 1))
print(out[:4].tolist())
"""


class Runner:
    """Runs a program that loads PTX, with a cache and a compiler of its own.

    The compiler is a script that appends a line to a log and calls
    pycuda-jit.
    """

    def __init__(self, folder: Path):
        self.cache = folder / "cache"
        self.cache.mkdir(mode=0o700)
        self.log = folder / "log"
        self.text = folder / "k.ptx"
        self.text.write_text(MODULES["index"].text)
        installed = Path(
            sysconfig.get_path("platlib"), "pycuda/bin/pycuda-jit"
        )
        real = os.environ.get("PYCUDA_JIT") or installed
        self.jit = folder / "jit"
        self.jit.write_text(
            f'#!/bin/sh\necho >>{self.log}\nexec {real} "$@"\n'
        )
        self.jit.chmod(0o700)

    def compilations(self, **variables: str) -> int:
        """Run the program; return how many times it compiled PTX."""
        self.log.write_text("")
        done = subprocess.run(
            [sys.executable, "-P", "-W", "ignore", "-c", PROGRAM, self.text],
            env=os.environ
            | {"PYCUDA_DEVICE": "cpu", "PYCUDA_CACHE_DIR": str(self.cache)}
            | {"PYCUDA_JIT": str(self.jit)}
            | variables,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.stdout == "[0, 1, 2, 3]\n", done.stderr
        return len(self.log.read_text().splitlines())

    def image(self) -> Path:
        """Return the path of the cache's only file."""
        (path,) = (p for p in self.cache.rglob("*") if p.is_file())
        return path


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_a_hit_starts_no_compiler(runner):
    assert runner.compilations() == 1
    assert runner.compilations() == 0


def test_another_text_or_target_is_a_miss(runner):
    assert runner.compilations() == 1
    assert runner.compilations(PYCUDA_CPU_CHECK="memory") == 1
    assert runner.compilations(PYCUDA_CPU_REGIONS="0") == 1
    runner.text.write_text("// another\n" + runner.text.read_text())
    assert runner.compilations() == 1
    assert runner.compilations() == 0


def test_no_cache(runner):
    for _ in range(2):
        assert runner.compilations(PYCUDA_DISABLE_CACHE="1") == 1


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def share(path: Path) -> None:
    path.chmod(0o666)


@pytest.mark.parametrize("change", [cut, flip, share])
def test_a_changed_file_is_a_miss(runner, change: Callable[[Path], None]):
    assert runner.compilations() == 1
    change(runner.image())
    assert runner.compilations() == 1
    assert runner.compilations() == 0
