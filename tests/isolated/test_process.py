"""Import, fork, threads and leaks, each in a process of its own."""

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


LEAK = """
import gc, sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule
module = SourceModule(
    "texture<float, 2> t; __global__ void k(int *a, float b) {}"
    "__global__ void k2(cudaTextureObject_t object) {}"
)
k = module.get_function("k")
k2 = module.get_function("k2")
memory = drv.mem_alloc(64)
host = np.zeros(4, np.int32)
planted = []

def step():
{body}

def blocks():
    gc.collect()
    return sys.getallocatedblocks()

for _ in range(30):
    step()
before = blocks()
free_before = drv.mem_get_info()[0]
for _ in range(400):
    step()
grown = blocks() - before
lost = free_before - drv.mem_get_info()[0]
print(int(grown > 200 or lost > 1 << 20))
"""

BODIES = {
    "allocation": "drv.mem_alloc(4096)",
    "launch": "k(memory, np.float32(1), block=(1, 1, 1))",
    "handlers": "k(drv.InOut(host), np.float32(1), block=(1, 1, 1))",
    "prepared": "k.prepare('Pf').prepared_call((1, 1), (1, 1, 1), memory, 1)",
    "timed": "k.prepare('Pf').prepared_timed_call("
    "(1, 1), (1, 1, 1), memory, 1)()",
    "stream": "drv.Stream().synchronize()",
    "event": "drv.Event().record().synchronize()",
    "function": "module.get_function('k').num_regs",
    "texref": "drv.matrix_to_texref(np.zeros((4, 4), 'f4'),"
    " module.get_texref('t'), 'C')",
    "texture object": "k2(drv.TextureObject(drv.matrix_to_array("
    "np.zeros((4, 4), 'f4'), 'C')), block=(1, 1, 1))",
    "surface object": "k2(drv.SurfaceObject(drv.np_to_array("
    "np.zeros((4, 4), 'f4'), 'C', True)), block=(1, 1, 1))",
    "texture errors": "try: drv.TextureObject(memory)\n"
    "    except TypeError: pass\n"
    "    try: drv.TextureObject(memory, bytes=64, format=32, filter_mode=9)\n"
    "    except ValueError: pass",
    "pinned": "drv.pagelocked_zeros((4, 4), 'f4')",
    "managed": "drv.managed_zeros((4, 4), 'f4')",
    "aligned": "drv.aligned_zeros((4, 4), 'f4')",
    "pool": "drv.DeviceMemoryPool().allocate(5000)",
    "context": "drv.Device(0).make_context().pop()",
    "device": "drv.Device(0).get_attributes()",
    "copies": "drv.from_device(drv.to_device(host), 4, 'i4')",
    "errors": "[f() for f in (lambda: None,)]\n"
    "    try: k(memory, 1, block=(1, 1, 1))\n"
    "    except TypeError: pass\n"
    "    try: drv.mem_alloc(0)\n"
    "    except drv.LogicError: pass\n"
    "    try: k.prepare('Pi').prepared_call((1, 1), (1, 1, 1), memory, 'x')\n"
    "    except Exception: pass",
}


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("name", BODIES)
def test_no_leak(name: str) -> None:
    code = LEAK.replace("{body}", "    " + BODIES[name])
    assert run(code) == "0\n"


@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    "body", ["planted.append(np.zeros(1))", "planted.append(drv.Event())"]
)
def test_a_planted_leak_is_seen(body: str) -> None:
    assert run(LEAK.replace("{body}", "    " + body)) == "1\n"
