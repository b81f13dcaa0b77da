"""Philox: known answers, equal bits everywhere, positions, distributions."""

# SPDX-License-Identifier: MIT

import copy
import hashlib
import pickle
import threading

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import curandom, gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

Philox = curandom.PhiloxRandomNumberGenerator
MASK = 0xFFFFFFFF
F4, F8, U4, U8 = np.float32, np.float64, np.uint32, np.uint64


def philox(counter, key):
    """Compute Philox 4x32-10 in Python integers, after the paper."""
    c, k = list(counter), list(key)
    for _ in range(10):
        left, right = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [
            (right >> 32) ^ c[1] ^ k[0],
            right & MASK,
            (left >> 32) ^ c[3] ^ k[1],
            left & MASK,
        ]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def words(seed, first, count, sequence=0):
    """Return words of a sequence by the paper's definition."""
    key, found = (seed & MASK, seed >> 32), []
    for at in range(first // 4, (first + count + 3) // 4):
        found += philox([at & MASK, at >> 32, sequence, 0], key)
    return np.array(found[first % 4 :][:count], U4)


# Random123's known answers for zeros, ones and the digits of pi.
ANSWERS = [
    ("00000000 " * 4, "00000000 " * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff " * 4, "ffffffff " * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        "243f6a88 85a308d3 13198a2e 03707344",
        "a4093822 299f31d0",
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


def parsed(text):
    return [int(word, 16) for word in text.split()]


@pytest.mark.parametrize(("counter", "key", "answer"), ANSWERS)
def test_known_answers(counter, key, answer):
    counter, key, answer = parsed(counter), parsed(key), parsed(answer)
    assert philox(counter, key) == answer
    kernel = SourceModule(
        """
        #include <pycuda-random/philox.h>
        extern "C" __global__ void k(uint4 *c, const uint2 *key)
        { *c = curand_Philox4x32_10(*c, *key); }
        """,
        no_extern_c=True,
    ).get_function("k")
    got = np.array(counter, U4)
    kernel(drv.InOut(got), drv.In(np.array(key, U4)), block=(1, 1, 1))
    assert got.tolist() == answer


def test_numpys_relative():
    """NumPy's Philox4x64-10 has the same rounds with 64-bit words."""
    mask = (1 << 64) - 1
    c, k = [1, 0, 0, 0], [12345, 678]
    for _ in range(10):
        left = 0xD2E7470EE14C6C93 * c[0]
        right = 0xCA5A826395121157 * c[2]
        c = [(right >> 64) ^ c[1] ^ k[0], right & mask,
             (left >> 64) ^ c[3] ^ k[1], left & mask]  # fmt: skip
        k = [
            k[0] + 0x9E3779B97F4A7C15 & mask,
            k[1] + 0xBB67AE8584CAA73B & mask,
        ]
    numpys = np.random.Philox(key=np.array([12345, 678], U8))
    assert numpys.random_raw(4).tolist() == c


SEED = 0xFEDCBA9876543210


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 63, 256, 4097, 70_001])
@pytest.mark.parametrize("offset", [0, 1, 2, 3, 6])
def test_words(count, offset):
    generator = Philox(SEED, offset, sequence=9)
    got = generator.gen_uniform(count, U4).get()
    assert (got == words(SEED, offset, count, 9)).all()
    assert generator.get_state()["position"] == offset + count


def test_long_words_are_two():
    for offset in (0, 1, 2, 5):
        got = Philox(SEED, offset).gen_uniform(1001, U8).get()
        first = (offset + 1) // 2 * 2
        assert (got.view(U4) == words(SEED, first, 2002)).all()


@pytest.mark.parametrize("at", [2**34 - 9, 2**34 + 2, 2**63 - 6, 2**64 - 7])
def test_far_away(at):
    """Positions where the counter's low word overflows, and the last ones."""
    got = Philox(5, at).gen_uniform(7, U4).get()
    assert (got == words(5, at, 7)).all()


def test_the_end():
    generator = Philox(5, 2**64 - 3)
    generator.gen_uniform(3, U4)
    with pytest.raises(ValueError, match="used up"):
        generator.gen_uniform(1, U4)


def test_reals():
    w = words(3, 0, 4000)
    pairs = w.view("<u8")
    got = Philox(3).random(4000, F4).get()
    assert (got == (w >> 8).astype(F4) * F4(2**-24)).all()
    got = Philox(3).random(2000).get()
    assert (got == (pairs >> U8(11)) * 2.0**-53).all()
    # The method is cuRAND's: midpoints of equal intervals, from rounded words.
    got = Philox(3).gen_uniform(4000, F4).get()
    middles = w.astype(F4).astype(F8) * 2.0**-32 + 2.0**-33
    assert (got == middles.astype(F4)).all()
    low, high = w[::2].astype(U8), w[1::2].astype(U8)
    bits = (high << U8(21)) ^ low
    got = Philox(3).gen_uniform(2000, F8).get()
    assert (got == (bits * 2.0**-53 + 2.0**-54)).all()


# Results recorded on other devices; they must not change.
SUMS = {
    "bits of 32": "f7612e662a924df0",
    "bits of 64": "cbca1353fabfd5ef",
    "uniform float": "67f04875a662e7e3",
    "uniform double": "d70f74ea2c9f1422",
    "random float": "641dccbcc815d908",
    "random double": "c8dc42ef0a4ea967",
    "small integers": "6879a2229245b0d6",
    "integers": "e4a243a88a8a7047",
    "long integers": "4558e34d2a400a24",
    "permutation": "fa89a76ccc9618ed",
}
DRAWS = {
    "bits of 32": lambda g, n: g.gen_uniform(n, U4),
    "bits of 64": lambda g, n: g.gen_uniform(n, U8),
    "uniform float": lambda g, n: g.gen_uniform(n, F4),
    "uniform double": lambda g, n: g.gen_uniform(n, F8),
    "random float": lambda g, n: g.random(n, F4),
    "random double": lambda g, n: g.random(n, F8),
    "small integers": lambda g, n: g.integers(-5, 1000, n, np.int16),
    "integers": lambda g, n: g.integers(0, 3 << 30, n, np.int64),
    "long integers": lambda g, n: g.integers(-3 << 61, 3 << 61, n, np.int64),
    "permutation": lambda g, n: g.permutation(n),
}


def digest(array):
    return hashlib.sha256(array.get().tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_sums_of_other_devices(name):
    generator = Philox(20261121, 3, sequence=7)
    assert digest(DRAWS[name](generator, 100_003)) == SUMS[name]


CONTINUED = {
    **DRAWS,
    "normal float": lambda g, n: g.standard_normal(n, F4),
    "normal double": lambda g, n: g.standard_normal(n),
    "lognormal": lambda g, n: g.lognormal(0.5, 2, n, F4),
    "exponential": lambda g, n: g.exponential(3, n),
    "poisson": lambda g, n: g.poisson(3.5, n),
    "large poisson": lambda g, n: g.poisson(44, n, U4),
    "gamma": lambda g, n: g.gamma(0.7, 2, n),
}
del CONTINUED["permutation"]


@pytest.mark.parametrize("name", sorted(CONTINUED))
def test_in_parts_or_at_once(name):
    """Splitting the launch, or misaligned views, changes no number."""
    draw, sizes = CONTINUED[name], [2, 4, 1022, 4, 2, 9000, 66]
    parts, whole = Philox(11), Philox(11)
    got = [draw(parts, n).get() for n in sizes]
    expected = draw(whole, sum(sizes)).get()
    np.testing.assert_array_equal(np.concatenate(got), expected)
    assert parts.get_state() == whole.get_state()


def test_numbers_of_32_bits_go_on_anywhere():
    whole = Philox(11).random(9000, F4).get()
    parts = Philox(11)
    got = [parts.random(n, F4).get() for n in (1, 5, 3, 4096, 7, 4888)]
    np.testing.assert_array_equal(np.concatenate(got), whole)


@pytest.mark.parametrize("skew", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", [F4, F8, np.int8])
def test_out_of_any_alignment(skew, dtype):
    def fill(generator, out):
        if out.dtype == np.int8:
            return generator.integers(-9, 99, out=out)
        return generator.random(out=out)

    room = gpuarray.zeros(2000, dtype)
    part = room[skew : skew + 1501]
    assert fill(Philox(4), part) is part
    expected = fill(Philox(4), gpuarray.empty(1501, dtype)).get()
    host = room.get()
    assert (host[skew : skew + 1501] == expected).all()
    assert not host[:skew].any() and not host[skew + 1501 :].any()


def test_out_of_another_order():
    """Elements count in NumPy's order, whatever their strides."""
    out = gpuarray.to_gpu(np.zeros((30, 40), order="F"))
    got = Philox(4).normal(2, 3, out=out).get()
    assert (got == Philox(4).normal(2, 3, (30, 40)).get()).all()
    means = np.asfortranarray(np.arange(1200.0).reshape(30, 40))
    data = gpuarray.to_gpu(means)
    Philox(4).fill_poisson(data)
    assert np.abs(data.get() - means).max() < 200
    small = gpuarray.to_gpu(np.ascontiguousarray(means))
    assert (data.get() == Philox(4).poisson(small, dtype="f8").get()).all()


def test_infinite_parameters():
    """Infinite parameters terminate; the results are unspecified."""
    generator, infinite = Philox(1), float("inf")
    for dtype in (F4, F8):
        x = generator.normal(1, infinite, 1000, dtype).get()
        assert np.isinf(x).all() and 300 < (x > 0).sum() < 700
        x = generator.lognormal(0, infinite, 1000, dtype).get()
        assert set(x.tolist()) == {0, infinite}
        assert np.isinf(generator.exponential(infinite, 9, dtype).get()).all()
        assert np.isnan(generator.normal(np.nan, 1, 9, dtype).get()).all()
        x = generator.lognormal(0, 1e30, 1000, dtype).get()
        assert set(x.tolist()) == {0, infinite}
    assert np.isinf(generator.gamma(infinite, 1, 1000).get()).all()
    for shape in (1e300, 1e18):
        x = generator.gamma(shape, 1, 1000).get()
        assert (abs(x / shape - 1) < 1e-8).all()
    assert not generator.gamma(1e-300, 1, 1000).get().any()
    means = gpuarray.to_gpu(np.array([infinite, 1e300, 1e18]))
    assert (generator.poisson(means, dtype=F8).get()[1:] > 9e17).all()


def test_out_with_gaps():
    room = gpuarray.zeros((60, 40), F4)
    part = room[::2, 1::3]
    Philox(4).random(out=part)
    expected = Philox(4).random(part.shape, F4).get()
    assert (part.get() == expected).all()
    assert np.count_nonzero(room.get()) <= part.size


# --- positions ------------------------------------------------------------


def test_skipping():
    plain = Philox(8).gen_uniform(100, U4).get()
    generator = Philox(8)
    generator.call_skip_ahead(7)
    generator.call_skip_ahead_array(gpuarray.to_gpu(np.array([6], U8)))
    assert (generator.gen_uniform(87, U4).get() == plain[13:]).all()
    generator.call_skip_ahead_sequence(2)
    generator.call_skip_ahead_sequence_array(gpuarray.to_gpu(np.array([3])))
    expected = words(8, 100, 5, sequence=5)
    assert (generator.gen_uniform(5, U4).get() == expected).all()
    with pytest.raises(ValueError, match="sequence"):
        generator.call_skip_ahead_sequence(2**32)
    with pytest.raises(ValueError, match="used up"):
        generator.call_skip_ahead(2**64 - 1)
    with pytest.raises(ValueError, match="must be in"):
        generator.call_skip_ahead(-1)
    with pytest.raises(TypeError, match="1 integer"):
        generator.call_skip_ahead_array(gpuarray.zeros(2, U8))
    assert generator.get_state()["position"] == 105


@pytest.mark.parametrize(
    "stored",
    [
        lambda g: pickle.loads(pickle.dumps(g)),
        copy.copy,
        copy.deepcopy,
        lambda g: restored(g.get_state()),
        lambda g: eval(repr(g), {"PhiloxRandomNumberGenerator": Philox}),
    ],
)
def test_states_are_kept(stored):
    generator = Philox(SEED, 3, sequence=4)
    generator.random(17)
    other = stored(generator)
    expected = generator.standard_normal(50).get()
    assert (other.standard_normal(50).get() == expected).all()
    assert (other.random(5).get() == generator.random(5).get()).all()


def restored(state):
    generator = Philox(0)
    generator.set_state(state)
    return generator


def test_bad_states():
    generator = Philox(1)
    good = generator.get_state()
    for wrong in (
        {"generator": "MT19937"},
        {"seed": -1},
        {"sequence": 1 << 32},
        {"position": -1},
    ):
        with pytest.raises(ValueError):
            generator.set_state({**good, **wrong})
    with pytest.raises(ValueError, match="no 'seed'"):
        generator.set_state({"generator": "Philox4x32-10"})
    assert generator.get_state() == good


def test_seeds():
    np.random.seed(3)
    one = Philox().random(9).get()
    two = Philox().random(9).get()
    np.random.seed(3)
    assert (Philox().random(9).get() == one).all() and (one != two).any()
    sequence = np.random.SeedSequence(5)
    assert (
        Philox(sequence).random(5).get() == Philox(sequence).random(5).get()
    ).all()

    def getter(n):
        return gpuarray.to_gpu(np.arange(n, dtype=np.int32) - 1)

    assert Philox(getter).get_state()["seed"] == 0xFFFFFFFF
    assert Philox(curandom.seed_getter_unique).random(3).shape == (3,)
    assert Philox(np.int64(7)).get_state()["seed"] == 7
    for wrong in (-1, 1 << 64):
        with pytest.raises(ValueError, match="seed must be in"):
            Philox(wrong)
    for wrong in (1.5, "x", lambda n: np.zeros(n), [1]):
        with pytest.raises(TypeError, match="seed must be"):
            Philox(wrong)
    with pytest.raises(ValueError, match="offset"):
        Philox(1, -4)
    with pytest.raises(ValueError, match="sequence"):
        Philox(1, sequence=-4)


def test_threads_never_draw_the_same():
    generator, found = Philox(1), []
    context = drv.Context.get_current()

    def draw():
        context.push()
        for _ in range(50):
            found.append(generator.random(4, F4).get())
        drv.Context.pop()

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = Philox(1).random(800, F4).get()
    np.testing.assert_array_equal(
        np.sort(np.concatenate(found)), np.sort(expected)
    )


# --- integers -------------------------------------------------------------


def bounded(w, low, count, bits):
    """Apply Lemire's method to words of the first attempt; None: rejected."""
    products = [int(x) * count for x in w]
    threshold = (1 << bits) % count
    return [
        None if p & ((1 << bits) - 1) < threshold else low + (p >> bits)
        for p in products
    ]


@pytest.mark.sweep(most=7)
@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (0, 10, np.int64),
        (-128, 128, np.int8),
        (0, 256, np.uint8),
        (-5, 1000, np.int16),
        (0, 65536, np.uint16),
        (7, 8, np.int32),
        (-(2**31), 2**31, np.int32),
        (0, 2**32, np.uint32),
        (0, 3 << 30, np.uint32),
        (-5, 2**32 - 5, np.int64),
        (0, 2**32 + 1, np.int64),
        (-(2**63), 2**63, np.int64),
        (0, 2**64, np.uint64),
        (1, 3 << 62, np.uint64),
    ],
)
def test_integers(low, high, dtype):
    n, count = 20_000, high - low
    got = Philox(6).integers(low, high, n, dtype).get()
    assert got.dtype == dtype
    assert int(got.min()) >= low and int(got.max()) < high
    bits = 32 if count <= 2**32 else 64
    w = words(6, 0, n * bits // 32).view(f"<u{bits // 8}")
    expected = bounded(w, low, count, bits)
    assert all(
        e is None or e == g
        for e, g in zip(expected, got.tolist(), strict=True)
    )
    rejected = sum(e is None for e in expected)
    share = ((1 << bits) % count) / (1 << bits)
    assert abs(rejected - n * share) <= 5 * np.sqrt(n * share) + 1e-9
    middle = (low + high - 1) / 2
    spread = np.sqrt((float(count) ** 2 - 1) / 12 / n)
    assert abs(got.astype(F8).mean() - middle) <= 5 * spread


def test_rejected_integers_are_unbiased():
    """A third of the words is rejected; modulo would favor low results."""
    count = 3 << 30
    got = Philox(6).integers(0, count, 300_000, U4).get()
    parts = np.bincount(got >> 28, minlength=12)
    chi = ((parts - 25_000) ** 2 / 25_000).sum()
    assert chi < 40  # 11 degrees of freedom; probability 1e-5
    biased = words(6, 0, 300_000) % U4(count)
    parts = np.bincount(biased >> 28, minlength=12)
    assert ((parts - 25_000) ** 2 / 25_000).sum() > 1000


def test_forms_of_integers():
    generator = Philox(1)
    assert generator.integers(5).shape == ()
    got = generator.integers(1, 3, (200,), endpoint=True).get()
    assert set(got.tolist()) == {1, 2, 3}
    assert generator.integers(0, 9, 0).shape == (0,)
    for arguments in ((0,), (3, 3), (4, 2)):
        with pytest.raises(ValueError, match="must be below"):
            generator.integers(*arguments)
    with pytest.raises(ValueError, match="range of int8"):
        generator.integers(0, 129, 3, np.int8)
    with pytest.raises(ValueError, match="range of uint8"):
        generator.integers(-1, 9, 3, np.uint8)
    with pytest.raises(TypeError, match="low must be an integer"):
        generator.integers(0.5, 3)
    with pytest.raises(TypeError, match="float32"):
        generator.integers(0, 3, 3, F4)


# --- permutations and choices ---------------------------------------------


def test_permutations():
    generator = Philox(1)
    for n in (0, 1, 2, 5, 1000, 70_000):
        got = generator.permutation(n).get()
        assert got.dtype == np.int64 and sorted(got) == list(range(n))
    x = gpuarray.to_gpu(np.arange(60).reshape(6, 10))
    state = generator.get_state()
    rows = generator.permutation(x).get()
    assert sorted(map(tuple, rows)) == sorted(map(tuple, x.get()))
    columns = generator.permutation(x, axis=1).get()
    assert (np.sort(columns, 1) == x.get()).all() and (
        columns != x.get()
    ).any()
    generator.set_state(state)
    before = x.get()
    generator.shuffle(x)
    assert (x.get() == rows).all() and (before != rows).any()
    generator.shuffle(x[:, ::2], axis=1)
    assert sorted(x.get()[0]) == sorted(rows[0])


def test_all_orders_are_as_probable():
    generator = Philox(2)
    keys = generator.permutation
    seen = {}
    for _ in range(1200):
        order = tuple(keys(3).get().tolist())
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 6
    chi = sum((count - 200) ** 2 / 200 for count in seen.values())
    assert chi < 33  # 5 degrees of freedom, probability 4e-6


@pytest.mark.slow
def test_choices():
    generator = Philox(3)
    got = generator.choice(5, (40, 50)).get()
    assert got.shape == (40, 50) and set(got.ravel()) == set(range(5))
    got = generator.choice(50, 50, replace=False).get()
    assert sorted(got) == list(range(50))
    a = gpuarray.to_gpu(np.arange(12, dtype=F4).reshape(4, 3))
    rows = generator.choice(a, 100).get()
    assert rows.shape == (100, 3) and (rows % 3 == [0, 1, 2]).all()
    assert generator.choice(a, (2, 5), axis=1).shape == (4, 2, 5)
    assert generator.choice(7).shape == ()
    p = [0.1, 0.0, 0.6, 0.3]
    for weights in (p, gpuarray.to_gpu(np.array(p) * 8)):
        got = generator.choice(4, 40_000, p=weights).get()
        share = np.bincount(got, minlength=4) / got.size
        assert share[1] == 0 and np.abs(share - p).max() < 0.012
    first = [
        generator.choice(3, 2, replace=False, p=[0.5, 0.25, 0.25]).get()
        for _ in range(800)
    ]
    assert all(a != b for a, b in first)
    # P(1 then 2) = 0.25 * 0.25 / 0.75
    share = np.mean([tuple(pair) == (1, 2) for pair in first])
    assert abs(share - 1 / 12) < 0.05
    assert abs(np.mean([pair[0] == 0 for pair in first]) - 0.5) < 0.09


def test_bad_choices():
    generator = Philox(3)
    for arguments, text in [
        ((0, 3), "must not be empty"),
        ((3, 4, False), "without replacement"),
        ((3, 2, True, [1, 2]), "needed"),
        ((3, 2, True, [1, 2, -1]), "negative"),
        ((3, 2, True, [0, 0, 0]), "negative"),
        ((3, 2, True, [1, float("nan"), 0]), "negative"),
        ((3, 3, False, [1, 0, 1]), "fewer of p"),
    ]:
        with pytest.raises(ValueError, match=text):
            generator.choice(*arguments)
    for x in (np.arange(3), 1.5, "x"):
        with pytest.raises(TypeError):
            generator.permutation(x)
        with pytest.raises(TypeError):
            generator.choice(x)
    with pytest.raises(TypeError, match="GPUArray"):
        generator.shuffle([1, 2, 3])
    with pytest.raises(TypeError, match="to_gpu"):
        generator.choice(2, 5, p=np.array([0.5, 0.5]))
    with pytest.raises(np.exceptions.AxisError):
        generator.permutation(gpuarray.zeros(3, F4), axis=1)


# --- arguments ------------------------------------------------------------


def test_sizes_and_targets():
    generator = Philox(1)
    assert generator.random().shape == ()
    assert generator.random(np.int64(3)).shape == (3,)
    assert generator.random((2, 3), "f4").dtype == F4
    out = gpuarray.zeros((2, 3), F4)
    assert generator.normal(5, 0.1, out=out) is out
    assert abs(out.get() - 5).max() < 1
    assert generator.random((0, 5)).shape == (0, 5)
    with pytest.raises(ValueError, match="shape"):
        generator.random((3, 2), out=out)
    with pytest.raises(TypeError, match="float32"):
        generator.random(dtype=F8, out=out)
    with pytest.raises(TypeError, match="out must be a GPUArray"):
        generator.random(out=[1, 2])
    with pytest.raises(TypeError, match="int32"):
        generator.random(3, np.int32)
    with pytest.raises(ValueError, match="negative"):
        generator.random(-3)
    with pytest.raises(TypeError):
        generator.random(2.5)


def test_arrays_as_parameters():
    generator = Philox(1)
    place = gpuarray.to_gpu(np.array([[0.0], [100.0]]))
    width = gpuarray.to_gpu(np.array([1.0, 10.0, 0.0]))
    got = generator.normal(place, width).get()
    z = Philox(1).standard_normal((2, 3)).get()
    np.testing.assert_array_equal(got, z * width.get() + place.get())
    got = generator.normal(place, 2, (2, 4000)).get()
    assert np.abs(got.mean(1) - [0, 100]).max() < 0.2
    got = generator.exponential(width).get()
    assert got.shape == (3,) and got[2] == 0
    got = generator.lognormal(gpuarray.zeros(4000, F8), 0.5).get()
    assert abs(np.log(got).std() - 0.5) < 0.03
    means = gpuarray.to_gpu(np.array([0.5, 3.0, 80.0, 0.0, -1.0, np.nan]))
    got = generator.poisson(means, (3000, 6)).get()
    assert np.abs(got.mean(0) / [0.5, 3, 80, 1, 1, 1] - 1)[:3].max() < 0.1
    assert not got[:, 3:].any()
    got = generator.uniform(place, 200, (2, 500)).get()
    assert got[0].min() < 100 <= got[1].min() and got.max() <= 200


@pytest.mark.parametrize("dtype", [F4, F8])
@pytest.mark.parametrize(
    ("low", "high"),
    [(0, 1), (-2.5, 0.1), (3, 3), (4, 5), (1e30, 3e30), (-1e38, 2e38),
     (0, 3.2e38), (np.float32(0.1), 7)],
)  # fmt: skip
def test_between_bounds(dtype, low, high):
    u = Philox(11).random(501, dtype).get()
    width = dtype(float(high) - float(low))
    want = u * width + dtype(low)
    got = Philox(11).uniform(low, high, 501, dtype)
    out = gpuarray.empty(501, dtype)
    assert Philox(11).uniform(low, high, out=out) is out
    np.testing.assert_array_equal(got.get(), want)
    np.testing.assert_array_equal(out.get(), want)


def test_between_arrays_keeps_to_the_stream():
    stream, generator = drv.Stream(), Philox(3)
    low, high = gpuarray.zeros(40, F4) + 1, gpuarray.zeros(40, F4) + 4
    generator.uniform(low, high, 40, F4)
    with stream.capture() as graph:
        made = generator.uniform(low, high, 40, F4, stream=stream)
    low.fill(10)
    high.fill(11)
    drv.Context.synchronize()
    graph.launch(stream)
    stream.synchronize()
    assert ((made.get() >= 10) & (made.get() <= 11)).all()


def test_between_is_one_kernel():
    stream, generator = drv.Stream(), Philox(3)
    generator.uniform(2, 3, 99)
    generator.random(99)
    counts = []
    for call in (generator.random, lambda n: generator.uniform(2, 3, n)):
        with stream.capture() as graph, stream.use():
            made = [call(99) for _ in range(5)]
        graph.launch(stream)
        stream.synchronize()
        assert (made[4].get() > 0).any()
        counts.append(graph.node_count)
    assert counts[0] == counts[1]


def test_bad_parameters():
    generator = Philox(1)
    for call in (
        lambda: generator.normal(0, -1),
        lambda: generator.lognormal(0, -1),
        lambda: generator.exponential(-1),
        lambda: generator.poisson(-1),
        lambda: generator.poisson(float("nan")),
        lambda: generator.poisson(1e19),
        lambda: generator.poisson(300, dtype=np.int8),
        lambda: generator.gamma(0),
        lambda: generator.gamma(1, -1),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (
        lambda: generator.normal("a"),
        lambda: generator.normal(np.zeros(3)),
        lambda: generator.exponential(np.ones(3)),
        lambda: generator.poisson(None),
        lambda: generator.fill_uniform(np.zeros(3)),
        lambda: generator.uniform("a"),
        lambda: generator.random(3, stream=5),
        lambda: generator.set_state(None),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(NotImplementedError, match="complex64"):
        generator.gen_uniform(3, np.complex64)
    with pytest.raises(NotImplementedError, match="normal"):
        generator.gen_normal(3, np.int32)


def test_pycudas_methods():
    generator = Philox(1)
    for dtype in (F4, F8):
        x = generator.gen_normal(100_001, dtype).get()
        assert abs(x.mean()) < 0.02 and abs(x.std() - 1) < 0.02
        x = np.log(generator.gen_log_normal(100_001, dtype, 1, 0.5).get())
        assert abs(x.mean() - 1) < 0.01 and abs(x.std() - 0.5) < 0.01
        x = generator.gen_uniform(100_001, dtype).get()
        assert x.min() > 0 and x.max() <= 1 and abs(x.mean() - 0.5) < 0.01
    x = generator.gen_poisson(100_000, U4, 10).get()
    assert abs((x == 9).mean() - 0.1251) < 0.005
    for dtype in (U4, F4, F8):
        data = gpuarray.to_gpu(np.full((300, 100), 40, dtype))
        generator.fill_poisson(data)
        x = data.get()
        assert abs(x.mean() - 40) < 0.3 and abs(x.var() / 40 - 1) < 0.05


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (0, float("inf"), None),
        (float("-inf"), 0, None),
        (float("nan"), 1, None),
        (-1e308, 1e308, None),
        (0, 1e39, F4),
    ],
)
def test_uniform_between_no_bounds(low, high, dtype):
    with pytest.raises(OverflowError, match="range exceeds valid bounds"):
        Philox(1).uniform(low, high, 2, dtype)


def test_uniform_bounds_in_turn():
    with pytest.raises(ValueError, match="high - low < 0: 5 to 1"):
        Philox(1).uniform(5, 1, 2)
    assert Philox(1).uniform(3, 3, 2).get().tolist() == [3, 3]
    wide = Philox(1).uniform(-1e38, 2e38, 1000, F4).get()
    assert -1e38 <= wide.min() < wide.max() <= 2e38
    far = Philox(1).uniform(-1e300, 1e300, 1000).get()
    assert -1e300 <= far.min() < 0 < far.max() <= 1e300


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [("i1", -100, 100), ("u1", 200, 100), ("u8", 5, 1), ("e", -6e4, 6e4),
     ("?", False, True)],
)  # fmt: skip
def test_uniform_between_arrays_that_cannot_hold_their_difference(
    dtype, low, high
):
    bounds = [
        gpuarray.to_gpu(np.full(500, value, dtype)) for value in (low, high)
    ]
    got = Philox(1).uniform(*bounds).get()
    least, most = sorted(map(float, (low, high)))
    assert least <= got.min() < got.max() <= most
    assert got.max() - got.min() > 0.9 * (most - least)
