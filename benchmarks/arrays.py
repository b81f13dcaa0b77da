"""Time for the host to issue one array operation (1024 floats).

Usage: ``python benchmarks/arrays.py``.  Compares with raw launches by the C
twin and, on a GPU, with the same expressions in CuPy and torch.
"""

from collections.abc import Callable

import numpy as np
from common import (
    ABOVE,
    best_of,
    describe_machine,
    options_of,
    peer_cell,
    peer_main,
    print_table,
    run_passes,
    spread_text,
)
from launch import verdict_of
from twin import device_kind, take_turns

N = 1024
# row: allowed microseconds in addition to the twin's launch, or in total.
GOALS = {
    "a + b": ("launch", 0.6),
    "a * 2": ("launch", 0.6),
    "a += b": ("launch", 0.35),
    "sin(a)": ("launch", 0.6),
    "sum(a)": ("launch", 0.8),
    "ElementwiseKernel": ("launch", 0.5),
    "a[10:20]": (None, 0.25),
    "empty(1024)": (None, 0.30),
    "copy 64 bytes in": ("copy in", 0.3),
    "copy 64 bytes out": ("copy out", 0.3),
}


# Statements that are the same for every package.
SHARED = {
    "a + b": "a + b",
    "a * 2": "a * 2",
    "a += b": "a += zeros",
    "a[10:20]": "a[10:20]",
}


def times_of(
    calls: dict[str, str],
    finish: Callable[[], object],
    rounds: int,
    names: dict[str, object],
) -> dict:
    """Measure a peer's rows."""
    return {
        row: best_of(call, finish, rounds, names=names)
        for row, call in calls.items()
    }


def measure_pycuda(rounds: int) -> dict:
    import pycuda.autoinit
    import pycuda.driver as cuda
    from pycuda import cumath, gpuarray
    from pycuda.elementwise import ElementwiseKernel

    a = gpuarray.to_gpu(np.random.rand(N).astype(np.float32))
    b = gpuarray.to_gpu(np.random.rand(N).astype(np.float32))
    c = gpuarray.empty_like(a)
    kernel = ElementwiseKernel(
        "float a, float *x, float *y, float *z", "z[i] = a * x[i] + y[i]"
    )
    host, block = np.zeros(16, np.float32), cuda.mem_alloc(64)
    zeros = gpuarray.zeros(N, np.float32)

    names = {
        "a": a, "b": b, "c": c, "zeros": zeros, "kernel": kernel,
        "sin": cumath.sin, "sum": gpuarray.sum, "empty": gpuarray.empty,
        "memcpy_htod": cuda.memcpy_htod, "memcpy_dtoh": cuda.memcpy_dtoh,
        "block": block, "host": host, "N": N, "float32": np.float32,
    }  # fmt: skip
    calls = {
        **SHARED,
        "sin(a)": "sin(a)",
        "sum(a)": "sum(a)",
        "ElementwiseKernel": "kernel(2, a, b, c)",
        "empty(1024)": "empty(N, float32)",
        "copy 64 bytes in": "memcpy_htod(block, host)",
        "copy 64 bytes out": "memcpy_dtoh(host, block)",
    }
    calls = {row: calls[row] for row in GOALS}
    twins = {row: twin for row, (twin, _) in GOALS.items()}
    result = take_turns(calls, cuda.Context.synchronize, rounds, names, twins)
    result["device"] = pycuda.autoinit.device.name()
    return result


def measure_cupy(rounds: int) -> dict:
    import cupy

    a, b = cupy.random.rand(2, N, dtype=np.float32)
    kernel = cupy.ElementwiseKernel(
        "float32 a, float32 x, float32 y", "float32 z", "z = a * x + y"
    )
    c, zeros = cupy.empty_like(a), cupy.zeros_like(a)

    names = {
        "a": a, "b": b, "c": c, "zeros": zeros, "kernel": kernel,
        "sin": cupy.sin, "empty": cupy.empty, "N": N, "float32": np.float32,
    }  # fmt: skip
    calls = {
        **SHARED,
        "sin(a)": "sin(a)",
        "sum(a)": "a.sum()",
        "ElementwiseKernel": "kernel(2, a, b, c)",
        "empty(1024)": "empty(N, float32)",
    }
    finish = cupy.cuda.Device().synchronize
    return times_of(calls, finish, rounds, names)


def measure_torch(rounds: int) -> dict:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("torch has no GPU")
    a, b = torch.rand(2, N, device="cuda")
    zeros = torch.zeros(N, device="cuda")

    names = {
        "a": a, "b": b, "zeros": zeros, "sin": torch.sin, "empty": torch.empty,
        "N": N,
    }  # fmt: skip
    calls = {
        **SHARED,
        "sin(a)": "sin(a)",
        "sum(a)": "a.sum()",
        "empty(1024)": "empty(N, device='cuda')",
    }
    finish = torch.cuda.synchronize
    return times_of(calls, finish, rounds, names)


PEERS = {
    "pycuda": measure_pycuda,
    "CuPy": measure_cupy,
    "torch": measure_torch,
}


def main() -> None:
    options = options_of(__doc__, 4, 60, PEERS).parse_args()
    if options.peer:
        peer_main(PEERS[options.peer], options.rounds, options.core)
        return

    options.pin = device_kind() == "gpu"
    ours = run_passes(__file__, "pycuda", options)
    columns = {}
    if options.pin:
        for name in list(PEERS)[1:]:
            if result := run_passes(__file__, name, options, may_fail=True):
                columns[name] = result

    describe_machine(ours["device"])
    rows = []
    for row, (twin_row, allowed) in GOALS.items():
        raw = ours[f"raw {twin_row}"] if twin_row else 0.0
        goal, met = raw + allowed, verdict_of(ours[row], raw + allowed)
        others = [peer_cell(peer, row) for peer in columns.values()]
        shown = raw if twin_row else None
        spread = spread_text(ours[f"above {row}"]) if twin_row else ""
        rows.append(
            [row, shown, ours[row], f"<= {goal:.2f}", met, spread, *others]
        )
    heads = ["microseconds", "raw C", "this package", "goal", "met", ABOVE]
    print_table([*heads, *columns], rows)


if __name__ == "__main__":
    main()
