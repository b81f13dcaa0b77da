"""Cached state of a launch is dropped when the next launch differs."""

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void put(int *out, int number, float real)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = number;
    ((float *)out)[100 + i] = real;
}
"""


@pytest.fixture
def put() -> cuda.Function:
    return SourceModule(SOURCE).get_function("put")


@pytest.fixture
def out() -> gpuarray.GPUArray:
    return gpuarray.zeros(200, np.int32)


def seen(out: gpuarray.GPUArray) -> tuple[int, float, int]:
    """Return (the number, the real, the count of threads) and clear them."""
    host = out.get()
    out.fill(0)
    return host[0], host.view(np.float32)[100], np.count_nonzero(host[:100])


def test_order_of_keywords(put: cuda.Function, out: gpuarray.GPUArray) -> None:
    n, x = np.int32(7), np.float32(2.5)
    for _ in range(2):
        put(out, n, x, block=(3, 1, 1), grid=(2, 1))
        assert seen(out) == (7, 2.5, 6)
        put(out, n, x, grid=(4, 1), block=(5, 1, 1))
        assert seen(out) == (7, 2.5, 20)
        put(out, n, x, block=(9, 1, 1))
        assert seen(out) == (7, 2.5, 9)
        put(out, n, x, grid=(1,), block=(2, 1, 1), shared=16)
        assert seen(out) == (7, 2.5, 2)
        put(out, n, x, **{"block": (8, 1, 1), "grid": (2,)})
        assert seen(out) == (7, 2.5, 16)


def test_wrong_keywords_of_a_known_place(
    put: cuda.Function, out: gpuarray.GPUArray
) -> None:
    n, x = np.int32(7), np.float32(2.5)
    for block in ((1, 1, 1), None, (1, 1, 1)):

        def call(block: tuple | None = block) -> None:
            put(out, n, x, grid=(1, 1), block=block)

        if block is None:
            with pytest.raises(ValueError, match="must specify block"):
                call()
        else:
            call()
    for _ in range(2):
        with pytest.raises(ValueError, match="must specify block"):
            put(out, n, x, grid=(1, 1))
        with pytest.raises(ValueError, match="extra keyword arguments: gird"):
            put(out, n, x, block=(1, 1, 1), gird=(1, 1))


def test_types_change_from_call_to_call(
    put: cuda.Function, out: gpuarray.GPUArray
) -> None:
    memory = cuda.mem_alloc(out.nbytes)
    pool = cuda.DeviceMemoryPool()
    pooled = gpuarray.zeros(200, np.int32, allocator=pool.allocate)
    view = gpuarray.zeros(300, np.int32)[50:250]
    places = [out, memory, pooled, view, out.gpudata, pooled.gpudata, out]
    numbers = [np.int32(-3), np.int64(-3), np.int8(-3), np.int16(-3)]
    put.prepare("Pif")
    for turn in range(3):
        for place in places:
            for number in numbers:
                put(place, number, np.float32(1.5), block=(4, 1, 1))
            back = np.zeros(200, np.int32)
            cuda.memcpy_dtoh(back, int(getattr(place, "gpudata", place)))
            assert (back[:4] == -3).all(), turn
            put.prepared_call((1, 1), (4, 1, 1), place, 5 + turn, 0.5)
            cuda.memcpy_dtoh(back, int(getattr(place, "gpudata", place)))
            assert (back[:4] == 5 + turn).all()
            assert (back.view(np.float32)[100:104] == 0.5).all()


@pytest.mark.parametrize(
    "number",
    [0, 1, -1, 2**30 - 1, 2**30, -(2**30), 2**31 - 1, -(2**31), True]
    + [np.int32(-9), np.int64(9), np.uint8(200)],
)
def test_prepared_integers(
    put: cuda.Function, out: gpuarray.GPUArray, number: int
) -> None:
    put.prepare("Pif")
    for _ in range(2):
        put.prepared_call((1, 1), (1, 1, 1), out.gpudata, number, 1)
        assert seen(out)[0] == number


@pytest.mark.parametrize("code", list("lqnLQN"))
def test_prepared_long_integers(code: str) -> None:
    source = "__global__ void f(long long *out, long long x) { *out = x; }"
    kernel = SourceModule(source).get_function("f")
    kernel.prepare("P" + code)
    out = gpuarray.zeros(1, np.int64)
    numbers = [0, 1, 2**30 - 1, 2**30, 2**62, True, np.int32(9)]
    below = [-1, -(2**30), -(2**63), np.int8(-3)]
    for number in numbers + (below if code.islower() else []):
        for _ in range(2):
            kernel.prepared_call((1, 1), (1, 1, 1), out.gpudata, number)
            assert out.get()[0] == number
    for number in below if code.isupper() else [2**63]:
        with pytest.raises(Exception, match="kernel 'f': argument #"):
            kernel.prepared_call((1, 1), (1, 1, 1), out.gpudata, number)


@pytest.mark.parametrize(
    "real",
    [
        0.0,
        -1.5,
        1e-40,
        1e300,
        float("inf"),
        3,
        -(2**30) + 1,
        2**30 - 1,
        True,
        np.float64(0.1),
    ],
)
def test_prepared_reals(
    put: cuda.Function, out: gpuarray.GPUArray, real: float
) -> None:
    put.prepare("Pif")
    for _ in range(2):
        put.prepared_call((1, 1), (1, 1, 1), out.gpudata, 1, real)
        with np.errstate(over="ignore"):
            assert seen(out)[1] == np.float32(real)


def test_prepared_values_that_do_not_fit(
    put: cuda.Function, out: gpuarray.GPUArray
) -> None:
    put.prepare("Pif")
    for _ in range(2):
        put.prepared_call((1, 1), (1, 1, 1), out.gpudata, 1, 1.0)
        for wrong in ((2**31, 1.0), (-(2**31) - 1, 1.0), (1, "x"), (1.5, 1)):
            with pytest.raises(Exception, match="kernel 'put': argument #"):
                put.prepared_call((1, 1), (1, 1, 1), out.gpudata, *wrong)


def test_freed_memory_is_seen(put: cuda.Function) -> None:
    memory = cuda.mem_alloc(800)
    arguments = (memory, np.int32(1), np.float32(1))
    put.prepare("Pif")
    for _ in range(2):
        put(*arguments, block=(1, 1, 1))
        put.prepared_call((1, 1), (1, 1, 1), *arguments)
    memory.free()
    with pytest.raises(cuda.LogicError, match="freed"):
        put(*arguments, block=(1, 1, 1))
    with pytest.raises(cuda.LogicError, match="freed"):
        put.prepared_call((1, 1), (1, 1, 1), *arguments)


def test_a_graph_keeps_what_was_used_before_its_capture(
    put: cuda.Function,
) -> None:
    stream = cuda.Stream()
    array = gpuarray.zeros(200, np.int32)
    arguments = [array, np.int32(4), np.float32(1)]
    with stream:
        put(*arguments, block=(5, 1, 1))
    with stream.capture() as graph:
        put(*arguments, block=(5, 1, 1))
    view = array[:200]
    view.fill(0)
    address = int(array.gpudata)
    del arguments, array, view
    others = [gpuarray.zeros(200, np.int32) for _ in range(5)]
    assert all(int(o.gpudata) != address for o in others)
    graph.launch(stream)
    stream.synchronize()
    back = np.zeros(5, np.int32)
    cuda.memcpy_dtoh(back, address)
    assert (back == 4).all()


def call_three_times(call):
    """Call three times, so that the last two repeat the first."""
    return [call() for _ in range(3)][-1]


def caller(put: cuda.Function, out: gpuarray.GPUArray, prepared: bool):
    """Return a call of either kind, with the number 7 and the real 2.5."""
    n, x = np.int32(7), np.float32(2.5)
    put.prepare("Pif")

    def call(block: tuple) -> None:
        if prepared:
            put.prepared_call((1, 1), block, out, 7, 2.5)
        else:
            put(out, n, x, block=block, grid=(1, 1))

    return call


def test_shapes_of_prepared_calls(
    put: cuda.Function, out: gpuarray.GPUArray
) -> None:
    put.prepare("Pif")
    for grid, block in [
        ((2, 1), (3, 1, 1)),
        ((2, 1), (4, 1, 1)),
        ((3,), (4, 1, 1)),
        (tuple([3, 1]), (4,)),
        ([5, 1], (1, 1, 1)),
        ((2, 1), (3, 1, 1)),
    ]:
        call_three_times(
            lambda g=grid, b=block: put.prepared_call(g, b, out, 7, 2.5)
        )
        assert seen(out) == (7, 2.5, grid[0] * block[0])
    call_three_times(
        lambda: put(out, np.int32(3), np.float32(1), block=(6, 1, 1))
    )
    assert seen(out) == (3, 1, 6), "no grid is one block"
    call_three_times(
        lambda: put.prepared_call(
            (1, 1), (2, 1, 1), out, 7, 2.5, shared_size=64
        )
    )
    assert seen(out) == (7, 2.5, 2)


def test_prepare_anew(put: cuda.Function, out: gpuarray.GPUArray) -> None:
    grid, block = (1, 1), (3, 1, 1)
    for _ in range(2):
        put.prepare("Pif")
        call_three_times(lambda: put.prepared_call(grid, block, out, 7, 2.5))
        assert seen(out) == (7, 2.5, 3)
        put.prepare("PIf")
        call_three_times(lambda: put.prepared_call(grid, block, out, 8, 2))
        assert seen(out) == (8, 2, 3)
        with pytest.raises(Exception, match="3 arguments, got 2"):
            call_three_times(lambda: put.prepared_call(grid, block, out, 8))


@pytest.mark.parametrize("prepared", [False, True])
def test_refused_launches_say_so_each_time(
    put: cuda.Function, out: gpuarray.GPUArray, prepared: bool
) -> None:
    call = caller(put, out, prepared)
    good, bad = (4, 1, 1), (4096, 1, 1)
    said = set()
    for block in (good, good, bad, bad, bad, good):
        if block is good:
            call(block)
            assert seen(out) == (7, 2.5, 4)
            continue
        with pytest.raises(cuda.Error, match="'put'.*4096") as caught:
            call(block)
        said.add(str(caught.value))
    assert len(said) == 1
    assert seen(out)[2] == 0


@pytest.mark.parametrize("prepared", [False, True])
def test_the_stream_that_is_entered(
    put: cuda.Function, out: gpuarray.GPUArray, prepared: bool
) -> None:
    """Launches without a stream, inside and outside a stream's capture."""
    call_with, block = caller(put, out, prepared), (3, 1, 1)

    def call() -> None:
        call_with(block)

    call_three_times(call)
    assert seen(out) == (7, 2.5, 3)
    cuda.Context.synchronize()
    stream = cuda.Stream()
    with stream.capture() as graph:
        call()
    cuda.Context.synchronize()
    assert seen(out)[2] == 0, "captured and not launched"
    call_three_times(call)
    assert seen(out) == (7, 2.5, 3)
    cuda.Context.synchronize()
    graph.launch(stream)
    stream.synchronize()
    assert seen(out) == (7, 2.5, 3)
    with stream:
        call()
    stream.synchronize()
    assert seen(out) == (7, 2.5, 3)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 40])
def test_any_number_of_arguments(count: int) -> None:
    names = [f"a{i}" for i in range(count - 1)]
    source = "__global__ void f(long long *out" + "".join(
        f", {'double' if i % 2 else 'int'} {a}" for i, a in enumerate(names)
    )
    source += "){ out[threadIdx.x] += 1" + "".join(f" + {a}" for a in names)
    function = SourceModule(source + "; }").get_function("f")
    function.prepare("P" + "id" * ((count - 1) // 2) + "i" * (~count & 1))
    out = gpuarray.zeros(3, np.int64)
    values = [
        np.float64(i) if i % 2 else np.int32(i) for i in range(count - 1)
    ]
    block, grid = (3, 1, 1), (1, 1)
    call_three_times(lambda: function(out, *values, block=block, grid=grid))
    plain = [v.item() for v in values]
    call_three_times(lambda: function.prepared_call(grid, block, out, *plain))
    assert out.get().tolist() == [6 * (1 + sum(range(count - 1)))] * 3


@pytest.mark.parametrize("size", [200, 256, 300, 2000])
def test_structs_by_value(size: int) -> None:
    source = """
    struct many { int values[%d]; };
    __global__ void f(int *out, many m, int last)
    {
        int sum = last;
        for (int v : m.values)
            sum += v;
        out[threadIdx.x] += sum;
    }
    """
    function = SourceModule(source % (size // 4)).get_function("f")
    values = np.arange(size // 4, dtype=np.int32)
    out = gpuarray.zeros(2, np.int32)
    for turn in range(4):
        values += turn
        function(out, values, np.int32(5), block=(2, 1, 1), grid=(1, 1))
    n = size // 4
    assert out.get().tolist() == [2 * (n * (n - 1)) + 20 + 10 * n] * 2


def test_memory_of_many_kinds(put: cuda.Function) -> None:
    """Each parameter receives memory of the previous kind, and of others."""
    pool, plain = cuda.DeviceMemoryPool(), cuda.mem_alloc(800)
    array = gpuarray.zeros(200, np.int32)
    managed = cuda.managed_zeros(
        200, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL
    )
    kinds = [plain, array, array[50:], pool.allocate(800), int(plain), managed]
    put.prepare("Pif")
    grid, block = (1, 1), (3, 1, 1)
    for turn, kind in enumerate(kinds + kinds[::-1]):
        if kind is not managed:
            call_three_times(
                lambda k=kind, t=turn: put.prepared_call(
                    grid, block, k, t, 2.5
                )
            )
        if not isinstance(kind, int):
            call_three_times(
                lambda k=kind, t=turn: put(
                    k, np.int32(t), np.float32(1), block=block, grid=grid
                )
            )
        cuda.Context.synchronize()
        if kind is managed:
            got = managed[:3]
        else:
            address = kind if isinstance(kind, int) else None
            got = np.zeros(3, np.int32)
            if address is None:
                address = int(getattr(kind, "gpudata", kind))
            cuda.memcpy_dtoh(got, address)
        assert got.tolist() == [turn] * 3
