"""Checks and `explain` on modules in PTX, with the lines of .loc."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ptx_modules import HEAD

from pycuda.cpu._explain import CompileError, explain

LOC = '.file 1 "/programs/mine.py"\n'
KERNEL = """
.visible .entry k(.param .u64 out)
{
    .reg .u64 %out, %at;
    .reg .b32 %t;
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %at, %t, 4;
    add.u64 %at, %at, %out;
    LOC
    st.global.u32 [%at], %t;
    bar.sync 0;
    ret;
}
"""
PROGRAM = """
import sys

import pycuda.autoinit
import pycuda.driver as drv

kernel = drv.module_from_file(sys.argv[1]).get_function("k")
try:
    kernel(drv.mem_alloc(64), block=(17, 1, 1))
    drv.Context.synchronize()
except drv.LogicError as error:
    print(error)
"""


def written(folder: Path, with_loc: bool) -> Path:
    """Write the module; return its path."""
    path = folder / "k.ptx"
    loc = ".loc 1 77 3" if with_loc else ""
    text = HEAD + LOC * with_loc + KERNEL.replace("LOC", loc)
    path.write_text("// a comment\n" + text)
    return path


@pytest.mark.cpu
@pytest.mark.parametrize("with_loc", [True, False])
def test_a_check_reports_the_line(tmp_path: Path, with_loc):
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, written(tmp_path, with_loc)],
        env=os.environ
        | {"PYCUDA_CPU_CHECK": "memory", "PYCUDA_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    line = "/programs/mine.py:77:3: " if with_loc else "ptx:15:1: "
    assert f"{line}memory: write of 4 bytes" in done.stdout
    assert "thread (16,0,0)" in done.stdout


OVERRUN = """
.visible .entry k(.param .u64 out)
{
    .reg .bBITS %at, %offset;
    .reg .u32 %t;
    .shared .align 4 .b8 first[64];
    .shared .align 4 .b8 second[4096];
    mov.u32 %t, %tid.x;
    cvt.uBITS.u32 %offset, %t;
    mul.lo.uBITS %offset, %offset, 4;
    mov.uBITS %at, second;
    add.uBITS %at, %at, %offset;
    st.shared.u32 [%at], %t;
    mov.uBITS %at, first;
    ADD
    st.shared.u32 [%at-4], %t;
    ret;
}
"""
SUMS = [
    "add.uBITS %at, %offset, %at;",
    "add.uBITS %at, %at, 8; sub.uBITS %at, %at, 8;"
    " add.uBITS %at, %at, %offset;",
    # a loop that moves the address by the offset
    "mov.u32 %t, 0; more: add.uBITS %at, %at, %offset; add.u32 %t, %t, 1;"
    " .reg .pred %p; setp.lt.u32 %p, %t, 1; @%p bra more;",
]


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("bits", "add"), [(32, 0), (32, 1), (64, 0), (64, 1), (64, 2)]
)
def test_a_check_knows_shared_variables(tmp_path: Path, bits, add):
    path = tmp_path / "k.ptx"
    text = OVERRUN.replace("ADD", SUMS[add]).replace("BITS", str(bits))
    path.write_text(HEAD + text)
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, path],
        env=os.environ
        | {"PYCUDA_CPU_CHECK": "memory", "PYCUDA_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "the shared variable 'first' of 64 bytes" in done.stdout


@pytest.mark.cpu
def test_explain(tmp_path: Path):
    (kernel,) = explain(written(tmp_path, True))["kernels"]
    assert kernel["name"] == "k"
    assert kernel["level"] == "regions"
    assert kernel["parameter_bytes"] == 8


@pytest.mark.cpu
def test_explain_of_an_error(tmp_path: Path):
    path = written(tmp_path, False)
    path.write_text(path.read_text().replace("bar.sync", "bar.nothing"))
    with pytest.raises(CompileError, match="ptx:16: error"):
        explain(path)
