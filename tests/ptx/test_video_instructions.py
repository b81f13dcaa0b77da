"""Video instructions of PTX against Python's integers, all forms of the ISA.

The results follow the semantics that the PTX ISA gives as pseudo code, with
two exceptions: the operand c of vmad without a negated product has the sign of
the final result, as in the code and not as in the text, and c of vset is
signed if the first type is, as on GPUs.

GPUs have none of the scalar instructions: ptxas emulates them, and its results
for some modifiers are not those of the ISA.
"""

# SPDX-License-Identifier: MIT

import re

import numpy as np
import pytest
from isa_forms import HEAD, read_forms

import pycuda.driver as drv

pytestmark = pytest.mark.usefixtures("context")

N = 64
# Statements of one module.
SIZE = 90
TEXTS = [form.text for form in read_forms() if form.section == "video"]
# Every fifth statement, and the others in slow tests.
PARTS = [
    TEXTS[first::5][i : i + SIZE]
    for first in range(5)
    for i in range(0, len(TEXTS[first::5]), SIZE)
]
QUICK = -(-len(TEXTS[::5]) // SIZE)
SPECIAL = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF]
SPECIAL += [0x80000000, 0xFFFFFFFF, 0x80808080, 0x7F7F8080, 33, 0x20]


def extended(value: int, bits: int, is_signed: bool) -> int:
    value &= (1 << bits) - 1
    if is_signed and value >> (bits - 1):
        value -= 1 << bits
    return value


def limited(value: int, bits: int, is_signed: bool) -> int:
    low = -(1 << (bits - 1)) if is_signed else 0
    return min(max(value, low), (1 << (bits - is_signed)) - 1)


def selected(value: int, selector: str, is_signed: bool) -> int:
    """Return the byte or half of a register, or all of it."""
    bits = {"": 32, "b": 8, "h": 16}[selector[:1]]
    index = int(selector[1:] or "0")
    return extended(value >> index * bits, bits, is_signed)


def inserted(into: int, value: int, bits: int, index: int) -> int:
    mask = ((1 << bits) - 1) << index * bits
    return into & ~mask | (value << index * bits) & mask


def compared(modifiers: list[str], a: int, b: int) -> int:
    tests = {
        "eq": a == b,
        "ne": a != b,
        "lt": a < b,
        "le": a <= b,
        "gt": a > b,
        "ge": a >= b,
    }
    return int(next(v for k, v in tests.items() if k in modifiers))


def combined(operation: str, modifiers: list[str], a: int, b: int) -> int:
    match operation:
        case "vadd":
            return a + b
        case "vsub":
            return a - b
        case "vabsdiff":
            return abs(a - b)
        case "vmin":
            return min(a, b)
        case "vmax":
            return max(a, b)
        case "vavrg":
            return a + b + 1 >> 1 if a + b >= 0 else a + b >> 1
        case "vset":
            return compared(modifiers, a, b)
    count = b & 31 if "wrap" in modifiers else min(b, 32)
    return a << count if operation == "vshl" else a >> count


def split(operand: str) -> tuple[str, str]:
    """Return the register and the selector of an operand."""
    name, _, selector = operand.partition(".")
    return name, selector


def scalar(
    operation: str,
    modifiers: list[str],
    signs: list[bool],
    operands: list[str],
    values: dict[str, int],
) -> int:
    result = signs[0]
    (_, selector), left, right = map(split, operands[:3])
    a = selected(values[left[0]], left[1], signs[-2])
    b = selected(values[right[0]], right[1], signs[-1])
    value = combined(operation, modifiers, a, b)
    bits = {"": 32, "b": 8, "h": 16}[selector[:1]]
    if "sat" in modifiers:
        value = limited(value, bits, result)
    second = [x for x in ("add", "min", "max") if x in modifiers]
    if selector:
        c = values[operands[3]]
        return inserted(c, value, bits, int(selector[1:]))
    if second:
        c = extended(values[operands[3]], 32, result)
        pick = {"add": lambda x, y: x + y, "min": min, "max": max}
        value = pick[second[0]](value, c)
    return value


def multiplied(
    modifiers: list[str],
    signs: list[bool],
    operands: list[str],
    values: dict[str, int],
) -> int:
    minus = [operand[0] == "-" for operand in operands]
    left, right = (split(operand.lstrip("-")) for operand in operands[1:3])
    negates = minus[1] != minus[2]
    is_signed = signs[1] or signs[2] or negates or minus[3]
    a = selected(values[left[0]], left[1], signs[1])
    b = selected(values[right[0]], right[1], signs[2])
    c = extended(values[operands[3].lstrip("-")], 32, is_signed)
    value = (-a * b if negates else a * b) + (-c if minus[3] else c)
    value += "po" in modifiers
    value >>= 7 if "shr7" in modifiers else 15 if "shr15" in modifiers else 0
    return limited(value, 32, is_signed) if "sat" in modifiers else value


def lanes(
    operation: str,
    modifiers: list[str],
    signs: list[bool],
    operands: list[str],
    values: dict[str, int],
) -> int:
    count = int(operation[-1])
    bits = 32 // count
    (_, mask), left, right = map(split, operands[:3])
    both = values[right[0]] << 32 | values[left[0]]
    c = values[operands[3]]
    digits = "".join(map(str, range(2 * count)))
    sources = []
    for own, (_, selector) in enumerate((left, right)):
        order = digits[own * count :][:count][::-1]
        order = selector[1:] or order
        sources.append([int(x) for x in reversed(order)])
    written = [int(x) for x in mask[1:] or digits[:count]]
    for i in range(count):
        a = extended(both >> sources[0][i] * bits, bits, signs[-2])
        b = extended(both >> sources[1][i] * bits, bits, signs[-1])
        value = combined(operation[:-1], modifiers, a, b)
        if i not in written:
            continue
        if "sat" in modifiers:
            value = limited(value, bits, signs[0])
        c = c + value if "add" in modifiers else inserted(c, value, bits, i)
    return c


def expected(text: str, values: dict[str, int]) -> int:
    head, _, rest = text.partition(" ")
    operation, *modifiers = head.split(".")
    operands = [x.strip() for x in rest.split(",")]
    signs = [x == "s32" for x in modifiers if x in ("u32", "s32")]
    if operation == "vmad":
        value = multiplied(modifiers, signs, operands, values)
    elif operation[-1] in "24":
        value = lanes(operation, modifiers, signs, operands, values)
    else:
        value = scalar(operation, modifiers, signs, operands, values)
    return value & 0xFFFFFFFF


def differs_on_gpus(text: str) -> bool:
    """Return true if ptxas 13.0 does not follow the ISA for an H100.

    These are halves as the destination, saturation of scalar results, and vmad
    with an unsigned operand if it saturates or shifts.
    """
    head, _, rest = text.partition(" ")
    operation, *modifiers = head.split(".")
    if operation == "vmad":
        adjusts = {"sat", "shr7", "shr15"} & set(modifiers)
        return bool(adjusts) and "u32" in modifiers[1:]
    is_half = ".h" in rest.split(",")[0]
    return operation[-1] not in "24" and (is_half or "sat" in modifiers)


def source_of(texts: list[str]) -> str:
    """Return a kernel whose threads store the results of all statements."""
    lines = [
        HEAD,
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{",
        ".reg .b32 r<4>, t; .reg .b64 a, d;",
        "mov.u32 t, %tid.x; ld.param.u64 a, [in];",
        "mad.wide.u32 a, t, 16, a; ld.global.v4.u32 {r0, r1, r2, r3}, [a];",
        "ld.param.u64 d, [out]; mad.wide.u32 d, t, 4, d;",
    ]
    for i, text in enumerate(texts):
        lines.append(f"{{ {text}; st.global.u32 [d+{4 * N * i}], r0; }}")
    return "\n".join([*lines, "ret;\n}\n"])


@pytest.mark.parametrize(
    "index",
    [
        pytest.param(i, marks=pytest.mark.slow if i >= QUICK else ())
        for i in range(len(PARTS))
    ],
)
def test_values(index: int) -> None:
    texts = PARTS[index]
    if not drv.Device(0).name().startswith("CPU"):
        texts = [text for text in texts if not differs_on_gpus(text)]
    rng = np.random.default_rng(index)
    words = rng.integers(0, 2**32, (N, 4), dtype="u8")
    words >>= rng.choice([0, 0, 16, 24, 27], (N, 4)).astype("u8")
    special = rng.random((N, 4)) < 0.4
    words[special] = rng.choice(np.array(SPECIAL, "u8"), special.sum())
    words = words.astype("u4")
    out = np.zeros((len(texts), N), "u4")
    module = drv.module_from_buffer(source_of(texts).encode())
    module.get_function("k")(drv.In(words), drv.Out(out), block=(N, 1, 1))
    for i, text in enumerate(texts):
        for k in range(N):
            values = {f"r{n}": int(words[k, n]) for n in range(1, 4)}
            want = expected(text, values)
            assert int(out[i, k]) == want, (text, values)


def test_the_list_has_all_instructions() -> None:
    names = {re.split(r"[. ]", text)[0] for text in TEXTS}
    assert len(names) == 23
