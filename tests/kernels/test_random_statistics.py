"""The generators' numbers look random; those of planted bad ones do not."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
import random_quality as quality
from scipy import stats
from scipy.stats import qmc

from pycuda import curandom

# Kernels are not instrumented, and what calls them here others call, too.
pytestmark = [pytest.mark.usefixtures("context"), pytest.mark.no_sanitizer]

Philox = curandom.PhiloxRandomNumberGenerator
N = 1 << 20
STATES = {
    "XORWOW": curandom.XORWOWRandomNumberGenerator,
    "MRG32k3a": curandom.MRG32k3aRandomNumberGenerator,
}


def words(generator, count=N):
    return generator.gen_uniform(count, np.uint32).get()


@pytest.mark.parametrize("bad", list(quality.BAD), ids=lambda f: f.__name__)
def test_bad_generators_are_found(bad):
    found = quality.failures(bad(1 << 18))
    assert quality.BAD[bad] in found, found


def test_a_good_one_passes():
    """NumPy's: that the tests do not fail for everything."""
    good = np.random.default_rng(5).integers(0, 1 << 32, N, np.uint32)
    assert quality.failures(good) == {}


def of_one_sequence(seed):
    return words(Philox(seed))


def of_seeds_in_turn(seed):
    """A number each of many seeds, all neighbours."""
    rows = [words(Philox(seed + k), 1 << 10) for k in range(1 << 9)]
    return np.stack(rows, 1).ravel()


def of_sequences_in_turn(seed):
    rows = [words(Philox(seed, sequence=k), 1 << 10) for k in range(1 << 9)]
    return np.stack(rows, 1).ravel()


def of_reals(seed):
    """Words from floats, whose lower byte is another's."""
    upper = Philox(seed).random(N, np.float32).get() * 2**24
    lower = Philox(seed, N).random(N, np.float32).get() * 2**24
    return (upper.astype(np.uint32) << 8) | (lower.astype(np.uint32) & 255)


@pytest.mark.parametrize(
    "make", [of_one_sequence, of_seeds_in_turn, of_sequences_in_turn, of_reals]
)
@pytest.mark.parametrize("seed", [0, 2**63 + 12345])
def test_philox(make, seed):
    assert quality.failures(make(seed)) == {}


@pytest.mark.sweep(most=3)
@pytest.mark.parametrize("name", list(STATES))
@pytest.mark.parametrize("way", ["across", "along", "seeds"])
def test_generators_with_states(name, way):
    """Of one state after another, and of each state for itself."""
    kind = STATES[name]
    if way == "seeds":
        rows = [words(kind(seed), 1 << 14) for seed in range(16)]
        found = np.stack(rows, 1).ravel()
    else:
        found = words(kind(7))
        if way == "along":
            states = kind.block_count * kind.generators_per_block
            found = found.reshape(-1, states).T.ravel()
    assert quality.failures(found) == {}


@pytest.mark.parametrize("name", ["Philox", *STATES])
def test_doubles(name):
    kind = Philox if name == "Philox" else STATES[name]
    u = kind(3).gen_uniform(N, np.float64).get()
    # The bits that a float has not: what a word too few would show.
    # (MRG32k3a's have 32 bits, as cuRAND's.)
    assert stats.kstest(u, "uniform").pvalue > quality.LEAST
    if name != "MRG32k3a":
        low = (u * 2.0**50).astype(np.uint64) & np.uint64(1023)
        counts = np.bincount(low.astype(np.int64), minlength=1024)
        assert stats.chisquare(counts).pvalue > quality.LEAST


LAWS = {
    "standard_normal": ((), stats.norm()),
    "normal": ((3.0, 0.5), stats.norm(3, 0.5)),
    "lognormal": ((0.5, 0.75), stats.lognorm(0.75, scale=np.exp(0.5))),
    "exponential": ((2.5,), stats.expon(scale=2.5)),
    "gamma": ((2.5, 3.0), stats.gamma(2.5, scale=3)),
    "standard_gamma": ((0.3,), stats.gamma(0.3)),
    "uniform": ((-2.0, 5.0), stats.uniform(-2, 7)),
}


def law_holds(x, law):
    """In the middle and in the tails."""
    cells = np.searchsorted(law.ppf(np.arange(1, 256) / 256), x)
    counts = np.bincount(cells, minlength=256)
    p = stats.chisquare(counts).pvalue
    for share in (1e-3, 1e-4):
        low, high = law.ppf(share), law.isf(share)
        for found in ((x < low).sum(), (x > high).sum()):
            expected = x.size * share
            tail = stats.poisson(expected)
            p = min(p, 2 * tail.sf(found - 1), 2 * tail.cdf(found))
    return p


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", list(LAWS))
def test_laws(name, dtype):
    parameters, law = LAWS[name]
    x = getattr(Philox(9), name)(*parameters, size=N, dtype=dtype).get()
    assert law_holds(x.astype(np.float64), law) > quality.LEAST
    r = np.corrcoef(x[1:], x[:-1])[0, 1] * np.sqrt(N)
    assert abs(r) < 5


def test_bad_laws_are_found():
    random = np.random.default_rng(1)
    sums = random.random((N // 4, 12)).sum(1) - 6
    assert law_holds(sums, stats.norm()) < quality.LEAST
    narrow = random.standard_normal(N) * 0.99
    assert law_holds(narrow, stats.norm()) < quality.LEAST


@pytest.mark.parametrize("mean", [0.01, 0.8, 4, 9.9, 10, 11, 30, 250, 5000])
@pytest.mark.parametrize("name", ["Philox", *STATES])
def test_poisson(name, mean):
    kind, size = Philox if name == "Philox" else STATES[name], N // 2
    x = kind(4).gen_poisson(size, np.uint32, mean).get()
    law = stats.poisson(mean)
    edges = np.unique(law.ppf(np.arange(1, 64) / 64))
    counts = np.bincount(np.searchsorted(edges, x), minlength=edges.size + 1)
    inner = np.diff(law.cdf(edges), prepend=0)
    expected = size * np.append(inner, law.sf(edges[-1]))
    chi = ((counts - expected) ** 2 / expected).sum()
    assert stats.chi2.sf(chi, counts.size - 1) > quality.LEAST
    assert abs(x.mean() - mean) < 5 * np.sqrt(mean / size)
    spread = np.sqrt((mean + 2 * mean**2) / size)
    assert abs(x.var() - mean) < 5 * spread


SOBOL = ["Sobol32", "ScrambledSobol32", "Sobol64", "ScrambledSobol64"]


@pytest.mark.parametrize("name", SOBOL)
def test_quasirandom_points_are_even(name):
    """Much more so than random ones."""
    generator = getattr(curandom, f"{name}RandomNumberGenerator")(offset=1)
    states = generator.block_count * generator.generators_per_block
    points = generator.gen_uniform((1023, states), np.float64).get()
    random = Philox(1).random((1023, 6)).get()
    for first in (0, 40, 1000):
        some = np.minimum(points[:, first : first + 6], 1)
        ours, others = qmc.discrepancy(some), qmc.discrepancy(random)
        assert ours < 0.5 * others, (ours, others)
    # The integral of a product over five dimensions, which is 1.
    scale = 1 + 2 * (points[:, :5] - 0.5)
    error = abs(scale.prod(1).mean() - 1)
    assert error < 0.01
