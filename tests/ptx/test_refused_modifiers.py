"""Modifiers that exclude each other, and types too many, are errors.

ptxas refuses each of these statements too.
"""

# SPDX-License-Identifier: MIT

import re
import subprocess
from pathlib import Path

import pytest
from isa_forms import module_of
from test_mutations import JIT

pytestmark = pytest.mark.skipif(not Path(JIT).exists(), reason="no pycuda-jit")

STATEMENTS = [
    "add.u32.u32 r0, r1, r2",
    "add.rn.rz.f32 r0, r1, r2",
    "mul.hi.lo.u32 r0, r1, r2",
    "mul.wide.lo.u32 d0, r1, r2",
    "setp.lt.eq.s32 p0, r1, r2",
    "ld.global.v2.v4.u32 {r0, r1}, [d1]",
    "ld.relaxed.gpu.sys.u32 r0, [d1]",
    "ld.relaxed.acquire.gpu.u32 r0, [d1]",
    "ld.global.shared.u32 r0, [d1]",
    "ld.ca.cg.u32 r0, [d1]",
    "shfl.sync.up.down.b32 r0, r1, 1, 0, -1",
    "vote.sync.any.all.pred p0, p1, -1",
    "bfe.u32.s32 r0, r1, 1, 2",
    "fence.cta.u32",
    "vadd.u32.u32.u32.u32 r0, r1, r2",
    "testp.finite.normal.f32 p0, r1",
    "cvt.rn.rz.f32.f64 r0, d1",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_errors(text: str) -> None:
    module, _ = module_of([text])
    done = subprocess.run(
        [JIT, "--kind=bitcode"],
        input=module.encode(),
        capture_output=True,
        timeout=60,
    )
    name = re.split(r"\W", text)[0]
    message = done.stderr.decode()
    assert done.returncode == 1
    assert re.search(f"'{name}' (has too many types|exclude each)", message)
