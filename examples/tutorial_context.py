"""A context made by hand instead of by `pycuda.autoinit`.

`make_context` makes the context current; the `push` after it, as in the
tutorial, makes it current a second time, so that one `pop` leaves it on the
stack.  `detach` then destroys it.
"""

import numpy as np

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void square(float *a)
{
    a[threadIdx.x] *= a[threadIdx.x];
}
"""


def main() -> None:
    cuda.init()
    print("devices:", cuda.Device.count())
    device = cuda.Device(0)
    context = device.make_context()
    context.push()

    a = np.arange(64, dtype=np.float32)
    expected = a * a
    square = SourceModule(SOURCE).get_function("square")
    square(cuda.InOut(a), block=(64, 1, 1))
    assert cuda.Context.get_current() == context
    assert cuda.Context.get_device() == device

    context.pop()
    context.detach()

    assert np.array_equal(a, expected), "wrong numbers"
    print("Success")


if __name__ == "__main__":
    main()
