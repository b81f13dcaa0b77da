"""Every atomic function and type; warp votes, matches and reductions."""

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

TYPES = {
    "int": np.int32,
    "unsigned int": np.uint32,
    "unsigned long long": np.uint64,
    "long long": np.int64,
    "float": np.float32,
    "double": np.float64,
}
INTEGERS = ("int", "unsigned int", "unsigned long long")
N = 640


def run(body, dtype, start):
    """Run `body` on each thread t in 1..N and return the word it updates."""
    word = np.array([start], dtype)
    name = next(n for n, d in TYPES.items() if d is dtype)
    module = SourceModule(
        f"""
        __global__ void kernel({name} *p)
        {{
            unsigned int t = blockIdx.x * blockDim.x + threadIdx.x + 1;
            {body};
        }}
        """
    )
    module.get_function("kernel")(
        cuda.InOut(word), block=(64, 1, 1), grid=(N // 64, 1)
    )
    return word[0]


@pytest.mark.parametrize("suffix", ["", "_system"])
@pytest.mark.parametrize("name", [*INTEGERS, "float", "double"])
def test_add(name, suffix):
    got = run(f"atomicAdd{suffix}(p, ({name})t)", TYPES[name], 5)
    assert got == 5 + N * (N + 1) // 2


@pytest.mark.parametrize("name", ["int", "unsigned int"])
def test_subtract(name):
    start = N * N
    got = run(f"atomicSub(p, ({name})t)", TYPES[name], start)
    assert got == start - N * (N + 1) // 2


@pytest.mark.parametrize("name", [*INTEGERS, "long long"])
def test_minimum_and_maximum(name):
    dtype = TYPES[name]
    assert run(f"atomicMax(p, ({name})t)", dtype, 3) == N
    assert run(f"atomicMin(p, ({name})t)", dtype, 300) == 1


def test_minimum_is_signed_where_the_type_is():
    assert run("atomicMin(p, -(int)t)", np.int32, 0) == -N
    assert run("atomicMin(p, 0u - t)", np.uint32, 7) == 7


@pytest.mark.parametrize("name", INTEGERS)
def test_bits(name):
    dtype = TYPES[name]
    bit = f"(({name})1 << t % 31)"
    everything = 2**31 - 1
    assert run(f"atomicOr(p, {bit})", dtype, 0) == everything
    assert run(f"atomicAnd(p, ~{bit})", dtype, everything) == 0
    twice = [0] * 31
    for t in range(1, N + 1):
        twice[t % 31] ^= 1
    want = sum(b << i for i, b in enumerate(twice))
    assert run(f"atomicXor(p, {bit})", dtype, 0) == want


@pytest.mark.parametrize("name", [*INTEGERS, "float"])
def test_exchange(name):
    got = run(f"atomicExch(p, ({name})t)", TYPES[name], 0)
    assert 1 <= got <= N


def test_wrapping_counters():
    assert run("atomicInc(p, 99)", np.uint32, 0) == N % 100
    assert run("atomicDec(p, 99)", np.uint32, 0) == 100 - N % 100
    assert run("atomicDec(p, 9)", np.uint32, 50) <= 9


@pytest.mark.parametrize("name", INTEGERS)
def test_compare_and_swap(name):
    body = (
        f"{name} seen = *p, before;"
        " do { before = seen;"
        f" seen = atomicCAS(p, before, before + ({name})t);"
        " } while (seen != before)"
    )
    assert run(body, TYPES[name], 0) == N * (N + 1) // 2


def test_results_are_the_old_values():
    module = SourceModule(
        """
        __global__ void kernel(int *word, int *old)
        {
            old[atomicAdd(word, 1)] = 1;
        }
        """
    )
    word, old = np.zeros(1, np.int32), np.zeros(N, np.int32)
    module.get_function("kernel")(
        cuda.InOut(word), cuda.InOut(old), block=(N // 2, 1, 1), grid=(2, 1)
    )
    assert word[0] == N and old.all()


WARP = {
    "__ballot_sync(~0u, lane % 3 == 0)": lambda x: sum(
        1 << i for i in range(0, 32, 3)
    ),
    "__any_sync(~0u, lane == 7)": lambda x: 1,
    "__any_sync(~0u, lane == 77)": lambda x: 0,
    "__all_sync(~0u, lane < 32)": lambda x: 1,
    "__all_sync(~0u, lane != 5)": lambda x: 0,
    "__match_any_sync(~0u, lane / 8)": lambda x: 0xFF << x // 8 * 8,
    "__popc(__activemask())": lambda x: 32,
    "__shfl_sync(~0u, lane * 10, 3)": lambda x: 30,
    "__shfl_sync(~0u, lane, 1, 8)": lambda x: x // 8 * 8 + 1,
    "__shfl_up_sync(~0u, lane, 2)": lambda x: x - 2 if x > 1 else x,
    "__shfl_down_sync(~0u, lane, 5, 16)": lambda x: (
        x + 5 if x % 16 < 11 else x
    ),
    "__shfl_xor_sync(~0u, lane, 9)": lambda x: x ^ 9,
    "(int)__shfl_xor_sync(~0u, (double)lane, 31)": lambda x: 31 - x,
    "(int)(__shfl_sync(~0u, (long long)lane << 40, 6) >> 40)": lambda x: 6,
}


@pytest.mark.parametrize("expression", WARP)
def test_warp(expression):
    module = SourceModule(
        f"""
        __global__ void kernel(unsigned int *out)
        {{
            int lane = threadIdx.x % 32;
            out[threadIdx.x] = {expression};
        }}
        """
    )
    out = np.empty(64, np.uint32)
    module.get_function("kernel")(cuda.Out(out), block=(64, 1, 1))
    assert out.tolist() == [WARP[expression](x) for x in range(32)] * 2


@pytest.mark.cpu
def test_warp_reductions():
    """Instructions of sm_80: the CPU device has them, old GPUs do not."""
    module = SourceModule(
        """
        __global__ void kernel(int *out)
        {
            int lane = threadIdx.x % 32, odd = lane & 1;
            unsigned int mask = odd ? 0xaaaaaaaau : 0x55555555u;
            int *o = out + 4 * threadIdx.x;
            o[0] = __reduce_add_sync(mask, lane);
            o[1] = __reduce_min_sync(mask, lane - 9);
            o[2] = __reduce_max_sync(mask, (unsigned int)lane);
            o[3] = __reduce_or_sync(mask, 1u << lane % 8);
        }
        """
    )
    out = np.empty((32, 4), np.int32)
    module.get_function("kernel")(cuda.Out(out), block=(32, 1, 1))
    assert out[0].tolist() == [240, -9, 30, 0x55]
    assert out[1].tolist() == [256, -8, 31, 0xAA]
    assert (out[::2] == out[0]).all() and (out[1::2] == out[1]).all()
