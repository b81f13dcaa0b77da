"""Input and output of the compiler's child processes that are cut off."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pycuda.driver as drv
from pycuda import cpu
from pycuda.compiler import compile

pytestmark = pytest.mark.cpu

SOURCE = "__global__ void k(int *a) { *a = 1; }"
# More than a socket's buffer holds, so that the rest cannot be sent.
LARGE = "// padding " + 4_000_000 * "x" + "\n" + SOURCE

Tool = Callable[[str], Path]


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    """Writes a shell script and returns its path."""

    def write(text: str) -> Path:
        path = tmp_path / "tool"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o700)
        return path

    return write


def jit() -> Path:
    """The real pycuda-jit."""
    given = os.environ.get("PYCUDA_JIT")
    return Path(given or cpu.library().parents[1] / "bin" / "pycuda-jit")


# Text of a pycuda-jit, in which JIT is the real one and IMAGE a correct image,
# and words of the message.
CUT_OFF = {
    "input not read": ("cat IMAGE", "did not read all of its input"),
    "output cut off": (
        'JIT "$@" > IMAGE.new; head -c 1000 IMAGE.new',
        "1000 bytes that are no complete image",
    ),
    "output too long": (
        'JIT "$@"; echo more',
        "bytes that are no complete image",
    ),
    "early failure": ("echo broken input >&2; exit 3", "broken input"),
}


@pytest.mark.parametrize("name", CUT_OFF)
def test_compilation_whose_transfer_is_cut_off(
    name: str, tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, message = CUT_OFF[name]
    image = tmp_path / "image"
    image.write_bytes(compile(SOURCE))
    text = text.replace("JIT", str(jit())).replace("IMAGE", str(image))
    monkeypatch.setenv("PYCUDA_JIT", str(tool(text)))
    with pytest.raises(drv.CompileError, match=message):
        compile(SOURCE, cache_dir=False)


@pytest.mark.parametrize("name", CUT_OFF)
def test_loading_whose_transfer_is_cut_off(
    name: str,
    tool: Tool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    context: Any,
) -> None:
    """PTX is compiled by pycuda-jit when it is loaded."""
    text, message = CUT_OFF[name]
    image = tmp_path / "image"
    image.write_bytes(compile(SOURCE))
    ptx = compile(SOURCE, target="ptx")
    text = text.replace("JIT", str(jit())).replace("IMAGE", str(image))
    monkeypatch.setenv("PYCUDA_JIT", str(tool(text)))
    with pytest.raises(drv.Error, match=message):
        drv.module_from_buffer(ptx)


PROGRAM = """
import sys
import pycuda.driver as drv
from pycuda.compiler import compile
try:
    compile(sys.stdin.read(), cache_dir=False)
except drv.CompileError as error:
    print(error)
else:
    print("accepted")
"""

# Text of a front end that has answered `--version`, and words of the message.
FRONT_ENDS = {
    "input not read": ("echo bitcode", "did not read all of its input"),
    "closed early": ("exec 0<&-; sleep 0.1", "did not read all of its input"),
    "early failure": ("echo 'k:1: error: mine' >&2; exit 1", "error: mine"),
}


@pytest.mark.parametrize("source", [SOURCE, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("name", FRONT_ENDS)
def test_front_end_that_does_not_read_its_input(
    name: str, source: str, tool: Tool, tmp_path: Path
) -> None:
    text, message = FRONT_ENDS[name]
    clang = tool(
        'case "$*" in *--version) echo clang version 19.1.7; exit;; esac\n'
        'case "$*" in *-emit-pch*) cat >/dev/null; exit 1;; esac\n' + text
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-P", "-c", PROGRAM],
        input=source,
        env={
            **os.environ,
            "PYCUDA_DEVICE": "cpu",
            "PYCUDA_CLANG": str(clang),
            "PYCUDA_CACHE_DIR": str(tmp_path / "cache"),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert message in done.stdout


def test_shown_code_that_cannot_be_written() -> None:
    bitcode = compile(SOURCE, options=["-rdc=true"])
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [str(jit()), "--show=ir"],
            input=bitcode,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert b"cannot write the output: No space left" in done.stderr


REAPED = {
    "SIGCHLD is ignored": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "waitpid(-1)": "threading.Thread(target=reap, daemon=True).start()",
}
REAPED_PROGRAM = """
import os, signal, sys, threading, time
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import compile
import numpy as np

def reap():
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            time.sleep(0.001)

REAP
source = "__global__ void k(int *a) { *a = 7; }"
module = drv.module_from_buffer(compile(source))
out = np.zeros(1, np.int32)
module.get_function("k")(drv.Out(out), block=(1, 1, 1))
assert out[0] == 7
try:
    compile("__global__ void k(int *a) { *a = x; }")
except drv.CompileError as error:
    assert "undeclared identifier 'x'" in str(error), error
else:
    raise AssertionError("accepted")
os.environ["PYCUDA_JIT"] = sys.argv[1]
try:
    compile(source + "// other")
except drv.CompileError as error:
    print(error)
"""


@pytest.mark.parametrize("name", REAPED)
def test_children_that_others_have_waited_for(
    name: str, tool: Tool, tmp_path: Path
) -> None:
    """Their exit status is unknown."""
    killed = tool(f'{jit()} "$@" | head -c 1000; kill -9 $$')
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            REAPED_PROGRAM.replace("\nREAP\n", f"\n{REAPED[name]}\n"),
        ]
        + [str(killed)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd="/",
        env={**os.environ, "PYCUDA_CACHE_DIR": str(tmp_path / "cache")},
    )
    assert done.returncode == 0, done.stderr
    if name == "SIGCHLD is ignored":
        assert "no complete image" in done.stdout
        assert not list(tmp_path.rglob("*.pch"))
    else:  # a race: the status may be known
        assert re.search("no complete image|signal 9", done.stdout)
