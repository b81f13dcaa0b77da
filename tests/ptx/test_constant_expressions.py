"""Constant expressions of PTX in operands, addresses and initialisers.

The values are those of ptxas 13.0; % has no sign there.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
from isa_forms import HEAD

import pycuda.driver as drv

pytestmark = pytest.mark.usefixtures("context")

# expression: its value
INTEGERS = {
    "(4 << 2) + 1": 17,
    "2 + 3 * 4": 14,
    "(2 + 3) * 4": 20,
    "10 - 4 - 3": 3,
    "-7 / 2": -3,
    "-7 % 3": 0,
    "7U % 4": 3,
    "0xF0 | 0x0F & 0x3C": 0xFC,
    "0xFF ^ 1 << 3": 0xF7,
    "~0x0F & 0xFF": 0xF0,
    "-16 >> 2": -4,
    "0xFFFFFFFFFFFFFFF0 >> 60": 15,
    "(.s64)0xFFFFFFFFFFFFFFF0 >> 2": -4,
    "(.u64)-1 / 2": 0x7FFFFFFFFFFFFFFF,
    "-1 < 0": 1,
    "-1 < 0U": 0,
    "3 >= 3 && 2 != 2": 0,
    "3 > 2 || 1 / 1 == 2": 1,
    "1 == 2 ? 5 : 6 + 1": 7,
    "1 ? 2 ? 3 : 4 : 5": 3,
    "!0 + !5": 1,
    "- -3": 3,
    "-(2 + 3)": -5,
    "0b101 + 010": 13,
}
REALS = {
    "1.5 + 2.0": 3.5,
    "-(0.5 * 3.0)": -1.5,
    "1.0 / 4.0 - 1.0": -0.75,
}
WRONG = [
    "1 +",
    "(1",
    "1.5 + 2",
    "0f3F800000 - 0.25",
    "1 / 0",
    "5 % 0",
    "1.0 % 2.0",
    "~1.5",
    "1 ? 2",
    "(" * 80,
]
COUNT = len(INTEGERS) + len(REALS)


def run(text: str, count: int) -> np.ndarray:
    out = np.zeros(count, "i8")
    drv.module_from_buffer((HEAD + text).encode()).get_function("k")(
        drv.Out(out), block=(1, 1, 1)
    )
    return out


def test_operands() -> None:
    lines = [
        f"mov.u64 v, {text}; st.global.u64 [a+{i}*8], v;"
        for i, text in enumerate(INTEGERS)
    ]
    lines += [
        f"mov.f64 v, {text}; st.global.b64 [a+8*({len(INTEGERS)}+{i})], v;"
        for i, text in enumerate(REALS)
    ]
    body = "\n".join(lines)
    out = run(
        ".visible .entry k(.param .u64 p) { .reg .b64 a, v; "
        f"ld.param.u64 a, [p];\n{body}\nret; }}",
        COUNT,
    )
    check(out)


def check(out: np.ndarray) -> None:
    for i, (text, want) in enumerate(INTEGERS.items()):
        assert int(out[i]) == want, text
    reals = out.view("f8")[len(INTEGERS) :]
    for real, (text, want) in zip(reals, REALS.items(), strict=True):
        assert float(real) == want, text


def test_initialisers_and_addresses() -> None:
    integers = ", ".join(INTEGERS)
    reals = ", ".join(REALS)
    out = run(
        f".global .align 8 .b64 n[{len(INTEGERS)}] = {{ {integers} }};\n"
        f".global .align 8 .f64 f[{len(REALS)}] = {{ {reals} }};\n"
        ".global .align 8 .u64 at = n + 2 * (3 + 1) + 8 - 8;\n"
        ".visible .entry k(.param .u64 p) { .reg .b64 a, v, w; "
        "ld.param.u64 a, [p];\n"
        + "".join(
            f"ld.global.b64 v, [n + 8 * {i}]; st.global.b64 [a], v; "
            "add.u64 a, a, 4 + 4;\n"
            for i in range(len(INTEGERS))
        )
        + "".join(
            f"ld.global.b64 v, [f+{8 * i}]; st.global.b64 [a], v; "
            "add.u64 a, a, 1 << 3;\n"
            for i in range(len(REALS))
        )
        + "ld.global.u64 v, [at]; ld.global.u64 w, [v];"
        "st.global.u64 [a], w; ret; }",
        COUNT + 1,
    )
    check(out[:-1])
    assert int(out[-1]) == list(INTEGERS.values())[1]


@pytest.mark.cpu
@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_errors(text: str) -> None:
    with pytest.raises(drv.Error, match="ptx:5: error: "):
        run(f".visible .entry k() {{ .reg .b64 v;\nmov.b64 v, {text};\n}}", 1)
