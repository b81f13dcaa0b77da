#!/usr/bin/env python3
"""Print the jump tables of pycuda/cuda/pycuda-random/*_jump.h.

    tools/curand_tables.py xorwow > .../xorwow_jump.h
    tools/curand_tables.py mrg32k3a > .../mrg32k3a_jump.h

XORWOW's five words are a linear map over GF(2): n steps are the polynomial
x**n modulo the map's minimal polynomial, which Berlekamp and Massey's
algorithm finds from 320 bits of its output.  MRG32k3a's n steps are powers of
two 3 x 3 matrices (L'Ecuyer, 1999).
"""

# SPDX-License-Identifier: MIT

import sys
from collections.abc import Iterator

MASK = 0xFFFFFFFF

# The opening comments of the headers.
ABOUT = {
    "xorwow": """skip many steps or sequences of XORWOW at once.
 *
 * Row [i][j - 1] is the polynomial x**(j * 16**i) over GF(2), reduced modulo
 * the generator's minimal polynomial: the jump by j * 16**i steps (offset) or
 * by that many sequences of 2**67 steps (sequence).""",
    "mrg32k3a": """skip many steps or sequences of MRG32k3a at once.
 *
 * The two 3 x 3 matrices, row by row, of the generator's two components: for
 * one step (offset), 2**76 steps (sub) and 2**127 steps (sequence).""",
}


def xorwow_step(v: list[int]) -> list[int]:
    """Return the state after one step of the linear part (Marsaglia, 2003)."""
    t = v[0] ^ (v[0] >> 2)
    new = (v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & MASK
    return [*v[1:], new]


def minimal_polynomial(bits: list[int]) -> int:
    """Return the coefficients of the shortest recurrence, bit i for x**i."""
    c, b, length, m = 1, 1, 0, 1
    for i, bit in enumerate(bits):
        gap = bit
        for j in range(1, length + 1):
            gap ^= (c >> j & 1) & bits[i - j]
        if not gap:
            m += 1
        elif 2 * length <= i:
            c, b, length, m = c ^ (b << m), c, i + 1 - length, 1
        else:
            c ^= b << m
            m += 1
    return int(f"{c:0{length + 1}b}"[::-1], 2)


def multiply(a: int, b: int, modulus: int) -> int:
    """Return the product of two polynomials over GF(2), reduced."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        b >>= 1
        a <<= 1
    size = modulus.bit_length()
    while product.bit_length() >= size:
        product ^= modulus << (product.bit_length() - size)
    return product


def xorwow_rows(first: int) -> Iterator[list[int]]:
    """Return x**(digit * 16**k * 2**first) for 16 positions of 15 digits."""
    v, bits = [1, 0, 0, 0, 0], []
    for _ in range(330):
        v = xorwow_step(v)
        bits.append(v[4] & 1)
    modulus = minimal_polynomial(bits)
    assert modulus.bit_length() == 161, modulus.bit_length()
    power = 2
    for _ in range(first):
        power = multiply(power, power, modulus)
    for _ in range(16):
        digit = power
        for _ in range(15):
            yield [digit >> (32 * i) & MASK for i in range(5)]
            digit = multiply(digit, power, modulus)
        power = digit


def matrix_power(a: list[list[int]], doublings: int, m: int) -> list:
    """Return a**(2**doublings) modulo m."""
    for _ in range(doublings):
        a = [
            [sum(a[i][k] * a[k][j] for k in range(3)) % m for j in range(3)]
            for i in range(3)
        ]
    return a


def main() -> None:
    """Print one table."""
    kind = sys.argv[1]
    print(
        f"/* {kind}_jump.h - {ABOUT[kind]}\n *\n"
        " * Written by tools/curand_tables.py.\n *\n"
        " * SPDX-License-Identifier: MIT */\n#pragma once\n"
    )
    if kind == "xorwow":
        for name, first in (("offset", 0), ("sequence", 67)):
            print(
                "static const __device__ unsigned int\n"
                f"    __pycuda_xorwow_{name}[16][15][5] = {{"
            )
            for i, row in enumerate(xorwow_rows(first)):
                text = ", ".join(f"0x{word:08x}" for word in row)
                ends = (
                    "{" if i % 15 == 0 else "",
                    "}" if i % 15 == 14 else "",
                )
                print(f"    {ends[0]}{{{text}}}{ends[1]},")
            print("};")
        return
    first = [[0, 1, 0], [0, 0, 1], [4294967087 - 810728, 1403580, 0]]
    second = [[0, 1, 0], [0, 0, 1], [4294944443 - 1370589, 0, 527612]]
    for name, doublings in (("offset", 0), ("sub", 76), ("sequence", 127)):
        print(
            "static const __device__ unsigned int\n"
            f"    __pycuda_mrg_{name}[2][9] = {{"
        )
        for matrix, m in ((first, 4294967087), (second, 4294944443)):
            power = matrix_power(matrix, doublings, m)
            words = [f"{word}u" for row in power for word in row]
            print("    {" + ", ".join(words[:5]) + ",")
            print("     " + ", ".join(words[5:]) + "},")
        print("};")


if __name__ == "__main__":
    main()
