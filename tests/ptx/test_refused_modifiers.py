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
    "atom.global.min.add.u32 r0, [d1], r2",
    "atom.global.add.max.u32 r0, [d1], r2",
    "red.global.and.or.b32 [d1], r2",
    "redux.sync.add.min.u32 r0, r1, -1",
]

# Forms that ptxas does not have.
FORMS = [
    "cvt.rn.satfinite.f32.f64 r0, d1",
    "bar.red.popc.and.u32 r0, 0, p1",
    "mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32"
    " {r0, r1, r2, r3}, {r4, r5}, {r6}, {r0, r1, r2, r3}",
    "mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32"
    " {r0, r1, r2, r3}, {r4, r5}, {r6}, {r0, r1, r2, r3}",
    "mma.sync.aligned.m16n8k8.f32.f16.f16.f32"
    " {r0, r1, r2, r3}, {r4, r5}, {r6}, {r0, r1, r2, r3}",
    "wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32"
    " {r0, r1}, {r2}, {r3}, {r4, r5}",
    "add.u64 d0, global_variable[4], 4",
    "atom.global.add.u32 r0, global_variable[4], 3",
    "mov.u64 d0, d1[4]",
    "mov.u32 r0, %pmx",
    "mov.u32 r0, %pm8",
    "mov.u32 r0, %envreg32",
]


def message_of(text: str) -> str:
    """Translate a module with the statement; return the error."""
    module, _ = module_of([text])
    done = subprocess.run(
        [JIT, "--kind=bitcode"],
        input=module.encode(),
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 1
    return done.stderr.decode()


@pytest.mark.parametrize("text", STATEMENTS)
def test_errors(text: str) -> None:
    name = re.split(r"\W", text)[0]
    assert re.search(
        f"'{name}' (has too many types|exclude each)", message_of(text)
    )


@pytest.mark.parametrize("text", FORMS)
def test_forms_that_do_not_exist(text: str) -> None:
    name = re.split(r"\W", text)[0]
    assert re.search(rf"\b{name}\b|%", message_of(text))
