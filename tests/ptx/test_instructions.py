"""Arithmetic, comparisons and conversions of PTX, one kernel for each form.

A form is a statement with the result %0 and the inputs %1, %2, ... Results are
compared with those of Python's integers and fractions, bit by bit; any NaN
equals any other. A GPU needs compute capability 9.0.
"""

# SPDX-License-Identifier: MIT

from typing import Any

import modifier_forms  # noqa: F401
import numpy as np
import pytest
import small_forms  # noqa: F401
from instruction_forms import FORMS, KINDS

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

N = 128

_WORDS = [0, 1, 2, 3, 31, 32, 33, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF]
_WORDS += [0x7FFFFF, 0x800000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFF80]
_REALS = [0.0, -0.0, 1.0, -1.0, 1.5, -2.5, 448.0, 464.0, 65504.0, 65520.0]
_REALS += [6e-5, -6e-8, 3e-8, 0.1, 1e-3, float("inf"), float("-inf")]
_REALS += [float("nan"), 2.0**-149, -(2.0**-126), 3.4e38, -3.4e38, 1e-40]


def values_of(letter: str, position: int) -> np.ndarray:
    """Return special and random operands, in another order for each input."""
    rng = np.random.default_rng(100 + position)
    if letter == "i":
        return rng.integers(0, 32, N).astype("u4") * (rng.random(N) < 0.8)
    dtype = KINDS[letter][2]
    if letter in "rlh":
        words = np.array(_WORDS, "u8")
        if letter == "l":
            words = np.concatenate([words, ~words, words << 32])
        fill = rng.integers(0, 2**64, N, dtype="u8")
        fill >>= rng.integers(0, 64, N).astype("u8")
        all_values = np.concatenate([words, fill])[:N].astype(dtype)
    else:
        fill = rng.normal(size=N) * 10.0 ** rng.integers(-6, 6, N)
        special = np.array(_REALS)
        if letter == "d":
            special = np.append(special, [2.0**-1074, -1e300, 1e-310])
        with np.errstate(over="ignore"):
            all_values = np.concatenate([special, fill])[:N].astype(dtype)
    return rng.permutation(all_values) if position else all_values


def source_of(group: str) -> str:
    kernels = []
    for index, row in enumerate(FORMS):
        if row.group != group:
            continue
        kinds = [KINDS["r" if x == "i" else x] for x in row.inputs]
        result, constraint, _ = KINDS[row.result]
        parameters = ", ".join(
            f"const {kind[0]} *p{i}" for i, kind in enumerate(kinds)
        )
        operands = ", ".join(
            f'"{kind[1]}"(p{i}[threadIdx.x])' for i, kind in enumerate(kinds)
        )
        kernels.append(
            f"__global__ void k{index}({parameters}, {result} *d) {{\n"
            f'{result} r; asm volatile("{row.text}" : "={constraint}"(r) : '
            f"{operands}); d[threadIdx.x] = r; }}\n"
        )
    return "".join(kernels)


@pytest.fixture(scope="module")
def modules() -> dict[str, Any]:
    return {}


def raw(values: np.ndarray) -> np.ndarray:
    """Return the values as the kernel's parameter declares them."""
    is_small = values.dtype in (KINDS["x"][2], KINDS["b"][2])
    return values.view("u2") if is_small else values


@pytest.mark.parametrize(
    "index",
    range(len(FORMS)),
    ids=lambda i: f"{FORMS[i].group}-{i}-{FORMS[i].text[:40]}",
)
@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_form(modules: dict[str, Any], index: int) -> None:
    row = FORMS[index]
    if row.group not in modules:
        modules[row.group] = SourceModule(source_of(row.group))
    inputs = [values_of(x, i) for i, x in enumerate(row.inputs)]
    dtype = KINDS[row.result][2]
    out = np.zeros(N, dtype)
    modules[row.group].get_function(f"k{index}")(
        *(drv.In(raw(x)) for x in inputs), drv.Out(raw(out)), block=(N, 1, 1)
    )
    is_real = row.result in "fdxb"
    convert = [float if x in "fdxb" else int for x in row.inputs]
    for i in range(N):
        values = [f(x[i]) for f, x in zip(convert, inputs, strict=True)]
        want = row.expected(*values)
        if is_real:
            stored = np.array(want, "f8").astype(dtype)
            same = raw(stored[None])[0].tobytes() == raw(out)[i].tobytes()
            same |= bool(np.isnan(float(want)) and np.isnan(float(out[i])))
            if row.tolerance and np.isfinite(want):
                error = abs(float(out[i]) - float(want))
                same |= error <= row.tolerance * abs(float(want))
            assert same, (row.text, values, want, float(out[i]))
        else:
            bits = 8 * dtype.itemsize
            want = int(want) & ((1 << bits) - 1)
            assert int(out[i]) == want, (row.text, values, want, int(out[i]))
