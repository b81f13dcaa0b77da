"""Loops of PTX that test at their end, as compilers write them.

The device turns them into loops that test first if the first test is known to
hold.  It then runs the iterations of neighbouring threads in vectors.  The
result of every form is that of an interpreter in Python.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from ptx_modules import HEAD

import pycuda.driver as drv
from pycuda.cpu._explain import explain

pytestmark = pytest.mark.usefixtures("context")

THREADS, BLOCKS, SIZE = 32, 2, 2048
KERNEL = """
.visible .entry k(.param .u64 out, .param .u64 last, .param .u32 n)
{
    .reg .u64 %out, %last, %at;
    .reg .b32 %i, %n, %t, %step, %v, %old;
    .reg .pred %p, %q;
    ld.param.u64 %out, [out];
    ld.param.u64 %last, [last];
    ld.param.u32 %n, [n];
    mov.u32 %t, %ntid.x;
    mov.u32 %i, %ctaid.x;
    mov.u32 %v, %tid.x;
    mad.lo.u32 %i, %i, %t, %v;
    mul.wide.u32 %at, %i, 4;
    add.u64 %last, %last, %at;
    mov.u32 %v, %nctaid.x;
    mul.lo.u32 %step, %v, %t;
    mov.u32 %v, 7;
    GUARD
more:
    mul.wide.s32 %at, %i, 4;
    add.u64 %at, %at, %out;
    ld.global.u32 %v, [%at];
    mad.lo.u32 %v, %v, 3, 1;
    st.global.u32 [%at], %v;
    mov.u32 %old, %i;
    add.u32 %i, %i, STEP;
    LATCH
done:
    AFTER
    ret;
}
"""


class Form(NamedTuple):
    """The instructions of a loop, and what its tests compute."""

    guard: str
    latch: str
    enters: Callable[[int, int], bool]
    repeats: Callable[[int, int, int], bool]  # of i, its old value and n
    step: str = "%step"
    after: str = ""
    leaves: Callable[[int], bool] = lambda v: False


def signed(i: int) -> int:
    """Return the 32 bits as a signed integer."""
    return (i + (1 << 31)) % (1 << 32) - (1 << 31)


def below(i: int, n: int) -> bool:
    """Compare as .lt.u32 does."""
    return i % (1 << 32) < n % (1 << 32)


def less(i: int, n: int) -> bool:
    """Compare as .lt.s32 does."""
    return signed(i) < signed(n)


LESS = "setp.lt.s32 %p, %i, %n; @%p bra more;"
NOT_LESS = "setp.ge.s32 %p, %i, %n; @%p bra done;"
BELOW = "setp.lt.u32 %p, %i, %n; @%p bra more;"
FORMS = {
    "signed": Form(NOT_LESS, LESS, less, lambda i, _, n: less(i, n)),
    "unsigned": Form(
        NOT_LESS.replace("s32", "u32"), BELOW,
        below, lambda i, _, n: below(i, n),
    ),
    "mirrored": Form(
        "setp.gt.s32 %p, %n, %i; @!%p bra done;",
        "setp.le.s32 %p, %n, %i; @!%p bra more;",
        less, lambda i, _, n: less(i, n),
    ),
    "jump": Form(
        "setp.lt.s32 %p, %i, %n; @%p bra more; bra done;", LESS,
       less, lambda i, _, n: less(i, n),
    ),
    "constant": Form(
        "setp.gt.s32 %p, %i, 99; @%p bra done;",
        "setp.le.s32 %p, %i, 99; @%p bra more;",
        lambda i, n: less(i, 100), lambda i, _, n: less(i, 100),
    ),
    "old_value": Form(
        "setp.gt.u32 %p, %i, 999; @%p bra done;",
        "setp.lt.u32 %p, %old, 936; @%p bra more;",
        lambda i, n: below(i, 1000), lambda i, old, n: below(old, 936),
        "64",
    ),
    "other_old_value": Form(
        "setp.gt.u32 %p, %i, 999; @%p bra done;",
        "setp.lt.u32 %p, %old, 930; @%p bra more;",
        lambda i, n: below(i, 1000), lambda i, old, n: below(old, 930),
        "64",
    ),
    "index_after": Form(
        NOT_LESS, LESS, less, lambda i, _, n: less(i, n),
        after="st.global.u32 [%last], %i;",
    ),
    "value_after": Form(
        NOT_LESS, LESS, less, lambda i, _, n: less(i, n),
        after="st.global.u32 [%last], %v;",
    ),
    "no_guard": Form(
        "", LESS, lambda i, n: True, lambda i, _, n: less(i, n)
    ),
    "other_guard": Form(
        "add.u32 %v, %n, 5; setp.ge.s32 %p, %i, %v; @%p bra done;",
        LESS, lambda i, n: less(i, n + 5), lambda i, _, n: less(i, n),
    ),
    "guard_of_other_sign": Form(
        NOT_LESS, BELOW, less, lambda i, _, n: below(i, n)
    ),
    "two_guards": Form(
        "setp.ge.s32 %p, %i, %n; setp.eq.s32 %q, %i, 3; or.pred %p, %p, %q;"
        "@%p bra done;",
        LESS, lambda i, n: less(i, n) and i != 3,
        lambda i, _, n: less(i, n),
    ),
    "effect_after_guard": Form(
        NOT_LESS + "st.global.u32 [%last], 5;", LESS,
       less, lambda i, _, n: less(i, n),
    ),
    "other_exit": Form(
        NOT_LESS,
        "setp.gt.u32 %q, %v, 1000; @%q bra done; st.global.u32 [%at], %v;"
        + LESS,
        less, lambda i, _, n: less(i, n), leaves=lambda v: v > 1000,
        after="st.global.u32 [%last], %i;",
    ),
    "count": Form(
        "mov.u32 %t, 0; setp.lt.s32 %p, %n, 1; @%p bra done;",
        "add.u32 %t, %t, 1; setp.ne.u32 %p, %t, %n; @%p bra more;",
        lambda i, n: n >= 1, lambda i, _, n: i // 64 < n,
        after="st.global.u32 [%last], %t;",
    ),
    "count_unsigned": Form(
        "mov.u32 %t, 0; setp.eq.u32 %p, %n, 0; @%p bra done;",
        "add.u32 %t, %t, 1; setp.eq.u32 %p, %n, %t; @!%p bra more;",
        lambda i, n: n != 0, lambda i, _, n: i // 64 < n,
        after="st.global.u32 [%last], %t;",
    ),
    "count_of_other_variable": Form(
        NOT_LESS + "mov.u32 %t, 0;",
        "add.u32 %t, %t, 1; setp.ne.u32 %p, %t, 3; @%p bra more;",
        less, lambda i, old, n: i < 3 * 64,
    ),
}  # fmt: skip


def text_of(form: Form) -> str:
    """Return the module with the loop."""
    text = HEAD + KERNEL
    for word in ("guard", "latch", "step", "after"):
        text = text.replace(word.upper(), getattr(form, word))
    return text


def expected(form: Form, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what the kernel writes."""
    out = np.arange(SIZE, dtype=np.uint32)
    last = np.full(SIZE, 9, np.uint32)
    for first in range(THREADS * BLOCKS):
        i, v = first, 7
        entered = form.enters(i, n)
        if entered and "5;" in form.guard and "last" in form.guard:
            last[first] = 5
        while entered:
            v = (int(out[i]) * 3 + 1) % (1 << 32)
            out[i] = v
            old, i = i, i + THREADS * BLOCKS
            if form.leaves(v) or not form.repeats(i, old, n):
                break
        values = {"%i": i, "%v": v, "%t": (i - first) // (THREADS * BLOCKS)}
        for register in re.findall("%[ivt]", form.after):
            last[first] = values[register]
    return out, last


@pytest.mark.parametrize("name", FORMS)
def test_results(name):
    form = FORMS[name]
    kernel = drv.module_from_buffer(text_of(form).encode()).get_function("k")
    for n in [0, 1, 3, 4, 31, 40, 64, 65, 300, 1000, -3]:
        counts = "%t, %n" in form.latch or "%n, %t" in form.latch
        if (counts and n > 31) or (n < 0 and ".u32 %p" in form.latch):
            continue  # the loop would leave the array
        out = np.arange(SIZE, dtype=np.uint32)
        last = np.full(SIZE, 9, np.uint32)
        kernel(
            drv.InOut(out),
            drv.InOut(last),
            np.uint32(n % (1 << 32)),
            block=(THREADS, 1, 1),
            grid=(BLOCKS, 1),
        )
        right = expected(form, n)
        assert np.array_equal(out, right[0]), n
        assert np.array_equal(last, right[1]), n


WHOLE = ["signed", "unsigned", "mirrored", "jump", "constant", "old_value"]


@pytest.mark.cpu
@pytest.mark.parametrize("name", [*WHOLE, "no_guard"])
def test_the_loop_over_threads_is_the_inner_one(tmp_path: Path, name):
    path = tmp_path / "k.ptx"
    path.write_text(text_of(FORMS[name]))
    (kernel,) = explain(path)["kernels"]
    assert kernel["level"] == ("loop" if name in WHOLE else "packs")
