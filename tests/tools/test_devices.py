"""Device choice, device data, occupancy, memoization, support for tests."""

# SPDX-License-Identifier: MIT

import builtins
import gc
import inspect

import pytest

import pycuda.driver as drv
from pycuda import characterize, tools

pytestmark = pytest.mark.usefixtures("context")


class Data:
    """Data of a device that this machine need not have."""

    max_threads = 1024
    warp_size = 32
    warps_per_mp = 64
    thread_blocks_per_mp = 8
    registers = 65536
    shared_memory = 49152
    smem_alloc_granularity = 128
    smem_granularity = 32
    register_allocation_unit = "warp"


class Tesla(Data):
    max_threads = 512
    warps_per_mp = 24
    registers = 8192
    shared_memory = 16384
    smem_alloc_granularity = 512
    smem_granularity = 16
    register_allocation_unit = "block"


def test_occupancy():
    record = tools.OccupancyRecord(Data(), 256)
    assert record.tb_per_mp_limits == [(8, "device"), (8, "warps")]
    assert (record.tb_per_mp, record.limited_by) == (8, "device")
    assert (record.warps_per_mp, record.occupancy) == (64, 1.0)


@pytest.mark.parametrize(
    ("data", "arguments", "blocks", "limit", "occupancy"),
    [
        (Data, (1024,), 2, "warps", 1.0),
        (Data, (33,), 8, "device", 0.25),
        (Data, (256, 20000), 2, "smem", 0.25),
        (Data, (256, 0, 64), 4, "regs", 0.5),
        (Data, (256, 1, 255), 1, "regs", 0.125),
        (Tesla, (192,), 4, "warps", 1.0),
        (Tesla, (192, 0, 16), 2, "regs", 0.5),
        (Tesla, (192, 4100), 3, "smem", 0.75),
    ],
)
def test_what_limits(data, arguments, blocks, limit, occupancy):
    record = tools.OccupancyRecord(data(), *arguments)
    assert (record.tb_per_mp, record.limited_by) == (blocks, limit)
    assert record.occupancy == occupancy


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ((1025,), "threads"),
        ((32, 49153), "smem"),
        ((1024, 0, 65), "registers"),
    ],
)
def test_what_is_too_much(arguments, what):
    with pytest.raises(ValueError, match=f"too m(any|uch) {what}"):
        tools.OccupancyRecord(Data(), *arguments)


def test_device_data():
    device = drv.Device(0)
    data = tools.DeviceData(device)
    names = drv.device_attribute
    assert data.max_threads == device.get_attribute(
        names.MAX_THREADS_PER_BLOCK
    )
    assert data.warp_size == 32
    assert data.warps_per_mp == 64
    assert data.thread_blocks_per_mp == 8
    assert data.registers == device.get_attribute(
        names.MAX_REGISTERS_PER_BLOCK
    )
    assert data.shared_memory == device.get_attribute(
        names.MAX_SHARED_MEMORY_PER_BLOCK
    )
    assert (data.smem_alloc_granularity, data.smem_granularity) == (128, 32)
    assert data.register_allocation_unit == "warp"
    assert vars(tools.DeviceData()) == vars(data)


@pytest.mark.parametrize(
    ("capability", "warps", "unit"),
    [
        ((1, 0), 24, "block"),
        ((1, 3), 32, "block"),
        ((2, 1), 48, "warp"),
        ((3, 0), 64, "warp"),
    ],
)
def test_older_devices(capability, warps, unit):
    class Old:
        def compute_capability(self):
            return capability

        def get_attribute(self, attribute):
            return 7

    data = tools.DeviceData(Old())
    assert (data.warps_per_mp, data.register_allocation_unit) == (warps, unit)
    assert data.max_threads == data.shared_memory == 7
    assert data.smem_alloc_granularity == (512 if unit == "block" else 128)


def test_alignment():
    data = tools.DeviceData()
    assert [data.align_bytes(), data.align_bytes(8), data.align_bytes(16)] == [
        64, 128, 128,
    ]  # fmt: skip
    assert [data.align(n) for n in (0, 1, 64, 65)] == [0, 64, 64, 128]
    assert data.align(100, word_size=8) == 128
    assert [data.align_words(n) for n in (4, 8, 16)] == [16, 16, 8]
    assert data.align_dtype(17, 4) == 32
    assert data.align_dtype(17, dtype_size=8) == 32
    assert [data.coalesce(n) for n in (0, 1, 16, 17)] == [0, 16, 16, 32]
    counts = [data.make_valid_tex_channel_count(n) for n in (1, 2, 3, 4)]
    assert counts == [1, 2, 4, 4]
    with pytest.raises(ValueError, match="word size 3"):
        data.align_bytes(3)
    with pytest.raises(ValueError, match="channel count"):
        tools.DeviceData.make_valid_tex_channel_count(5)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_DEVICE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_the_first_device_that_works(home, monkeypatch):
    tried = []

    def maker(device):
        tried.append(device)
        if len(tried) < 3:
            raise drv.LogicError("busy")
        return "context"

    monkeypatch.setattr(drv.Device, "count", staticmethod(lambda: 1))
    with pytest.raises(builtins.RuntimeError, match="1 detected.*busy"):
        tools.make_default_context(maker)
    monkeypatch.setattr(drv, "Device", Devices)
    tried.clear()
    assert tools.make_default_context(maker) == "context"
    assert [device.number for device in tried] == [0, 1, 2]


class Devices:
    """Four devices."""

    def __init__(self, number):
        self.number = number

    @staticmethod
    def count():
        return 4


def test_the_device_of_the_environment(home, monkeypatch):
    monkeypatch.setattr(drv, "Device", Devices)
    monkeypatch.setenv("CUDA_DEVICE", "3")
    assert tools.make_default_context(lambda device: device.number) == 3
    with pytest.warns(DeprecationWarning):
        assert tools.get_default_device().number == 3

    def broken(device):
        raise drv.LogicError("busy")

    with pytest.raises(drv.LogicError, match="busy"):
        tools.make_default_context(broken)  # no other device is tried


def test_the_device_of_a_file(home, monkeypatch):
    monkeypatch.setattr(drv, "Device", Devices)
    with pytest.warns(DeprecationWarning, match="make_default_context"):
        assert tools.get_default_device(2).number == 2
    (home / ".cuda_device").write_text("1\nnot read\n")
    assert tools.make_default_context(lambda device: device.number) == 1
    (home / ".cuda_device").write_text("one\n")
    with pytest.raises(ValueError, match="device number .*, not 'one'"):
        tools.make_default_context()
    (home / ".cuda_device").write_bytes(b"\xff\xfe" * 1000)
    with pytest.raises(
        ValueError, match=r"device number .*, not '.{40}\.\.\.'"
    ):
        tools.make_default_context()


def test_a_number_that_no_device_has(home, monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE", "4711")
    with pytest.raises(drv.LogicError):
        tools.make_default_context()


def test_no_device(home, monkeypatch):
    monkeypatch.setattr(drv.Device, "count", staticmethod(lambda: 0))
    with pytest.raises(builtins.RuntimeError, match="No CUDA enabled device"):
        tools.make_default_context()


def test_a_context_by_default(home):
    before = drv.Context.get_current()
    made = tools.make_default_context()
    try:
        assert drv.Context.get_current() == made != before
    finally:
        made.pop()
    assert drv.Context.get_current() == before


def test_memoising():
    calls = []

    @tools.context_dependent_memoize
    def add(a, b=1):
        """Adds."""
        calls.append((a, b))
        return a + b

    assert add in tools.context_dependent_memoized_functions
    assert (add.__name__, add.__doc__) == ("add", "Adds.")
    assert [add(1), add(1), add(1, 1), add(1, b=1), add(1, b=1)] == [2] * 5
    assert len(calls) == 3, "each spelling is remembered for itself"
    tools.clear_context_caches()
    add(1)
    assert len(calls) == 4
    with pytest.raises(TypeError, match="unhashable"):
        add([])

    @tools.context_dependent_memoize
    def fail():
        calls.append("fail")
        raise KeyError("inside")

    for _ in range(2):
        with pytest.raises(KeyError, match="inside"):
            fail()
    assert calls[-2:] == ["fail"] * 2


def test_a_marked_test():
    outer = drv.Context.get_current()
    seen = []

    @tools.mark_cuda_test
    def inside(argument, other=0):
        """Text."""
        seen.append((drv.Context.get_current(), argument, other))

    assert inside.__doc__ == "Text."
    assert [mark.name for mark in inside.pytestmark] == ["cuda"]
    inside(1, other=2)
    assert seen[0][1:] == (1, 2) and seen[0][0] != outer
    assert drv.Context.get_current() == outer

    @tools.mark_cuda_test
    def fails():
        raise ValueError("in the test")

    with pytest.raises(ValueError, match="in the test"):
        fails()
    assert drv.Context.get_current() == outer


def test_a_fixture():
    outer = drv.Context.get_current()
    assert inspect.isgeneratorfunction(tools.init_cuda_context_fixture)
    fixture = tools.init_cuda_context_fixture()
    assert next(fixture) is None
    assert drv.Context.get_current() != outer
    assert next(fixture, "end") == "end"
    assert drv.Context.get_current() == outer
    gc.collect()


def test_a_fixture_needs_a_device_that_answers(monkeypatch):
    outer = drv.Context.get_current()
    for name in ("name", "compute_capability", "get_attributes"):
        with monkeypatch.context() as patch:
            patch.setattr(drv.Device, name, lambda device: None)
            with pytest.raises(AssertionError):
                next(tools.init_cuda_context_fixture())
        assert drv.Context.get_current() == outer


def test_characterize():
    assert characterize.platform_bits() == 64
    assert characterize.has_stack()
    assert characterize.has_double_support()
    sizes = {"float": 4, "double": 8, "void *": 8, "float3": 12, "char": 1}
    assert {name: characterize.sizeof(name) for name in sizes} == sizes
    pair = "struct pair { char a; double b; };"
    assert characterize.sizeof("pair", preamble=pair) == 16
    with pytest.raises(drv.CompileError, match="nothing"):
        characterize.sizeof("nothing")


def test_sizes_are_remembered(monkeypatch):
    characterize.sizeof("short")
    monkeypatch.setattr("pycuda.compiler.SourceModule", None)
    assert characterize.sizeof("short") == 2


def test_an_old_device(monkeypatch):
    class Old:
        def compute_capability(self):
            return (1, 2)

    monkeypatch.setattr(drv.Context, "get_device", staticmethod(Old))
    assert not characterize.has_stack()
    assert not characterize.has_double_support()
