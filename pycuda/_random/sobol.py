"""Direction vectors and scramble constants of Sobol' sequences.

The initial numbers are those of Joe and Kuo (``data/joe_kuo_6.txt``), as
cuRAND's are.  Scrambled vectors are the plain ones times a random lower
triangular matrix of bits for each dimension (Matousek 1998), drawn from a
fixed seed: they differ from cuRAND's table, which is not public.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import os

import numpy as np

from pycuda._array.storage import read_arrays
from pycuda._numpy_functions import bit_parity

DIMENSIONS = 20000
_SEED = 0x50B01


@functools.cache
def _initial() -> tuple[np.ndarray, np.ndarray]:
    """Return the polynomials, and the numbers m1, m2, ... per dimension."""
    path = os.path.join(os.path.dirname(__file__), "data", "joe_kuo_6.npz")
    with open(path, "rb") as stream:
        data = dict(read_arrays(stream, f"the package's data {path!r}"))
    names = sorted((n for n in data if n[0] == "m"), key=lambda n: int(n[1:]))
    numbers = np.stack([data[n].astype(np.uint64) for n in names], 1)
    return data["polynomials"].astype(np.int64), numbers


def _degree(polynomials: np.ndarray) -> np.ndarray:
    return np.frexp(polynomials.astype(np.float64))[1] - 1


@functools.cache
def direction_vectors(bits: int) -> np.ndarray:
    """Return the direction vectors of all dimensions, first bit first.

    Returns
    -------
    ndarray
        Shape (20000, bits), uint32 or uint64.
    """
    polynomials, initial = _initial()
    degree = _degree(polynomials)
    degree[0] = 0
    width = np.uint64(bits)
    vectors = np.zeros((DIMENSIONS, bits), np.uint64)
    for bit in range(bits):
        shift = width - np.uint64(bit + 1)
        given = bit < degree
        given[0] = False
        if bit < initial.shape[1]:
            vectors[given, bit] = initial[given, bit] << shift
        rest = np.flatnonzero(~given[1:]) + 1
        # v[k] = v[k - s] ^ v[k - s] >> s ^ the terms of the polynomial.
        s = degree[rest]
        if rest.size:
            old = vectors[rest, bit - s]
            new = old ^ (old >> s.astype(np.uint64))
            for back in range(1, min(bit, int(s.max())) + 1):
                term = (polynomials[rest] >> (s - back)) & 1
                use = (back < s) & (term == 1)
                new[use] ^= vectors[rest[use], bit - back]
            vectors[rest, bit] = new
        # The first dimension is van der Corput's sequence.
        vectors[0, bit] = np.uint64(1) << shift
    return vectors.astype(np.uint32 if bits == 32 else np.uint64)


@functools.cache
def scrambled_vectors(bits: int) -> np.ndarray:
    """Return `direction_vectors` with the digits of each dimension mixed."""
    plain = direction_vectors(bits).astype(np.uint64)
    random = np.random.Generator(np.random.Philox(_SEED + bits))
    result = np.zeros_like(plain)
    for bit in range(bits):
        # Digit `bit`, counted from the top, mixes digits 0 to `bit`; digit
        # `bit` itself always takes part.
        at = np.uint64(bits - 1 - bit)
        mask = random.integers(0, 2**64, DIMENSIONS, np.uint64)
        top = np.uint64(2**bits - 2 ** (bits - bit))
        mask = (mask & top) | (np.uint64(1) << at)
        parity = bit_parity(plain & mask[:, None])
        result |= parity << at
    return result.astype(np.uint32 if bits == 32 else np.uint64)


def scramble_constants(count: int, bits: int) -> np.ndarray:
    """Return `count` numbers that scramble sequences by exclusive or."""
    random = np.random.Generator(np.random.Philox(_SEED - bits))
    return random.integers(
        0, 2**bits, count, np.uint32 if bits == 32 else np.uint64
    )
