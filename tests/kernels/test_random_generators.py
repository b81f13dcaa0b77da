"""curandom's generators with states: known answers, the same bits everywhere,
skipping, keeping, moments, bad input.
"""

# SPDX-License-Identifier: MIT

import copy
import hashlib
import pickle
from pathlib import Path

import numpy as np
import pytest

from pycuda import curandom, gpuarray
from pycuda._random import sobol

pytestmark = pytest.mark.usefixtures("context")

PSEUDO = [
    curandom.XORWOWRandomNumberGenerator,
    curandom.MRG32k3aRandomNumberGenerator,
]
SOBOL = [
    curandom.Sobol32RandomNumberGenerator,
    curandom.Sobol64RandomNumberGenerator,
]
SCRAMBLED = [
    curandom.ScrambledSobol32RandomNumberGenerator,
    curandom.ScrambledSobol64RandomNumberGenerator,
]
ALL = PSEUDO + SOBOL + SCRAMBLED


def threads(generator):
    return generator.block_count * generator.generators_per_block


def numbers(generator, count):
    """`count` raw numbers of each state, a row a number."""
    shape = (count, threads(generator))
    dtype = np.dtype(f"u{generator.generator_bits // 8}")
    return generator.gen_uniform(shape, dtype).get()


def gray(vectors, scramble, count):
    """The first points of a dimension."""
    points, x = [], int(scramble)
    for i in range(count):
        points.append(x)
        x ^= int(vectors[(~i & (i + 1)).bit_length() - 1])
    return points


def test_the_tables_first_dimensions():
    """As in Joe and Kuo's paper."""
    vectors = sobol.direction_vectors(32)
    assert [hex(v) for v in vectors[0, :3]] == [
        "0x80000000", "0x40000000", "0x20000000",
    ]  # fmt: skip
    assert [int(v) >> 27 for v in vectors[1, :5]] == [16, 24, 20, 30, 17]
    assert [int(v) >> 27 for v in vectors[2, :5]] == [16, 24, 12, 18, 29]
    wide = sobol.direction_vectors(64)
    assert (wide[:, :32] >> np.uint64(32) == vectors).all()


def test_the_tables_numbers_are_scipys():
    import scipy.stats

    place = Path(scipy.stats.__file__).parent / "_sobol_direction_numbers.npz"
    polynomials, initial = sobol._initial()
    with np.load(place) as theirs:
        assert (theirs["poly"][: sobol.DIMENSIONS] == polynomials).all()
        assert (theirs["vinit"][: sobol.DIMENSIONS] == initial).all()


@pytest.mark.parametrize("table", [sobol.direction_vectors,
                                   sobol.scrambled_vectors])  # fmt: skip
@pytest.mark.parametrize("bits", [32, 64])
def test_every_dimension_fills_all_parts(table, bits):
    """2**k points of a dimension lie one in each of 2**k parts."""
    vectors = table(bits)
    for dimension in (0, 1, 2, 77, 3000, 19_999):
        points = gray(vectors[dimension], 0, 256)
        assert sorted(x >> (bits - 8) for x in points) == list(range(256))


@pytest.mark.sweep(most=2)
@pytest.mark.parametrize("kind", SOBOL + SCRAMBLED)
def test_sobol_points(kind):
    bits, scrambled = kind.generator_bits, kind in SCRAMBLED
    got = numbers(kind(), 9)
    table = sobol.scrambled_vectors if scrambled else sobol.direction_vectors
    vectors = table(bits)
    constants = np.zeros(got.shape[1], np.uint64)
    if scrambled:
        constants = sobol.scramble_constants(got.shape[1], bits)
    for t in (0, 1, 2, got.shape[1] - 1):
        row = vectors[t % sobol.DIMENSIONS]
        assert got[:, t].tolist() == gray(row, constants[t], 9)


def test_xorwow_of_the_first_state():
    """State 0 begins its sequence: Marsaglia's steps from cuRAND's seeding."""

    def getter(n):
        return gpuarray.to_gpu(np.full(n, 1234, np.int32))

    got = numbers(curandom.XORWOWRandomNumberGenerator(getter), 5)[:, 0]
    mask = 0xFFFFFFFF
    t0 = 1099087573 * (1234 ^ 0xAAD26B49) & mask
    t1 = 2591861531 * 0xF7DCEFDD & mask
    d = 6615241 + t1 + t0 & mask
    v = [123456789 + t0 & mask, 362436069 ^ t0, 521288629 + t1 & mask,
         88675123 ^ t1, 5783321 + t0 & mask]  # fmt: skip
    for number in got:
        t = v[0] ^ v[0] >> 2
        v = [*v[1:], (v[4] ^ v[4] << 4 ^ t ^ t << 1) & mask]
        d = d + 362437 & mask
        assert number == (v[4] + d & mask)


def mrg32k3a(count, skipped):
    """State t of seed 0: L'Ecuyer's recurrences, t * 2**76 numbers on."""
    rows = []
    for t in skipped:
        parts = []
        for last, m in (
            ((-810728, 1403580, 0), 4294967087),
            ((-1370589, 0, 527612), 4294944443),
        ):
            step = np.array([[0, 1, 0], [0, 0, 1], last], object) % m
            power = np.identity(3, object)
            for bit in bin(t << 76)[2:]:
                power = power.dot(power) % m
                power = power.dot(step) % m if bit == "1" else power
            x = list(power.dot(np.array([12345] * 3, object)) % m)
            for _ in range(count):
                x.append(
                    sum(c * v for c, v in zip(last, x[-3:], strict=True)) % m
                )
            parts.append(x[3:])
        rows.append(
            [
                (p - q) % 4294967087 or 4294967087
                for p, q in zip(*parts, strict=True)
            ]
        )
    return np.array(rows, object).T


def test_mrg32k3a_of_several_states():
    generator = curandom.MRG32k3aRandomNumberGenerator(0)
    shape = (6, threads(generator))
    states = [0, 1, 2, 77, 16_383]
    got = generator.gen_uniform(shape, np.float64).get()[:, states]
    expected = mrg32k3a(6, states).astype(np.float64) / 4294967087
    np.testing.assert_allclose(got, expected, rtol=3e-16)
    # Integers are as many, spread over 32 bits.
    bits = numbers(curandom.MRG32k3aRandomNumberGenerator(0), 6)[:, states]
    assert abs(bits / 2**32 - expected).max() < 2.0**-31


# Of other runs, on other devices: what must not change.  Words, floats,
# doubles (and long words) one after another; words after skipping numbers,
# and sequences.
SUMS = {
    "XORWOW": (
        "b4e577451a67c479 6043fc4eb88dbd12 7e4861438e08570b "
        "adc842a295cc9769 f0b73b264b8c2fd6"
    ),
    "MRG32k3a": (
        "16a2979584c4ad30 f7c6e1b596b34ccf b457cbec1a3245a9 "
        "a32e780e506e6fea ad7769b6587ebf15"
    ),
    "Sobol32": (
        "aeec892cc41cd697 ded827d9f6b0712f ee74d77d194352bd d0f30ad7e2c78fe9"
    ),
    "ScrambledSobol32": (
        "a82f44440accf694 d74aef4914adfb3e 4dab858007eb09b0 193e4ceb1b7316b4"
    ),
    "Sobol64": (
        "aeec892cc41cd697 ded827d9f6b0712f 11d3f7e293b6dbe7 "
        "4ef7ac00ab72c158 733b384e431b56eb"
    ),
    "ScrambledSobol64": (
        "4b073d4ed33f952d efe730943f2df66b 3b4c6cade128bacf "
        "cea58ffae0fbecc7 6de046e32fab5828"
    ),
}


def digest(array):
    return hashlib.sha256(array.get().tobytes()).hexdigest()[:16]


def kept_sums(generator, long_words, sequences):
    draw = generator.gen_uniform
    dtypes = [np.uint32, np.float32, np.float64]
    sums = [digest(draw(50_001, dtype)) for dtype in dtypes]
    if long_words:
        sums.append(digest(draw(20_001, np.uint64)))
    generator.call_skip_ahead(1_234_567)
    sums.append(digest(draw(50_000, np.uint32)))
    if sequences:
        generator.call_skip_ahead_sequence(3)
        sums.append(digest(draw(50_000, np.uint32)))
    return " ".join(sums)


def seeded(kind, offset=0):
    pseudo = issubclass(kind, tuple(PSEUDO))
    return kind(20261121, offset) if pseudo else kind(offset=offset)


@pytest.mark.parametrize("kind", ALL)
def test_sums_of_other_devices(kind):
    name = kind.__name__.removesuffix("RandomNumberGenerator")
    wide = kind.generator_bits == 64
    got = kept_sums(seeded(kind, 5), wide, kind in PSEUDO)
    assert got == SUMS[name]


@pytest.mark.parametrize("kind", [PSEUDO[0], SOBOL[1]])
def test_launches_of_another_shape(kind):
    class Other(kind):
        block_count = 64
        generators_per_block = 256

    for dtype in (np.float32, np.uint32):
        for n in (1, 100, 40_001):
            one, two = seeded(kind), seeded(Other)
            for _ in range(2):
                got = one.gen_uniform(n, dtype).get()
                assert (got == two.gen_uniform(n, dtype).get()).all()


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("way", ["pickle", "copy", "state"])
def test_states_are_kept(kind, way):
    generator = seeded(kind)
    generator.gen_uniform(20_001, np.float32)
    generator.gen_normal(3, np.float64)  # half of a pair is left over
    if way == "pickle":
        other = pickle.loads(pickle.dumps(generator))
    elif way == "copy":
        other = copy.deepcopy(generator)
    else:
        other = kind(offset=1)
        other.set_state(generator.get_state())
    for _ in range(2):
        one, two = (
            g.gen_normal(20_001, np.float64) for g in (generator, other)
        )
        np.testing.assert_array_equal(one.get(), two.get())
    one, two = generator.get_state(), other.get_state()
    assert one["generator"] == two["generator"]
    assert (one["states"] == two["states"]).all()


def test_bad_states():
    generator = curandom.XORWOWRandomNumberGenerator(1)
    good = generator.get_state()
    with pytest.raises(ValueError, match="XORWOW, not of 'MRG"):
        generator.set_state({**good, "generator": "MRG32k3a"})
    for wrong in (good["states"][1:], good["states"].astype(np.int64)):
        with pytest.raises(ValueError, match="states must be uint32"):
            generator.set_state({**good, "states": wrong})


@pytest.mark.parametrize("kind", PSEUDO)
def test_one_seed_for_all(kind):
    one, two = numbers(kind(77), 2), numbers(kind(77), 2)
    assert (one == two).all() and len(np.unique(one)) > 0.999 * one.size
    assert (one != numbers(kind(78), 2)).mean() > 0.999
    for wrong in (-1, 1 << 31):
        with pytest.raises(ValueError, match="seed must be in"):
            kind(wrong)
    with pytest.raises(TypeError, match="seed must be"):
        kind("x")


def test_pairs_do_not_depend_on_where_they_lie():
    one, two = (curandom.XORWOWRandomNumberGenerator(5) for _ in range(2))
    room = gpuarray.zeros(1003, np.float32)
    one.fill_normal(room[1:1001])
    expected = two.gen_normal(1000, np.float32).get()
    assert (room.get()[1:1001] == expected).all()


@pytest.mark.parametrize("kind", SOBOL)
def test_sobol_is_scipys(kind):
    """SciPy keeps its points in the same order, 64 bits in units of 2**-64."""
    from scipy.stats import qmc

    generator = kind()
    d, bits = 300, kind.generator_bits
    mine = numbers(generator, 64)[:, :d]
    engine = qmc.Sobol(d, scramble=False, bits=30)
    points = (engine.random(64) * 2**30).astype(np.uint64)
    assert ((mine >> (bits - 30)) == points).all()


@pytest.mark.parametrize("kind", ALL)
def test_skipping(kind):
    def make(offset=0):
        if kind in PSEUDO:
            return kind(curandom_seeds, offset=offset)
        return kind(offset=offset)

    def curandom_seeds(n):
        return gpuarray.to_gpu(np.arange(n, dtype=np.int32))

    plain = numbers(make(), 8)
    assert (numbers(make(3), 5) == plain[3:]).all()
    generator = make()
    generator.call_skip_ahead(2)
    assert (numbers(generator, 2) == plain[2:4]).all()
    word = (
        np.uint32
        if kind.generator_bits == 32 and kind not in PSEUDO
        else (np.uint64)
    )
    steps = np.arange(threads(generator), dtype=word) % 4
    generator.call_skip_ahead_array(gpuarray.to_gpu(steps))
    got = numbers(generator, 1)[0]
    assert (got == plain[4 + steps, np.arange(steps.size)]).all()
    with pytest.raises(TypeError, match="one per generator"):
        generator.call_skip_ahead_array(gpuarray.to_gpu(steps[:-1]))


@pytest.mark.parametrize("kind", PSEUDO)
def test_sequences(kind):
    def same(n):
        return gpuarray.to_gpu(np.full(n, 5, np.int32))

    generator = kind(same)
    plain = numbers(kind(same), 4)
    skip = generator.call_skip_ahead_sequence
    if kind is curandom.MRG32k3aRandomNumberGenerator:
        skip = generator.call_skip_ahead_subsequence
    # State t began t sequences on: one more is state t + 1.
    skip(1)
    got = numbers(generator, 4)
    assert (got[:, :-1] == plain[:, 1:]).all()
    assert not (got[:, -1] == plain[:, -1]).any()


@pytest.mark.parametrize("kind", PSEUDO)
def test_sequences_by_arrays(kind):
    """Each state skips as many as its element says."""

    def same(n):
        return gpuarray.to_gpu(np.full(n, 5, np.int32))

    names = ["call_skip_ahead_sequence"]
    if kind is curandom.MRG32k3aRandomNumberGenerator:
        names += ["call_skip_ahead_subsequence"]
    for name in names:
        skipped = []
        for steps in range(3):
            generator = kind(same)
            getattr(generator, name)(steps)
            skipped.append(numbers(generator, 4))
        assert not (skipped[0] == skipped[1]).all(axis=0).any()
        assert not (skipped[1] == skipped[2]).all(axis=0).any()
        generator = kind(same)
        steps = np.arange(threads(generator), dtype=np.uint64) % 3
        getattr(generator, f"{name}_array")(gpuarray.to_gpu(steps))
        want = np.choose(steps.astype(np.int64), skipped)
        assert (numbers(generator, 4) == want).all()


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_moments(kind, dtype):
    generator = kind(offset=1)
    # Many points of each dimension, however many there are.
    size = 64 * threads(generator)
    uniform = generator.gen_uniform(size + 1, dtype).get()
    assert uniform.min() > 0 and uniform.max() <= 1
    # Standard errors are 0.0009, 0.003 and 0.0045 of random numbers.
    assert abs(uniform.mean() - 0.5) < 0.006
    for count in (size, size + 1):
        normal = generator.gen_normal(count, dtype).get()
        assert abs(normal.mean()) < 0.03 and abs(normal.std() - 1) < 0.03
        wide = generator.gen_log_normal(count, dtype, 0.5, 0.25).get()
        assert abs(np.log(wide).mean() - 0.5) < 0.02
        assert abs(np.log(wide).std() - 0.25) < 0.02


@pytest.mark.sweep(most=3)
@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("mean", [0.5, 10, 300])
def test_poisson(kind, mean):
    generator = kind(offset=1)
    size = 98 * threads(generator)
    got = generator.gen_poisson(size, np.uint32, mean).get()
    if kind in PSEUDO:
        assert abs(got.mean() - mean) < 6 * np.sqrt(mean / size)
        assert abs(got.var() / mean - 1) < 0.03
    else:  # few points of many dimensions
        assert abs(got.mean() / mean - 1) < 0.05
        assert abs(got.var() / mean - 1) < 0.15
    if kind in PSEUDO and mean == 10:
        assert abs((got == 9).mean() - 0.125) < 0.005
    for dtype in (np.uint32, np.float32, np.float64):
        means = gpuarray.to_gpu(np.full(size // 2, mean + 0.5).astype(dtype))
        expected = float(means[0].get())
        generator.fill_poisson(means)
        assert abs(means.get().mean() - expected) < 0.02 * expected + 0.05


def test_strided_data():
    generator = curandom.XORWOWRandomNumberGenerator()
    whole = gpuarray.zeros((100, 50), np.float32)
    generator.fill_uniform(whole[:, ::2])
    host = whole.get()
    assert (host[:, ::2] > 0).all() and (host[:, 1::2] == 0).all()


def test_bad_input():
    generator = curandom.XORWOWRandomNumberGenerator()
    with pytest.raises(NotImplementedError, match="int64"):
        generator.gen_uniform(4, np.int64)
    with pytest.raises(NotImplementedError, match="normal"):
        generator.gen_normal(4, np.int32)
    with pytest.raises(NotImplementedError, match="Poisson"):
        generator.gen_poisson(4, np.float32, 2)
    for call in ("uniform", "normal", "poisson"):
        with pytest.raises(TypeError, match="expected a GPUArray"):
            getattr(generator, f"fill_{call}")([1.0])
    for steps in (-1, 1 << 64):
        with pytest.raises(ValueError, match="i must be in"):
            generator.call_skip_ahead(steps)
    with pytest.raises(ValueError, match="offset must be in"):
        curandom.Sobol32RandomNumberGenerator(offset=1 << 32)
    with pytest.raises(TypeError, match="seed must be GPUArray of integers"):
        curandom.XORWOWRandomNumberGenerator(
            lambda n: gpuarray.zeros(n - 1, np.int32)
        )
    with pytest.raises(TypeError, match="scramble must be"):
        curandom.ScrambledSobol32RandomNumberGenerator(
            scramble_vector=gpuarray.zeros(3, np.uint32)
        )
    with pytest.raises(TypeError, match="direction_vector_set"):
        curandom.generate_direction_vectors(4, 77)


def test_tables_as_arrays():
    kinds = curandom.direction_vector_set
    got = curandom.generate_direction_vectors(20_010)
    assert got.shape == (20_010, 32) and got.dtype == np.uint32
    assert (got.get()[20_000:] == got.get()[:10]).all()
    wide = curandom.generate_direction_vectors(3, kinds.SCRAMBLED_VECTOR_64)
    assert wide.shape == (3, 64) and wide.dtype == np.uint64
    assert curandom.generate_scramble_constants32(5).dtype == np.uint32
    assert curandom.generate_scramble_constants64(5).shape == (5,)
