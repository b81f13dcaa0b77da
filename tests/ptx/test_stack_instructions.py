"""alloca, stacksave and stackrestore of PTX: memory of each thread's stack."""

# SPDX-License-Identifier: MIT

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from test_refused_modifiers import message_of

import pycuda.driver as drv

HEAD = ".version 7.3\n.target sm_70\n.address_size 64\n"

# Thread t fills an array of t + a words with t, t + 1, ...; after BETWEEN, it
# adds them up and stores the sum.
SUMS = (
    HEAD
    + """
.visible .entry k(.param .u64 out, .param .u32 a)
{
    .reg .pred p; .reg .b32 t, n, i, x, s; .reg .b64 d, m, q, e, saved;
    ld.param.u64 d, [out]; ld.param.u32 n, [a]; mov.u32 t, %tid.x;
    mul.wide.u32 q, t, 4; add.u64 d, d, q; add.u32 n, n, t;
    mul.wide.u32 q, n, 4;
    BEFORE
    alloca.u64 m, q, 64;
    mov.u32 i, 0; mov.u64 q, m;
FILL:
    add.u32 x, i, t; st.local.u32 [q], x; add.u64 q, q, 4;
    add.u32 i, i, 1; setp.lt.u32 p, i, n; @p bra FILL;
    BETWEEN
    mov.u32 s, 0; mov.u64 q, m;
SUM:
    ld.local.u32 x, [q]; add.u32 s, s, x; add.u64 q, q, 4;
    sub.u32 i, i, 1; setp.ne.u32 p, i, 0; @p bra SUM;
    and.b64 e, m, 63; cvt.u32.u64 x, e; add.u32 s, s, x;
    st.global.u32 [d], s;
    ret;
}
"""
)

# A function that allocates at each depth of its recursion.
RECURSION = (
    HEAD
    + """
.func (.reg .b32 r) depth(.reg .b32 n)
{
    .reg .pred p; .reg .b32 x, y; .reg .b64 m, q;
    setp.eq.u32 p, n, 0; mov.u32 r, 0; @p ret;
    mul.wide.u32 q, n, 8; alloca.u64 m, q;
    st.local.u32 [m], n; sub.u32 x, n, 1; call (y), depth, (x);
    ld.local.u32 x, [m]; add.u32 r, x, y; ret;
}
.visible .entry k(.param .u64 out, .param .u32 a)
{
    .reg .b32 t, r; .reg .b64 d, q;
    ld.param.u64 d, [out]; mov.u32 t, %tid.x; mul.wide.u32 q, t, 4;
    add.u64 d, d, q; ld.param.u32 r, [a]; add.u32 t, t, r;
    call (r), depth, (t); st.global.u32 [d], r; ret;
}
"""
)

# A loop that would need 2 GiB of stack if it did not restore the stack.
RESTORED = (
    HEAD
    + """
.visible .entry k(.param .u64 out, .param .u32 a)
{
    .reg .pred p; .reg .b32 t, i, x, s; .reg .b64 d, m, q, saved;
    ld.param.u64 d, [out]; mov.u32 t, %tid.x; mul.wide.u32 q, t, 4;
    add.u64 d, d, q; ld.param.u32 i, [a]; mul.lo.u32 i, i, 65536;
    mov.u32 s, 0;
LOOP:
    stacksave.u64 saved; alloca.u64 m, 16384; st.local.u32 [m+16380], t;
    ld.local.u32 x, [m+16380]; add.u32 s, s, x; stackrestore.u64 saved;
    sub.u32 i, i, 1; setp.ne.u32 p, i, 0; @p bra LOOP;
    st.global.u32 [d], s; ret;
}
"""
)


@pytest.fixture
def large_stack(context: Any) -> Iterator[None]:
    """Give each thread 64 KiB; GPUs give it less by default."""
    before = drv.Context.get_limit(drv.limit.STACK_SIZE)
    drv.Context.set_limit(drv.limit.STACK_SIZE, 1 << 16)
    yield
    drv.Context.set_limit(drv.limit.STACK_SIZE, before)


def run(text: str, threads: int, argument: int) -> np.ndarray[Any, Any]:
    out = np.zeros(threads, "u4")
    kernel = drv.module_from_buffer(text.encode()).get_function("k")
    kernel(drv.Out(out), np.uint32(argument), block=(threads, 1, 1))
    return out


@pytest.mark.parametrize("between", ["", "bar.sync 0;", "bar.warp.sync -1;"])
@pytest.mark.parametrize("before", ["", "bar.sync 0;"])
@pytest.mark.usefixtures("context")
def test_arrays_of_each_size(before: str, between: str) -> None:
    text = SUMS.replace("BEFORE", before).replace("BETWEEN", between)
    want = [sum(range(t, 2 * t + 3)) for t in range(64)]
    assert run(text, 64, 3).tolist() == want


@pytest.mark.usefixtures("large_stack")
def test_recursion() -> None:
    want = [(t + 9) * (t + 10) // 2 for t in range(32)]
    assert run(RECURSION, 32, 9).tolist() == want


@pytest.mark.usefixtures("large_stack")
def test_restored_stack() -> None:
    assert run(RESTORED, 2, 2).tolist() == [0, 2 * 65536]


@pytest.mark.cpu
@pytest.mark.parametrize("words", [10**7, 2**30, 2**32 - 64])
def test_array_that_exceeds_the_stack(words: int) -> None:
    text = SUMS.replace("BEFORE", "").replace("BETWEEN", "")
    drv.init()
    context = drv.Device(0).make_context()
    try:
        with pytest.raises(drv.Error, match="stack error"):
            run(text, 1, words)
    finally:
        context.pop()
        context.detach()


@pytest.mark.cpu
@pytest.mark.parametrize(
    "text",
    [
        "alloca.u64 d0, d1, 3",
        "alloca.u64 d0, d1, 0",
        "alloca.u64 d0",
        "alloca.u32 r0, r1",
        "alloca.b64 d0, d1",
        "stacksave.u64 d0, d1",
        "stackrestore.f64 d0",
    ],
)
def test_wrong_form(text: str) -> None:
    assert f"'{text.split('.')[0]}'" in message_of(text)
