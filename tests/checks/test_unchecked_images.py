"""Images compiled without checks, loaded while checks are requested."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.cpu

COMPILE = """
import sys
import pycuda.autoinit
from pycuda.compiler import compile
image = compile("__global__ void k(int *a) { a[threadIdx.x] = 1; }",
                cache_dir=False)
open(sys.argv[1], "wb").write(image)
"""
LOAD = """
import sys
import pycuda.autoinit
import pycuda.driver as drv
for _ in range(2):
    drv.module_from_file(sys.argv[1])
    drv.module_from_buffer(open(sys.argv[1], "rb").read())
"""
# A client that passes no buffer for messages.
RAW = """
import ctypes, sys
import pycuda.autoinit
from pycuda import cpu
library = ctypes.CDLL(str(cpu.library()))
for _ in range(2):
    module = ctypes.c_void_p()
    assert not library.cuModuleLoad(ctypes.byref(module),
                                    sys.argv[1].encode())
"""
WORDS = "an image that was compiled without PYCUDA_CPU_CHECK="


def child(code, path, checks, *options):
    env = {**os.environ, "PYCUDA_DEVICE": "cpu", "PYCUDA_CPU_CHECK": checks}
    if not checks:
        del env["PYCUDA_CPU_CHECK"]
    done = subprocess.run(
        [sys.executable, *options, "-c", code, str(path)],
        env=env, capture_output=True, text=True, timeout=120, cwd="/",
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    for name, checks in (("plain", ""), ("memory", "memory")):
        assert child(COMPILE, folder / name, checks) == (0, "")
    return folder


@pytest.mark.parametrize("code", [LOAD, RAW])
def test_it_is_said_once(images, code):
    status, text = child(code, images / "plain", "memory,race,continue")
    assert status == 0
    assert text.count(WORDS + "memory,race is loaded") == 1
    status, text = child(code, images / "memory", "memory,sync")
    assert status == 0 and text.count(WORDS + "sync is loaded") == 1


@pytest.mark.parametrize("code", [LOAD, RAW])
@pytest.mark.parametrize(
    ("image", "checks"),
    [("plain", ""), ("memory", "memory"),
     ("memory", "memory,continue")],
)  # fmt: skip
def test_nothing_to_say(images, code, image, checks):
    assert child(code, images / image, checks) == (0, "")


def test_it_is_a_warning_of_pythons(images):
    status, text = child(LOAD, images / "plain", "sync", "-Werror")
    assert status == 1 and "UserWarning: " + WORDS + "sync" in text


@pytest.mark.parametrize("checks", ["memory", "race", "init,sync"])
def test_a_checked_image_needs_checks(images, tmp_path, checks):
    path = tmp_path / "checked"
    assert child(COMPILE, path, checks) == (0, "")
    status, said = child(LOAD, path, "")
    assert status == 1 and "no kernel image is available" in said
    names = ",".join(sorted(checks.split(","), reverse=True))
    assert f"compiled with PYCUDA_CPU_CHECK={names} and this" in said
    assert "compile the source again without it" in said
    assert child(LOAD, path, checks) == (0, "")
