"""Import, fork and threads, each in a separate process."""

import importlib.util
import signal
from ast import literal_eval
from pathlib import Path

import pytest
from isolated import run


def test_import_loads_no_driver() -> None:
    run(
        """
        import pycuda
        import pycuda.driver
        assert pycuda.VERSION == (2026, 1) and pycuda.VERSION_TEXT == "2026.1"
        with open("/proc/self/maps") as maps:
            text = maps.read()
        for name in ("libcuda", "libpycuda_cpu", "libnvrtc"):
            assert name not in text, name
        """
    )


def test_before_init() -> None:
    run(
        """
        import pycuda.driver as drv
        assert drv.get_driver_version() >= 11000
        for call in (drv.Device.count, lambda: drv.Device(0)):
            try:
                call()
            except drv.LogicError as error:
                assert "initialization error" in str(error)
                assert "init()" in str(error)
            else:
                raise AssertionError
        try:
            drv.mem_alloc(4)
        except drv.LogicError as error:
            assert "no currently active context" in str(error)
        else:
            raise AssertionError
        assert drv.Context.get_current() is None
        """
    )


@pytest.mark.parametrize("is_beside", [True, False])
def test_twin_distribution_warns(tmp_path: Path, is_beside: bool) -> None:
    """One in another folder does no harm: Python finds this package first."""
    (tmp_path / "pycuda-2026.1.dist-info").mkdir()
    if is_beside:
        package = Path(importlib.util.find_spec("pycuda").origin).parent
        (tmp_path / "pycuda").symlink_to(package)
    run(
        f"""
        import sys
        sys.path.insert({0 if is_beside else 99}, {str(tmp_path)!r})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import pycuda
        texts = [str(warning.message) for warning in caught]
        assert len(texts) == {int(is_beside)}, texts
        assert all("pip uninstall pycuda'" in text for text in texts)
        """
    )


def test_fork_after_init_is_a_clear_error() -> None:
    out = run(
        """
        import os
        import pycuda.autoinit
        import pycuda.driver as drv
        memory = drv.mem_alloc(10)
        child = os.fork()
        if child == 0:
            for call in (
                lambda: drv.mem_alloc(4), drv.init, lambda: drv.Device(0),
                lambda: drv.memcpy_htod(memory, b"x"),
            ):
                try:
                    call()
                except drv.LogicError as error:
                    assert "forked" in str(error), error
                else:
                    os._exit(1)
            del memory
            print("child is well", flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        drv.memcpy_htod(memory, b"x")
        """
    )
    assert out == "child is well\n"


def test_fork_before_init_works() -> None:
    run(
        """
        import os
        import pycuda.driver as drv
        child = os.fork()
        drv.init()
        context = drv.Device(0).make_context()
        memory = drv.to_device(b"abc")
        context.pop()
        if child:
            assert os.waitpid(child, 0)[1] == 0
        """
    )


def test_fork_while_another_thread_opens_the_driver() -> None:
    """Neither process waits forever, and the child can open the driver too."""
    code = """
        import os, signal, threading, time
        import pycuda.driver as drv
        signal.alarm(60)
        def work():
            drv.get_driver_version()
        thread = threading.Thread(target=work)
        thread.start()
        time.sleep({delay})
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            try:
                drv.init()
            except drv.LogicError as error:
                assert "forked" in str(error), error
            else:
                drv.Device(0)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        thread.join()
        drv.init()
        assert drv.Device.count() > 0
        """
    for turn in range(8):
        run(code.replace("{delay}", str(turn * 2e-4)))


def test_fork_while_other_threads_change_arrays() -> None:
    """The child has no locks of threads that it does not have."""
    run(
        """
        import os, signal, threading
        import numpy as np
        import pycuda.autoinit
        import pycuda.driver as drv
        from pycuda import gpuarray
        signal.alarm(100)
        array = gpuarray.zeros(64, np.float32)
        own = gpuarray.zeros(64, np.float32)
        shapes = [(64,), (8, 8), (4, 16)]
        ended = False
        def change(number):
            context = drv.Device(0).make_context()
            turn = number
            while not ended:
                array.shape = shapes[turn % 3]
                turn += 1
            context.pop()
        threads = [
            threading.Thread(target=change, args=(i,)) for i in range(3)
        ]
        for thread in threads:
            thread.start()
        for _ in range(60):
            child = os.fork()
            if child == 0:
                signal.alarm(30)
                own.shape = (2, 32)
                assert own.shape == (2, 32)
                try:
                    drv.mem_alloc(4)
                except drv.LogicError as error:
                    assert "forked" in str(error), error
                    os._exit(0)
                os._exit(1)
            status = os.waitpid(child, 0)[1]
            assert status == 0, status
        ended = True
        for thread in threads:
            thread.join()
        """
    )


def test_threads_launch_together() -> None:
    run(
        """
        import threading
        import numpy as np
        import pycuda.driver as drv
        from pycuda.compiler import SourceModule
        drv.init()
        failed = []
        def work(number):
            try:
                context = drv.Device(0).make_context()
                f = SourceModule(
                    "__global__ void add(int *a, int n)"
                    "{ a[threadIdx.x] += n; }"
                ).get_function("add")
                host = np.zeros(32, np.int32)
                memory = drv.to_device(host)
                for _ in range(700):
                    f(memory, np.int32(number), block=(32, 1, 1))
                drv.memcpy_dtoh(host, memory)
                assert (host == 700 * number).all()
                context.pop()
            except BaseException as error:
                failed.append(error)
        threads = [
            threading.Thread(target=work, args=(i,)) for i in range(1, 5)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed, failed
        """
    )


def test_staging_is_asked_for_by_a_variable() -> None:
    """It is off by default, and off if the device reads host memory."""
    code = """
        import pycuda.autoinit
        import pycuda.driver as drv
        from pycuda import _driver
        memory = drv.mem_alloc(1 << 23)
        drv.memcpy_htod(memory, bytes(1 << 23))
        print(_driver._device_kind(), _driver._set_staging())
        """
    for value, on_gpu in (("", 0), ("0", 0), ("1", 1), ("9000000", 0)):
        out = run(code, environment={"PYCUDA_STAGING": value})
        assert out in (f"gpu {on_gpu}\n", "cpu 0\n"), value
    out = run(
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import pycuda.driver
        print(caught[0].message)
        """,
        environment={"PYCUDA_STAGING": "large"},
    )
    assert "'large'; it must be 0, 1 or a number of bytes" in out


PROFILER = """
    import pycuda.driver as drv
    drv.init()
    for call in (drv.start_profiler, drv.stop_profiler):
        try:
            call()
        except drv.LogicError as error:
            assert "invalid device context" in str(error), error
        else:
            raise AssertionError(call)
    context = drv.Device(0).make_context()
    assert drv.start_profiler() is drv.stop_profiler() is None
    context.pop()
    """


def test_profiler_needs_a_context() -> None:
    run(PROFILER)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("visible", "ordinals"),
    [
        ("2,0", [2, 0]),
        ("CPU-3,1", [3, 1]),
        ("1,-1,2", [1]),
        ("1,9,2", [1]),
        ("0,x", [0]),
    ],
)
def test_visible_devices(visible: str, ordinals: list[int]) -> None:
    code = """
        import pycuda.driver as drv
        drv.init()
        devices = [drv.Device(i) for i in range(drv.Device.count())]
        print([device.pci_bus_id() for device in devices])
        """
    settings = {"PYCUDA_DEVICE": "cpu", "PYCUDA_CPU_DEVICES": "4"}
    every = literal_eval(run(code, environment=settings))
    shown = run(code, environment=settings | {"CUDA_VISIBLE_DEVICES": visible})
    assert len(set(every)) == 4
    assert literal_eval(shown) == [every[i] for i in ordinals]


@pytest.mark.cpu
@pytest.mark.parametrize("visible", ["1,2,1", "", "7"])
def test_no_visible_device(visible: str) -> None:
    settings = {
        "PYCUDA_DEVICE": "cpu",
        "PYCUDA_CPU_DEVICES": "4",
        "CUDA_VISIBLE_DEVICES": visible,
    }
    run(
        """
        import pycuda.driver as drv
        try:
            drv.init()
        except drv.RuntimeError as error:
            assert "no CUDA-capable device" in str(error)
        else:
            raise AssertionError
        """,
        environment=settings,
    )


def test_signals_that_are_sent_reach_their_handlers() -> None:
    run(
        """
        import os, signal
        caught = []
        numbers = [signal.SIGFPE, signal.SIGBUS, signal.SIGSEGV]
        for number in numbers:
            signal.signal(number, lambda number, frame: caught.append(number))
        import numpy as np
        import pycuda.autoinit
        from pycuda import gpuarray
        assert (gpuarray.zeros(4, np.int32) + 1).get().sum() == 4
        for number in numbers:
            os.kill(os.getpid(), number)
        assert caught == numbers, caught
        """
    )


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGBUS", "SIGFPE"])
def test_a_signal_without_a_handler_ends_the_process(name: str) -> None:
    """The process ends even if other signals have handlers."""
    run(
        f"""
        import os, signal
        for other in {{"SIGSEGV", "SIGBUS", "SIGFPE"}} - {{{name!r}}}:
            signal.signal(getattr(signal, other), lambda *one: None)
        import numpy as np
        import pycuda.autoinit
        from pycuda import gpuarray
        assert (gpuarray.zeros(4, np.int32) + 1).get().sum() == 4
        os.kill(os.getpid(), signal.{name})
        """,
        environment={"PYTHONFAULTHANDLER": ""},
        status=-getattr(signal, name),
    )
