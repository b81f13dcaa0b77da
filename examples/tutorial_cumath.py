"""Mathematical functions of whole arrays, from `pycuda.cumath`.

`import pycuda.gpuarray` also makes `pycuda.cumath` reachable.
"""

import numpy as np

import pycuda.autoinit
import pycuda.gpuarray


def main() -> None:
    h_array = np.random.randn(4000, 4000).astype(np.float32)
    d_gpuarray = pycuda.gpuarray.to_gpu(h_array)

    result = pycuda.cumath.sqrt(pycuda.cumath.fabs(d_gpuarray)).get()

    # Square roots are rounded correctly on every device.
    assert result.shape == (4000, 4000)
    assert np.array_equal(result, np.sqrt(np.abs(h_array))), "wrong numbers"
    print("sqrt(fabs(x)) of 4000 x 4000 floats")
    print("Success")


if __name__ == "__main__":
    main()
