"""Large copies of pageable memory through page-locked buffers."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule

CHUNK, LEAST = 256, 1000
BUFFERS = 4
ROOM = 20 * CHUNK + 3
SIZES = sorted(
    {LEAST - 1, LEAST, ROOM}
    | {
        k * CHUNK + d
        for k in (4, BUFFERS + 1, 2 * BUFFERS)
        for d in (-1, 0, 1)
    }
)


@pytest.fixture(autouse=True)
def staged() -> Iterator[None]:
    _driver._set_staging(LEAST, CHUNK)
    yield
    _driver._set_staging()


def count() -> int:
    """Return the number of staged copies since the last call."""
    return _driver._set_staging(LEAST, CHUNK)


def noise(size: int, seed: int = 1) -> np.ndarray:
    return np.random.RandomState(seed).bytes(size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shift", [0, 1])
def test_there_and_back(size: int, shift: int) -> None:
    memory = cuda.mem_alloc(ROOM + 1)
    cuda.memset_d8(memory, 77, ROOM + 1)
    source = np.frombuffer(noise(size), np.uint8)
    cuda.memcpy_htod(int(memory) + shift, source)
    back = np.full(size + 2, 99, np.uint8)
    cuda.memcpy_dtoh(back[1:-1], int(memory) + shift)
    assert np.array_equal(back[1:-1], source)
    assert back[0] == back[-1] == 99, "nothing beside it"
    assert count() == (2 if size >= LEAST else 0)
    whole = np.empty(ROOM + 1, np.uint8)
    cuda.memcpy_dtoh(whole, memory)
    assert (np.delete(whole, np.s_[shift : shift + size]) == 77).all()


LATE = """
__global__ void late(int *a, int n)
{
    const long long start = clock64();
    while (clock64() - start < 3000000) { }
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] += 1;
}
"""


@pytest.mark.parametrize("own_stream", [False, True])
def test_order_with_kernels(own_stream: bool) -> None:
    """Copies follow earlier kernels and precede later ones."""
    late = SourceModule(LATE).get_function("late")
    n = np.int32(3000)
    host = np.frombuffer(noise(4 * n), np.int32)
    memory, back = cuda.mem_alloc(host.nbytes), np.empty_like(host)

    def work() -> None:
        cuda.memset_d32_async(memory, 5, int(n), stream)
        late(memory, n, block=(64, 1, 1))
        cuda.memcpy_dtoh(back, memory)
        assert (back == 6).all()
        late(memory, n, block=(64, 1, 1))
        cuda.memcpy_htod(memory, host)
        late(memory, n, block=(64, 1, 1))
        cuda.memcpy_dtoh(back, memory)
        assert np.array_equal(back, host + 1)

    stream = cuda.Stream() if own_stream else None
    if stream is None:
        work()
    else:
        with stream:
            work()
    assert count() == 3


def test_arrays_and_arguments() -> None:
    host = np.arange(5000, dtype=np.int32)
    array = gpuarray.to_gpu(host)
    assert np.array_equal(array.get(), host)
    assert count() == 2
    array.set(host[::-1].copy())
    assert np.array_equal(array.get(), host[::-1])
    assert count() == 2
    late = SourceModule(LATE).get_function("late")
    late(cuda.InOut(host), np.int32(5000), block=(64, 1, 1))
    assert np.array_equal(host, np.arange(1, 5001))
    assert count() == 2


def test_the_source_may_change_at_once() -> None:
    memory = cuda.mem_alloc(ROOM)
    for seed in range(20):
        source = np.frombuffer(noise(ROOM, seed), np.uint8).copy()
        expected = source.copy()
        cuda.memcpy_htod(memory, source)
        source[:] = 0
        back = np.empty_like(source)
        cuda.memcpy_dtoh(back, memory)
        assert np.array_equal(back, expected)


def test_memory_that_the_driver_knows_is_not_staged() -> None:
    memory = cuda.mem_alloc(ROOM)
    locked = cuda.pagelocked_zeros(ROOM, np.uint8)
    cuda.memcpy_htod(memory, locked)
    cuda.memcpy_dtoh(locked, memory)
    managed = cuda.managed_zeros(ROOM, np.uint8, mem_flags=1)
    cuda.memcpy_htod(memory, managed)
    assert count() == 0


@pytest.mark.cpu  # the CPU device detects the wrong address
def test_an_error_leaves_the_ring_fit() -> None:
    size = ROOM
    memory = cuda.mem_alloc(size)
    source = np.frombuffer(noise(size), np.uint8)
    back = np.zeros(size, np.uint8)
    for wrong in (
        lambda: cuda.memcpy_htod(1 << 62, source),
        lambda: cuda.memcpy_dtoh(back, 1 << 62),
    ):
        with pytest.raises(cuda.LogicError, match=r"cuMemcpy.* failed"):
            wrong()
        cuda.memcpy_htod(memory, source)
        cuda.memcpy_dtoh(back, memory)
        assert np.array_equal(back, source)
    assert count() == 6


def test_a_capture_refuses_the_copy() -> None:
    memory = cuda.mem_alloc(ROOM)
    stream = cuda.Stream()
    with (
        stream.capture(),
        pytest.raises(
            cuda.LogicError, match="synchronous call cannot be captured"
        ),
    ):
        cuda.memcpy_htod(memory, noise(ROOM))
    cuda.memcpy_htod(memory, noise(ROOM))
    assert count() == 1


def test_threads_share_the_ring() -> None:
    """While the buffers are in use, other threads use the driver's copies."""
    context = pycuda.autoinit.context
    wrong = []

    def work(seed: int) -> None:
        context.push()
        try:
            size = 40_000 + seed
            memory = cuda.mem_alloc(size)
            back = np.empty(size, np.uint8)
            for turn in range(30):
                source = np.frombuffer(noise(size, 100 * seed + turn), "u1")
                cuda.memcpy_htod(memory, source)
                cuda.memcpy_dtoh(back, memory)
                if not np.array_equal(back, source):
                    wrong.append((seed, turn))
        finally:
            context.pop()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert 1 <= count() <= 240


def test_each_context_has_its_ring() -> None:
    other = cuda.Device(0).make_context()
    try:
        memory = cuda.mem_alloc(ROOM)
        cuda.memcpy_htod(memory, noise(ROOM))
        back = np.empty(ROOM, np.uint8)
        cuda.memcpy_dtoh(back, memory)
        assert back.tobytes() == noise(ROOM)
    finally:
        other.detach()
    memory = cuda.mem_alloc(ROOM)
    cuda.memcpy_htod(memory, noise(ROOM))
    assert count() >= 1


def test_larger_copies_get_larger_chunks() -> None:
    _driver._set_staging(LEAST)
    for size in (LEAST, 1 << 20, 9 << 20, 1 << 20):
        host = np.arange(size // 4, dtype=np.int32)
        assert np.array_equal(gpuarray.to_gpu(host).get(), host)
    assert count() == 6, "the first is less than a chunk"
