"""Structs handed to a kernel: by value, and as an array of records.

NumPy lays a record out as C does when it is made with ``align=True``.
"""

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
struct body { char kind; double mass; float3 position; short id; };
struct step { float factor; float3 shift; };

__global__ void move(struct body *bodies, int n, struct step by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || bodies[i].kind != 'm')
        return;
    bodies[i].mass *= by.factor;
    bodies[i].position.x += by.shift.x;
    bodies[i].position.y += by.shift.y;
    bodies[i].position.z += by.shift.z;
    bodies[i].id = i;
}
"""
BODY = np.dtype(
    [
        ("kind", "S1"),
        ("mass", np.float64),
        ("position", np.float32, 3),
        ("id", np.int16),
    ],
    align=True,
)
STEP = np.dtype([("factor", np.float32), ("shift", np.float32, 3)], align=True)


def main() -> None:
    n = 77
    bodies = np.zeros(n, BODY)
    bodies["kind"] = [b"m" if i % 3 else b"f" for i in range(n)]
    bodies["mass"] = np.random.rand(n)
    bodies["position"] = np.random.randn(n, 3)
    step = np.array((0.5, (1, 2, 3)), STEP)

    expected = bodies.copy()
    moving = expected["kind"] == b"m"
    expected["mass"][moving] *= 0.5
    expected["position"][moving] += step["shift"]
    expected["id"][moving] = np.arange(n)[moving]

    SourceModule(SOURCE).get_function("move")(
        cuda.InOut(bodies), np.int32(n), step, block=(32, 1, 1), grid=(3, 1)
    )
    for field in BODY.names or ():
        assert np.array_equal(bodies[field], expected[field]), field
    print(f"{moving.sum()} of {n} bodies moved")
    print("Success")


if __name__ == "__main__":
    main()
