"""Fixtures that several files of array tests share."""

import contextlib
import gc

import numpy as np
import pytest

NON_BLOCKING = 1
WAIT = """
__global__ void wait(volatile int *flag, long long most)
{
    // Ends after `most` cycles where the host waits for the device.
    const long long start = clock64();
    while (!*flag && clock64() - start < most) {
    }
}
"""


@pytest.fixture
def shared(context, device):
    """Make the primary context current, as other libraries do."""
    import pycuda.driver as drv

    if device == "cpu":
        yield
        return
    primary = drv.Device(0).retain_primary_context()
    primary.push()
    yield
    gc.collect()
    drv.Context.synchronize()
    drv.Context.pop()


@pytest.fixture(scope="module")
def busy(context):
    """Create streams that are busy until their block ends.

    The argument is the most cycles that a stream stays busy.
    """
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    wait = SourceModule(WAIT).get_function("wait")
    flag = drv.pagelocked_zeros(
        1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP
    )
    where = np.uintp(int(flag.base.get_device_pointer()))

    @contextlib.contextmanager
    def make(most=20_000_000_000):
        stream = drv.Stream(NON_BLOCKING)
        flag[0] = 0
        wait(where, np.int64(most), block=(1, 1, 1), stream=stream)
        try:
            yield stream
        finally:
            flag[0] = 1
            stream.synchronize()

    return make
