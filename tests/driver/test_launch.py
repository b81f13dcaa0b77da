"""Launches: arguments by the kernel's layout, In/Out, prepared calls."""

import gc
import re
import struct
import threading
import time
import warnings
import weakref
from typing import Any

import numpy as np
import pytest
from kernels_driver import build

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture(scope="module")
def module(context: Any) -> Any:
    return build()


@pytest.fixture
def data() -> np.ndarray:
    return np.arange(100, dtype=np.float32)


def test_plain_call_with_allocations(drv: Any, module: Any, data: Any) -> None:
    source = drv.to_device(data)
    target = drv.mem_alloc(data.nbytes)
    scale = module.get_function("scale")
    result = scale(
        target,
        source,
        np.float32(3),
        np.int32(100),
        block=(32, 1, 1),
        grid=(4, 1),
    )
    assert result is None
    assert (drv.from_device_like(target, data) == 3 * data).all()


@pytest.mark.parametrize(
    "block, grid",
    [
        ((32, 1, 1), (4, 1)),
        ([32], [4]),
        (32, 4),
        (np.int64(32), np.uint8(4)),
        ((np.int32(32), 1), (np.int16(4), 1, 1)),
    ],
)
def test_block_and_grid_spellings(
    drv: Any, module: Any, data: Any, block: Any, grid: Any
) -> None:
    out = np.zeros_like(data)
    module.get_function("scale")(
        drv.Out(out),
        drv.In(data),
        np.float32(2),
        np.int32(100),
        block=block,
        grid=grid,
    )
    assert (out == 2 * data).all()


def test_geometry_reaches_the_kernel(drv: Any, module: Any) -> None:
    out = np.zeros(24, np.int32)
    module.get_function("where")(
        drv.InOut(out), block=(3, 2, 4), grid=(2, 3, 4)
    )
    assert (out == 40203).all()


def test_every_scalar_type(drv: Any, module: Any) -> None:
    out = np.zeros(7)
    module.get_function("types")(
        drv.Out(out),
        np.int8(-3),
        np.int16(-300),
        np.int32(-70000),
        np.int64(-(2**40)),
        np.float32(0.5),
        np.float64(1e-300),
        np.uint8(200),
        block=(1, 1, 1),
    )
    assert out.tolist() == [-3, -300, -70000, -(2**40), 0.5, 1e-300, 200]


def test_integers_are_resized_if_they_fit(drv: Any, module: Any) -> None:
    out = np.zeros(7)
    module.get_function("types")(
        drv.Out(out),
        np.int64(-128),
        np.uint64(7),
        np.int64(-1),
        np.int8(-5),
        np.float32(0),
        np.float64(0),
        np.int64(255),
        block=(1, 1, 1),
    )
    assert out.tolist() == [-128, 7, -1, -5, 0, 0, 255]


@pytest.mark.parametrize("value", [np.int64(2**32), np.int64(-(2**31) - 1)])
def test_integer_that_does_not_fit(
    drv: Any, module: Any, data: Any, value: Any
) -> None:
    source = drv.to_device(data)
    with pytest.raises(OverflowError, match="'scale'.*#3.*4 bytes"):
        module.get_function("scale")(
            source, source, np.float32(1), value, block=(1, 1, 1)
        )


@pytest.mark.parametrize(
    "bad, text",
    [
        (1, "int"),
        (1.0, "float"),
        (True, "bool"),
        (None, "None"),
        (b"x", "bytes"),
        ([1], "list"),
        (object(), "object"),
    ],
)
def test_invalid_argument_type(
    drv: Any, module: Any, bad: Any, text: str
) -> None:
    target = drv.mem_alloc(64)
    pattern = rf"invalid type on parameter #2 \(0-based\).*'scale'.*{text}"
    with pytest.raises(TypeError, match=pattern):
        module.get_function("scale")(
            target, target, bad, np.int32(1), block=(1, 1, 1)
        )


def test_wrong_size_names_everything(drv: Any, module: Any) -> None:
    target = drv.mem_alloc(64)
    pattern = r"'scale'.*#2.*takes 4 bytes.*numpy.float64.*has 8"
    with pytest.raises(TypeError, match=pattern):
        module.get_function("scale")(
            target, target, np.float64(1), np.int32(1), block=(1, 1, 1)
        )


def test_wrong_count(drv: Any, module: Any) -> None:
    target = drv.mem_alloc(64)
    with pytest.raises(TypeError, match=r"'scale\(.*\)' takes 4 parameters"):
        module.get_function("scale")(target, block=(1, 1, 1))


def test_struct_by_value(drv: Any, module: Any) -> None:
    record = np.zeros(1, np.dtype([("x", "f8"), ("y", "f8")]))
    record["x"], record["y"] = 1.5, 2.5
    out = np.zeros(3)
    structure = module.get_function("structure")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        structure(drv.Out(out), np.int32(7), record[0], block=(1, 1, 1))
        assert out.tolist() == [7, 1.5, 2.5]
        structure(
            drv.Out(out), np.int32(8), np.array([3.0, 4.0]), block=(1, 1, 1)
        )
    assert out.tolist() == [8, 3, 4]


@pytest.mark.parametrize("size", [250, 600, 1000])
def test_large_struct_by_value(drv: Any, size: int) -> None:
    from pycuda.compiler import SourceModule

    last = SourceModule(
        f"struct many {{ int of[{size}]; }};"
        "__global__ void last(int *out, many m, int more)"
        f"{{ out[0] = m.of[0] + m.of[{size - 1}]; out[1] = more; }}"
    ).get_function("last")
    many = np.arange(1, size + 1, dtype=np.int32)
    out = np.zeros(2, np.int32)
    last(drv.Out(out), many, np.int32(7), block=(1, 1, 1))
    assert out.tolist() == [size + 1, 7]
    memory = drv.to_device(out)
    last.prepare(f"P{4 * size}si")
    last.prepared_call((1, 1), (1, 1, 1), memory, many[::-1].tobytes(), 8)
    found = drv.from_device(memory, 2, np.int32)
    assert found.tolist() == [size + 1, 8]


def test_hand_padded_arguments_warn_once(drv: Any, module: Any) -> None:
    out = np.zeros(3)
    structure = module.get_function("structure")
    pair = np.array([3.0, 4.0])
    with pytest.warns(UserWarning, match="structure.*4 arguments") as caught:
        for _ in range(2):
            structure(
                drv.Out(out),
                np.int32(9),
                np.int32(0),
                pair,
                block=(1, 1, 1),
            )
    assert len(caught) == 1
    assert out.tolist() == [9, 3, 4]


def test_strided_array_by_value(drv: Any, module: Any) -> None:
    out = np.zeros(3)
    with pytest.raises(ValueError, match="'structure'.*C-contiguous"):
        module.get_function("structure")(
            drv.Out(out), np.int32(1), np.zeros(4)[::2], block=(1, 1, 1)
        )


def test_keywords(drv: Any, module: Any) -> None:
    nothing = module.get_function("nothing")
    with pytest.raises(ValueError, match="must specify block size"):
        nothing()
    with pytest.raises(ValueError, match="extra keyword arguments: a,b"):
        nothing(block=(1, 1, 1), a=1, b=2)
    with pytest.raises(TypeError, match="stream must be"):
        nothing(block=(1, 1, 1), stream=1)
    with pytest.raises(AssertionError):
        nothing(block=(1, 1, 1), stream=drv.Stream(), time_kernel=True)
    assert nothing(block=(1, 1, 1), time_kernel=True) > 0


@pytest.mark.parametrize(
    "block, grid",
    [((4096, 1, 1), (1, 1)), ((1, 1, 1), (0, 1)), ((1, 1, 128), (1, 1))],
)
def test_impossible_launch_names_the_kernel(
    drv: Any, module: Any, block: Any, grid: Any
) -> None:
    pattern = r"cuLaunchKernel failed: .*'nothing', grid \(.*block \("
    with pytest.raises(drv.LogicError, match=pattern):
        module.get_function("nothing")(block=block, grid=grid)
    with pytest.raises(TypeError, match="block dimensions must be integers"):
        module.get_function("nothing")(block=(1.0, 1, 1))
    with pytest.raises(drv.LogicError, match="too many grid dimensions"):
        module.get_function("nothing")(block=(1, 1, 1), grid=(1, 1, 1, 1))


def test_dynamic_shared_memory(drv: Any, module: Any) -> None:
    out = np.zeros(64, np.int32)
    module.get_function("shared")(
        drv.Out(out), block=(64, 1, 1), shared=64 * 4
    )
    assert (out == np.arange(64)[::-1]).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_in_out_with_a_stream(drv: Any, module: Any, order: str) -> None:
    stream = drv.Stream()
    host = drv.pagelocked_zeros((10, 10), np.float32, order)
    source = np.asarray(
        np.arange(100, dtype=np.float32).reshape(10, 10), order=order
    )
    module.get_function("scale")(
        drv.Out(host),
        drv.In(source),
        np.float32(2),
        np.int32(100),
        block=(100, 1, 1),
        stream=stream,
    )
    stream.synchronize()
    assert (host == 2 * source).all()


def test_out_must_be_writable_before_anything_runs(
    drv: Any, module: Any
) -> None:
    frozen = np.ones(4, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        module.get_function("double_all")(drv.InOut(frozen), block=(4, 1, 1))


def test_handlers(drv: Any) -> None:
    handler = drv.In(np.ones(4, np.float32))
    assert handler.dev_alloc is None
    assert handler.get_device_alloc() is handler.dev_alloc
    assert issubclass(drv.InOut, drv.In) and issubclass(drv.InOut, drv.Out)
    with pytest.raises(TypeError, match="could not determine array length"):
        drv.In([1, 2]).get_device_alloc()


def test_handler_subclass_in_python(drv: Any, module: Any) -> None:
    class Loud(drv.InOut):
        steps: list[str] = []

        def pre_call(self, stream: Any) -> None:
            self.steps.append("pre")
            super().pre_call(stream)

        def post_call(self, stream: Any) -> None:
            self.steps.append("post")
            super().post_call(stream)

    array = np.ones(4, np.float32)
    module.get_function("double_all")(Loud(array), block=(4, 1, 1))
    assert Loud.steps == ["pre", "post"]
    assert (array == 2).all()


def test_freed_memory_is_refused(drv: Any, module: Any) -> None:
    memory = drv.mem_alloc(64)
    address = int(memory)
    memory.free()
    assert int(memory) == address
    with pytest.raises(drv.LogicError, match="was freed"):
        module.get_function("double_all")(memory, block=(1, 1, 1))
    with pytest.raises(drv.LogicError, match="invalid resource handle"):
        memory.free()


def test_prepared_calls(drv: Any, module: Any, data: Any) -> None:
    source = drv.to_device(data)
    target = drv.mem_alloc(data.nbytes)
    scale = module.get_function("scale")
    assert scale.prepare(["P", np.intp, np.float32, np.dtype("i4")]) is scale
    assert scale.arg_format == "Plfi"
    scale.prepared_call((4, 1), (32, 1, 1), target, int(source), 3, 100)
    assert (drv.from_device_like(target, data) == 3 * data).all()
    stream = drv.Stream()
    scale.prepared_async_call(
        (4, 1), (32, 1, 1), stream, target, int(source), 4.0, np.int64(100)
    )
    stream.synchronize()
    assert (drv.from_device_like(target, data) == 4 * data).all()
    timer = scale.prepared_timed_call(
        (4, 1), (32, 1, 1), target, int(source), 5.0, 100, shared_size=16
    )
    assert 0 < timer() < 10
    assert (drv.from_device_like(target, data) == 5 * data).all()


@pytest.mark.parametrize(
    "arguments",
    [(), (0, 0, 1.0), (0, 0, 1.0, 1.5), (0, 0, "x", 1), (0, 0, 1.0, 2**40)],
)
def test_prepared_call_errors_are_struct_errors(
    drv: Any, module: Any, arguments: Any
) -> None:
    import pycuda._pvt_struct as pvt

    scale = module.get_function("scale").prepare("PPfi")
    assert issubclass(pvt.error, struct.error)
    with pytest.raises(struct.error):
        scale.prepared_call((1, 1), (1, 1, 1), *arguments)


def test_prepare_refusals(drv: Any, module: Any) -> None:
    scale = module.get_function("scale")
    with pytest.raises(struct.error):
        scale.prepare("P<i")
    with pytest.raises(RuntimeError, match="prepare"):
        scale.prepared_call((1, 1), (1, 1, 1))
    scale.prepare("PP")
    with pytest.raises(TypeError, match=r"'scale\(.*\)' takes 4 parameters"):
        scale.prepared_call((1, 1), (1, 1, 1), 0, 0)
    scale.prepare("PPfi")
    with pytest.raises(TypeError, match="unknown keyword arguments: foo"):
        scale.prepared_call((1, 1), (1, 1, 1), 0, 0, 1.0, 0, foo=1)


def test_prepared_sizes(drv: Any, module: Any, data: Any) -> None:
    """Integers are converted to the parameter's size, others are not."""
    source = drv.to_device(data)
    target = drv.mem_alloc(data.nbytes)
    scale = module.get_function("scale")
    for code in "qhB":
        drv.memset_d8(target, 0, data.nbytes)
        scale.prepare(f"PPf{code}")
        scale.prepared_call((4, 1), (32, 1, 1), target, source, 2.0, 100)
        assert (drv.from_device_like(target, data) == 2 * data).all()
    for wrong in ("PPdi", "PPfd", "PPfs"):
        with pytest.raises(TypeError, match=f"prepared format '{wrong}'"):
            scale.prepare(wrong)
            scale.prepared_call((1, 1), (1, 1, 1), target, source, 2.0, 1)


def test_prepared_types(drv: Any, module: Any) -> None:
    out = drv.mem_alloc(56)
    types = module.get_function("types").prepare("PbhiqfdB")
    types.prepared_call((1, 1), (1, 1, 1), out, -1, -2, -3, -4, 0.5, 0.25, 255)
    got = drv.from_device(out, 7, np.float64)
    assert got.tolist() == [-1, -2, -3, -4, 0.5, 0.25, 255]


def test_globals(drv: Any, module: Any) -> None:
    address, size = module.get_global("table")
    assert size == 16
    values = np.array([1, 2, 3, 4], np.float32)
    drv.memcpy_htod(address, values)
    out = np.zeros(4, np.float32)
    module.get_function("read_table")(drv.Out(out), block=(4, 1, 1))
    assert (out == values).all()
    for find in (module.get_global, module.get_function, module.get_texref):
        with pytest.raises(drv.LogicError, match="named symbol not found"):
            find("no_such_name")


def test_function_keeps_its_module(drv: Any) -> None:
    from pycuda.compiler import SourceModule

    function = SourceModule(
        "__global__ void one(int *a) { *a = 1; }"
    ).get_function("one")
    gc.collect()
    out = np.zeros(1, np.int32)
    function(drv.Out(out), block=(1, 1, 1))
    assert out[0] == 1


def test_function_attributes(drv: Any, module: Any) -> None:
    scale = module.get_function("scale")
    attributes = drv.function_attribute
    assert scale.num_regs == scale.get_attribute(attributes.NUM_REGS)
    assert scale.max_threads_per_block >= 1024
    with pytest.raises(AttributeError, match="function_attribute"):
        _ = scale.no_such_attribute
    scale.note = "mine"
    assert scale.note == "mine"
    assert weakref.ref(scale)() is scale


def test_gpuarray_and_foreign_arguments(drv: Any, module: Any) -> None:
    from pycuda import gpuarray

    class Foreign:
        def __init__(self, array: Any) -> None:
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    class Holder:
        def __init__(self, array: Any) -> None:
            self.gpudata = array.gpudata

    array = gpuarray.to_gpu(np.ones(8, np.float32))
    twice = module.get_function("double_all")
    for argument in (array, Foreign(array), Holder(array)):
        twice(argument, block=(8, 1, 1))
    assert (array.get() == 8).all()
    twice(array[4:], block=(4, 1, 1))
    assert array.get().tolist() == [8] * 4 + [16] * 4


def test_many_launches_and_memory_stay_right(drv: Any, module: Any) -> None:
    """More launches than the queue accepts without releasing the GIL."""
    array = drv.to_device(np.zeros(1, np.int32))
    from pycuda.compiler import SourceModule

    count = SourceModule(
        "__global__ void count(int *a) { *a += 1; }"
    ).get_function("count")
    for _ in range(3000):
        count(array, block=(1, 1, 1))
    assert drv.from_device(array, 1, np.int32)[0] == 3000


WAIT = """
__global__ void wait(volatile int *flag)
{
    // Ends by itself: a launch that keeps Python's lock fails the test.
    const long long start = clock64();
    while (!*flag && clock64() - start < 40000000000LL) {
    }
}
__global__ void count(int *a) { atomicAdd(a, 1); }
"""


@pytest.mark.parametrize("streams", [1, 3, 7, 12])
def test_the_device_may_wait_for_python(drv: Any, streams: int) -> None:
    """Launches that wait for space in the queue release the GIL.

    A Python thread unblocks the streams after it detects that launches wait.
    """
    from pycuda.compiler import SourceModule

    module = SourceModule(WAIT)
    wait, count = (module.get_function(name) for name in ("wait", "count"))
    assert count.num_regs > 0  # loads the kernel, which may wait
    number = drv.to_device(np.zeros(1, np.int32))
    flag = drv.pagelocked_zeros(
        1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP
    )
    where = np.uintp(int(flag.base.get_device_pointer()))
    each = [drv.Stream(1) for _ in range(streams)]
    drv.Context.synchronize()
    for stream in each:
        wait(where, block=(1, 1, 1), stream=stream)
    turn, late = 0, []

    def watch() -> None:
        seen = -1
        while turn != seen:
            seen = turn
            time.sleep(0.3)
        late.append(turn)
        flag[0] = 1

    thread = threading.Thread(target=watch)
    thread.start()
    for turn in range(1, 4201):
        count(number, block=(1, 1, 1), stream=each[turn % streams])
    thread.join()
    drv.Context.synchronize()
    assert late, "the thread got the lock"
    assert drv.from_device(number, 1, np.int32)[0] == 4200


@pytest.mark.parametrize("copy", ["memcpy_htod", "memcpy_dtoh", "elsewhere"])
def test_copies_may_wait_for_python(drv: Any, copy: str) -> None:
    """A small copy after a kernel releases the GIL too.

    The kernel may have been launched through another Context of the same
    handle.
    """
    from pycuda.compiler import SourceModule

    device = drv.Context.get_device()
    first, second = (device.retain_primary_context() for _ in range(2))
    assert first == second
    first.push()
    try:
        wait = SourceModule(WAIT).get_function("wait")
        flag = drv.pagelocked_zeros(
            1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP
        )
        where = np.uintp(int(flag.base.get_device_pointer()))
        memory, host = drv.mem_alloc(4), np.zeros(1, np.int32)
        flag[0] = 1
        wait(where, block=(1, 1, 1))  # loads the kernel
        drv.Context.synchronize()
        flag[0] = 0
        if copy == "elsewhere":
            second.push()
        wait(where, block=(1, 1, 1))

        def release() -> None:
            time.sleep(0.2)
            flag[0] = 1

        thread = threading.Thread(target=release)
        start = time.monotonic()
        thread.start()
        if copy == "memcpy_htod":
            drv.memcpy_htod(memory, host)
        else:
            drv.memcpy_dtoh(host, memory)
        drv.Context.synchronize()
        assert time.monotonic() - start < 5, "the kernel ended by itself"
        thread.join()
        if copy == "elsewhere":
            drv.Context.pop()
    finally:
        drv.Context.pop()
        second.detach()
        first.detach()


def test_timed_calls_wait_in_an_entered_stream(drv: Any) -> None:
    from pycuda.compiler import SourceModule

    spin = SourceModule("""
        __global__ void spin(int cycles)
        {
            const long long start = clock64();
            while (clock64() - start < cycles) { }
        }""").get_function("spin")
    stream = drv.Stream()
    with stream.use():
        spin(np.int32(200000000), block=(1, 1, 1), time_kernel=True)
        assert stream.is_done()


def test_what_has_no_truth_is_no_time_kernel(drv: Any, module: Any) -> None:
    with pytest.raises(ValueError, match="ambiguous"):
        module.get_function("nothing")(
            block=(1, 1, 1), time_kernel=np.zeros(2)
        )


def test_errors_of_foreign_arguments_are_theirs(drv: Any, module: Any) -> None:
    """An exception from the program's own code propagates from the call."""

    class Fails:
        def __init__(self, error: type[BaseException]) -> None:
            self.error = error

        @property
        def gpudata(self) -> Any:
            raise self.error("from gpudata")

        def __index__(self) -> int:
            raise self.error("from __index__")

    kernel = module.get_function("double_all")
    with pytest.raises(KeyboardInterrupt, match="from gpudata"):
        kernel(Fails(KeyboardInterrupt), block=(1, 1, 1))
    with pytest.raises(MemoryError, match="from gpudata"):
        kernel(Fails(MemoryError), block=(1, 1, 1))
    with pytest.raises(TypeError, match="invalid type on parameter #0"):
        kernel(Fails(AttributeError), block=(1, 1, 1))
    number = module.get_function("double_all").prepare("q")
    with pytest.raises(KeyboardInterrupt, match="from __index__"):
        number.prepared_call((1, 1), (1, 1, 1), Fails(KeyboardInterrupt))
    with pytest.raises(struct.error):
        number.prepared_call((1, 1), (1, 1, 1), Fails(TypeError))


def test_shared_memory_beside_what_is_static(drv: Any) -> None:
    """All sizes that the device supports, whatever was allowed before."""
    from pycuda.compiler import SourceModule

    module = SourceModule("""
        extern __shared__ int dynamic[];
        __global__ void fill(int *out, int n)
        {
            __shared__ int fixed[5000];
            fixed[n % 5000] = 3;
            dynamic[n - 1] = n;
            *out = dynamic[n - 1] + fixed[n % 5000];
        }""")
    out = drv.mem_alloc(4)
    most = drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES
    first, second = (module.get_function("fill") for _ in range(2))

    def check(kernel: Any, size: int) -> None:
        kernel(out, np.int32(size // 4), block=(1, 1, 1), shared=size)
        assert drv.from_device(out, 1, np.int32)[0] == size // 4 + 3

    for size in (28000, 30000, 40000, 49152, 60000, 40000):
        check(first, size)
        check(second, size)
    second.set_attribute(most, 1024)
    check(first, 60000)
    check(second, 50000)


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("streams", [1, 3, 7])
def test_a_busy_thread_does_not_slow_launches(
    drv: Any, module: Any, streams: int, told: bool
) -> None:
    """Launches hold the GIL in a loop in which the device keeps pace.

    Each time that it released the GIL it would wait 5 milliseconds to acquire
    it. Completion of the device's work is learned from a wait, or has to be
    queried.
    """
    from pycuda.compiler import SourceModule

    empty = SourceModule("__global__ void k() {}").get_function("k")
    each = [drv.Stream() for _ in range(streams)]
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            pass

    drv.Context.synchronize()
    thread = threading.Thread(target=work)
    thread.start()
    rounds = []
    try:
        for _ in range(63):
            start = time.perf_counter()
            for turn in range(64):
                empty(block=(1, 1, 1), stream=each[turn % streams])
            rounds.append(time.perf_counter() - start)
            for stream in each if told else ():
                stream.synchronize()
            time.sleep(0.001)
    finally:
        stop.set()
        thread.join()
    drv.Context.synchronize()
    typical = sorted(rounds)[
        len(rounds) // 2
    ]  # other processes may use the CPU
    assert typical < 64 * 0.005 / 2, f"{typical:.2f} s"


def test_message_form(drv: Any) -> None:
    with pytest.raises(drv.LogicError) as caught:
        drv.mem_alloc(0)
    assert re.match(
        r"cuMemAlloc failed: [a-z ]+ - an allocation of 0 bytes$",
        str(caught.value),
    )
    assert caught.value.args == (str(caught.value),)
