"""Contexts and handles that end while another call still uses them."""

# SPDX-License-Identifier: MIT

import pytest
from isolated import run

pytestmark = pytest.mark.cpu

WAITS = {
    "context": "context.synchronize()",
    "stream": "stream.synchronize()",
    "event": "event.synchronize()",
    "copy": "drv.memcpy_dtoh(host, memory)",
    "free": "memory.free()",
    "array": "array.free()",
    "module": "module = spin = None",
}


@pytest.mark.parametrize("name", WAITS)
def test_a_context_is_detached_while_a_thread_waits(name: str) -> None:
    run(f"""
    import threading
    import numpy as np
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    drv.init()
    for turn in range(6):
        context = drv.Device(0).make_context()
        module = SourceModule('''
        __global__ void spin()
        {{
            long long start = clock64();
            while (clock64() - start < 50000000) {{}}
        }}''')
        spin = module.get_function("spin")
        stream, event = drv.Stream(), drv.Event()
        host, memory = np.ones(1000), drv.mem_alloc(8000)
        array = drv.matrix_to_array(np.ones((8, 8), "f4"), "C")
        spin(block=(1, 1, 1), stream=stream)
        event.record(stream)
        ready = threading.Barrier(4)

        def wait():
            global module, spin
            context.push()
            ready.wait()
            try:
                {WAITS[name]}
            except drv.Error:
                pass
            try:
                drv.Context.pop()
            except drv.Error:
                pass

        threads = [threading.Thread(target=wait) for _ in range(3)]
        for thread in threads:
            thread.start()
        ready.wait()
        try:
            context.detach()
        except drv.Error:
            pass
        for thread in threads:
            thread.join()
        module = spin = None
    context = drv.Device(0).make_context()
    drv.to_device(host)
    context.pop()
    """)


def test_a_signal_handler_detaches_the_context_of_the_wait() -> None:
    run("""
    import signal
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    drv.init()
    context = drv.Device(0).make_context()
    spin = SourceModule('''
    __global__ void spin()
    {
        long long start = clock64();
        while (clock64() - start < 1000000000) {}
    }''').get_function("spin")
    calls = []

    def handler(*unused):
        calls.append(1)
        context.detach()

    signal.signal(signal.SIGALRM, handler)
    spin(block=(1, 1, 1))
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        context.synchronize()
    except drv.Error:
        pass
    assert calls == [1]
    again = drv.Device(0).make_context()
    again.synchronize()
    again.pop()
    """)


def test_a_texture_is_destroyed_while_a_kernel_reads_it() -> None:
    """The driver's call waits for the kernel."""
    run("""
    import ctypes
    import numpy as np
    import pycuda.autoinit
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    function = SourceModule('''
    __global__ void late(float *out, cudaTextureObject_t texture)
    {
        long long start = clock64();
        while (clock64() - start < 300000000) {}
        out[0] = tex2D<float>(texture, 2, 1);
    }''').get_function("late")
    image = np.arange(16, dtype="f4").reshape(4, 4)
    texture = drv.TextureObject(drv.matrix_to_array(image, "C"))
    handle = int(texture.handle)
    out = drv.mem_alloc(4)
    function(out, texture, block=(1, 1, 1))
    with open("/proc/self/maps") as file:
        paths = {line.split()[-1] for line in file if "libpycuda_cpu" in line}
    library = ctypes.CDLL(paths.pop())
    assert library.cuTexObjectDestroy(ctypes.c_ulonglong(handle)) == 0
    assert drv.from_device(out, 1, "f4")[0] == 6
    """)
