"""Import, fork, threads, each in a process of its own."""

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


def test_twin_distribution_warns(tmp_path: object) -> None:
    (tmp_path / "pycuda-2026.1.dist-info").mkdir()
    run(
        f"""
        import sys
        sys.path.append({str(tmp_path)!r})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import pycuda
        [warning] = caught
        assert "pip uninstall pycuda'" in str(warning.message)
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
    """Neither side waits for good, and the child can open it too."""
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
    """It is off by default, and where the device reads the host's memory."""
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
