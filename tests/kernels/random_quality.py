"""Statistical tests of random words, and bad generators that they must find.

A test gives the probability of what it saw, or of what is further off; below
`LEAST` it has failed.  The generators' seeds are fixed, so that a test that
passes always does.
"""

# SPDX-License-Identifier: MIT

from collections.abc import Callable

import numpy as np
from scipy import stats

LEAST = 1e-6
Words = np.ndarray


def _chi(counts: np.ndarray, expected: np.ndarray | float) -> float:
    """Both too far from what is expected and too near is improbable."""
    chi = float(((counts - expected) ** 2 / expected).sum())
    return 2 * min(
        stats.chi2.sf(chi, counts.size - 1),
        stats.chi2.cdf(chi, counts.size - 1),
    )


def _reals(words: Words) -> np.ndarray:
    return (words + 0.5) * 2.0**-32


def upper_bits(words: Words) -> float:
    """How often each value of the upper 10 bits comes."""
    return _chi(np.bincount(words >> 22, minlength=1024), words.size / 1024)


def lower_bits(words: Words) -> float:
    """Of the lower 10 bits."""
    return _chi(np.bincount(words & 1023, minlength=1024), words.size / 1024)


def distribution(words: Words) -> float:
    """Kolmogorov and Smirnov's."""
    return float(stats.kstest(_reals(words), "uniform").pvalue)


def serial(words: Words) -> float:
    """Correlation of a number with later ones."""
    x, least = _reals(words) - 0.5, 1.0
    lags = (1, 2, 3, 4, 5, 8, 16, 32, 64, 100, 128, 256, 1024, 16384)
    for lag in lags:
        r = 12 * float(x[lag:] @ x[:-lag]) / np.sqrt(x.size - lag)
        least = min(least, 2 * stats.norm.sf(abs(r)) * len(lags))
    return least


def bits_of_neighbours(words: Words) -> float:
    """How many bits two neighbours differ in."""
    different = np.bitwise_count(words[1::2] ^ words[:-1:2])
    counts = np.bincount(different, minlength=33)
    law = stats.binom.pmf(np.arange(33), 32, 0.5)
    inner = slice(7, 26)
    return _chi(
        np.append(counts[inner], counts.sum() - counts[inner].sum()),
        different.size * np.append(law[inner], 1 - law[inner].sum()),
    )


def gaps(words: Words) -> float:
    """How long it takes until a number below a sixteenth comes again."""
    lengths = np.diff(np.flatnonzero(words < 1 << 28)) - 1
    counts = np.bincount(np.minimum(lengths, 60), minlength=61)
    law = stats.geom.pmf(np.arange(1, 61), 1 / 16)
    return _chi(counts, lengths.size * np.append(law, 1 - law.sum()))


def cubes(words: Words) -> float:
    """Which of 32**3 cubes three numbers lie in: lattices leave some empty."""
    x, y, z = (words[: words.size // 3 * 3].reshape(-1, 3) >> 27).T
    at = (x.astype(np.int64) << 10) | (y << 5) | z
    return _chi(np.bincount(at, minlength=1 << 15), at.size / (1 << 15))


def repeats(words: Words) -> float:
    """Of two numbers in a row: what repeats lies in overlapping sequences."""
    pairs = words[:-1].astype(np.uint64) << np.uint64(32) | words[1:]
    ordered = np.sort(pairs)
    found = int((ordered[1:] == ordered[:-1]).sum())
    expected = pairs.size**2 / 2.0**65
    return float(stats.poisson.sf(found - 1, expected))


TESTS: list[Callable[[Words], float]] = [
    upper_bits, lower_bits, distribution, serial, bits_of_neighbours, gaps,
    cubes, repeats,
]  # fmt: skip


def failures(words: Words) -> dict[str, float]:
    """The tests that fail, with their probabilities."""
    found = {test.__name__: test(words) for test in TESTS}
    return {name: p for name, p in found.items() if not p >= LEAST}


# --- bad generators ---------------------------------------------------------


def _linear(count: int, factor: int, modulus_bits: int) -> np.ndarray:
    """x, factor x, factor**2 x, ... of a power of two."""
    mask, numbers, power = (1 << modulus_bits) - 1, [1], factor
    found = np.array(numbers, np.uint64)
    while found.size < count:
        more = found * np.uint64(power) & np.uint64(mask)
        found, power = np.concatenate([found, more]), power * power & mask
    return found[:count]


def randu(count: int) -> Words:
    """IBM's: three numbers in a row lie on 15 planes."""
    return (_linear(count, 65539, 31) << np.uint64(1)).astype(np.uint32)


def lower_halves(count: int) -> Words:
    """A good multiplier, of whose product the lower bits are given."""
    return _linear(count, 0x5851F42D4C957F2D, 64).astype(np.uint32)


def shifted_register(count: int) -> Words:
    """A register of 32 bits, given at each shift by one."""
    state, found = 0xACE1ACE1, np.empty(count, np.uint32)
    for k in range(count):
        bit = (state ^ state >> 10 ^ state >> 30 ^ state >> 31) & 1
        state = state >> 1 | bit << 31
        found[k] = state
    return found


def overlapping(count: int) -> Words:
    """Threads that begin too near one another in a good sequence."""
    threads = 256
    good = np.random.PCG64(1).random_raw(count).astype(np.uint32)
    starts = np.arange(threads) * 100
    rows = np.arange(count // threads)
    return good[starts[:, None] + rows].ravel()


def same_for_all(count: int) -> Words:
    """Threads that have the same seed, a number each in turn."""
    good = np.random.PCG64(1).random_raw(count // 32).astype(np.uint32)
    return np.repeat(good, 32)


def coarse(count: int) -> Words:
    """Numbers of 16 bits, put into the upper half."""
    good = np.random.PCG64(1).random_raw(count).astype(np.uint32)
    return good & np.uint32(0xFFFF0000)


def leaning(count: int) -> Words:
    """The remainder of a division, which favours small numbers."""
    good = np.random.PCG64(1).random_raw(count) >> np.uint64(48)
    spread = (good % np.uint64(60_000)).astype(np.float64) / 60_000
    return (spread * 2**32).astype(np.uint32)


# Each with a test that must find it.
BAD: dict[Callable[[int], Words], str] = {
    randu: "cubes",
    lower_halves: "lower_bits",
    shifted_register: "serial",
    overlapping: "repeats",
    same_for_all: "gaps",
    coarse: "lower_bits",
    leaning: "upper_bits",
}
