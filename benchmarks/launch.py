"""Time for the host to issue one launch, in C and in other packages, too.

Usage: ``python benchmarks/launch.py [--pycuda FOLDER] [--passes N]``.

The C twin calls `cuLaunchKernel` with the same kernel, shape and arguments. It
and this package take turns in one process, so that both see the same machine.
Every figure is the least of 240 x 1000 launches, followed by the median of
each turn's difference from the twin.  Peers that can be imported run as many
launches, in separate processes.  On a GPU every process stays on one
processor, a different one in each pass.  `--pycuda` names a folder that holds
an installed PyCUDA, which is then measured as another peer.
"""

import sys
import threading
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
from twin import device_kind, take_turns

SOURCE = """
extern "C" __global__ void scale(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i] * 2;
}
"""
N, BLOCK, GRID = 1024, (256, 1, 1), (4, 1)
GPU_TWIN_LIMIT_US = 2.6
ROWS = {
    # row: (twin's figure, allowed microseconds above it)
    "plain call": ("launch", 0.25),
    "plain call, scalar made inside": ("launch", None),
    "prepared_call": ("launch", 0.10),
    "launch + synchronize": ("round trip", 0.3),
    "plain call, a Python thread busy": ("launch", None),
}


def beside_busy(
    call: str, finish: Callable[[], object], names: dict[str, object]
) -> dict:
    """Return a launch's time while another thread constantly runs Python.

    A launch that releases the GIL acquires it again after 5 milliseconds.
    """
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            pass

    thread = threading.Thread(target=work)
    thread.start()
    try:
        best = best_of(call, finish, 4, 100, names)
    finally:
        stop.set()
        thread.join()
    return {"plain call, a Python thread busy": best}


def measure_pycuda(rounds: int, beside_twin: bool = False) -> dict:
    """Measure this package, or PyCUDA, as `import pycuda` finds it."""
    import pycuda.autoinit
    import pycuda.driver as cuda
    from pycuda.compiler import SourceModule

    scale = SourceModule(SOURCE, no_extern_c=True).get_function("scale")
    a, b = cuda.mem_alloc(4 * N), cuda.mem_alloc(4 * N)
    cuda.memset_d32(a, 0, N)
    n = np.int32(N)
    prepared = scale.prepare("PPi").prepared_call
    synchronize = cuda.Context.synchronize

    plain = "scale(a, b, n, block=BLOCK, grid=GRID)"
    calls = [
        plain,
        "scale(a, b, int32(N), block=BLOCK, grid=GRID)",
        "prepared(GRID, BLOCK, a, b, N)",
        f"{plain}; synchronize()",
    ]
    names = {
        "scale": scale, "prepared": prepared, "synchronize": synchronize,
        "a": a, "b": b, "n": n, "N": N, "BLOCK": BLOCK, "GRID": GRID,
        "int32": np.int32,
    }  # fmt: skip
    rows = dict(zip(ROWS, calls, strict=False))
    if beside_twin:
        twins = {row: twin for row, (twin, _) in ROWS.items()}
        result = take_turns(rows, synchronize, rounds, names, twins)
    else:
        result = {
            row: best_of(call, synchronize, rounds, names=names)
            for row, call in rows.items()
        }
    result |= beside_busy(plain, synchronize, names)
    result["device"] = pycuda.autoinit.device.name()
    return result


def measure_with_twin(rounds: int) -> dict:
    return measure_pycuda(rounds, beside_twin=True)


def times_of(
    call: str,
    finish: Callable[[], object],
    rounds: int,
    names: dict[str, object],
) -> dict:
    """Measure a peer's rows: its launch, with and without waiting."""
    names = names | {"finish": finish, "GRID": GRID, "BLOCK": BLOCK}
    return {
        "plain call": best_of(call, finish, rounds, names=names),
        "launch + synchronize": best_of(
            f"{call}; finish()", finish, rounds, names=names
        ),
        **beside_busy(call, finish, names),
    }


def measure_cupy(rounds: int) -> dict:
    import cupy

    scale = cupy.RawKernel(SOURCE, "scale")
    a, b = cupy.zeros(N, np.float32), cupy.zeros(N, np.float32)
    n = np.int32(N)

    call = "scale(GRID, BLOCK, (a, b, n))"
    finish = cupy.cuda.Device().synchronize
    names = {"scale": scale, "a": a, "b": b, "n": n}
    return times_of(call, finish, rounds, names)


def measure_torch(rounds: int) -> dict:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("torch has no GPU")
    scale = torch.cuda._compile_kernel(SOURCE, "scale")
    a = torch.zeros(N, device="cuda")
    b = torch.zeros(N, device="cuda")

    call = "scale((4, 1, 1), BLOCK, (a, b, N))"
    finish = torch.cuda.synchronize
    names = {"scale": scale, "a": a, "b": b, "N": N}
    return times_of(call, finish, rounds, names)


def measure_cuda_core(rounds: int) -> dict:
    try:
        from cuda.core import (
            Device,
            LaunchConfig,
            Program,
            ProgramOptions,
            launch,
        )
    except ImportError:
        from cuda.core.experimental import (
            Device,
            LaunchConfig,
            Program,
            ProgramOptions,
            launch,
        )

    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(arch=f"sm_{device.arch}")
    program = Program(SOURCE, "c++", options)
    scale = program.compile("cubin").get_kernel("scale")
    a, b = (device.allocate(4 * N, stream=stream) for _ in range(2))
    config = LaunchConfig(grid=4, block=256)
    n = np.int32(N)

    call = "launch(stream, config, scale, a, b, n)"
    finish = stream.sync
    names = {
        "launch": launch, "stream": stream, "config": config, "scale": scale,
        "a": a, "b": b, "n": n,
    }  # fmt: skip
    return times_of(call, finish, rounds, names)


def measure_numba(rounds: int) -> dict:
    # numba-cuda still uses a name that NumPy 2.5 has removed.
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack
    from numba import cuda

    if not cuda.is_available():
        raise ImportError("numba has no GPU")

    @cuda.jit
    def scale(a, b, n):
        i = cuda.grid(1)
        if i < n:
            b[i] = a[i] * 2

    a = cuda.to_device(np.zeros(N, np.float32))
    b = cuda.to_device(np.zeros(N, np.float32))
    configured = scale[4, 256]
    n = np.int32(N)

    call = "configured(a, b, n)"
    finish = cuda.synchronize
    names = {"configured": configured, "a": a, "b": b, "n": n}
    return times_of(call, finish, rounds, names)


PEERS = {
    "this package": measure_with_twin,
    "pycuda": measure_pycuda,
    "CuPy": measure_cupy,
    "torch": measure_torch,
    "cuda.core": measure_cuda_core,
    "numba-cuda": measure_numba,
}


def main() -> None:
    parser = options_of(__doc__, 4, 60, PEERS)
    parser.add_argument("--pycuda", help="folder with an installed PyCUDA")
    options = parser.parse_args()
    if options.peer:
        peer_main(PEERS[options.peer], options.rounds, options.core)
        return

    options.pin = on_gpu = device_kind() == "gpu"
    ours = run_passes(__file__, "this package", options)
    columns = {"this package": ours}
    if on_gpu:
        for name in list(PEERS)[2:]:
            if result := run_passes(__file__, name, options, may_fail=True):
                columns[name] = result
        if options.pycuda:
            columns["PyCUDA"] = run_passes(
                __file__, "pycuda", options, True, PYTHONPATH=options.pycuda
            )

    describe_machine(ours["device"])
    print_report(columns)
    if on_gpu and ours["raw launch"] > GPU_TWIN_LIMIT_US:
        print(
            f"void: the C twin took {ours['raw launch']:.2f} us a launch; "
            f"over {GPU_TWIN_LIMIT_US} us the machine is too busy"
        )
        sys.exit(1)


def print_report(columns: dict[str, dict]) -> None:
    """Print one row per operation: figures, ratio, goal."""
    ours, *peers = columns
    rows = []
    for row, (twin_row, allowed) in ROWS.items():
        raw, mine = columns[ours][f"raw {twin_row}"], columns[ours][row]
        goal = "" if allowed is None else f"<= {raw + allowed:.2f}"
        verdict = "" if allowed is None else verdict_of(mine, raw + allowed)
        others = [peer_cell(columns[name], row) for name in peers]
        above = columns[ours].get(f"above {row}")
        spread = spread_text(above) if above else ""
        rows.append(
            [row, raw, mine, f"{mine / raw:.2f}", goal, verdict, spread]
            + others
        )
    heads = ["microseconds", "raw C", "this package", "ratio", "goal", "met"]
    print_table([*heads, ABOVE, *peers], rows)


def verdict_of(figure: float, goal: float) -> str:
    """Return the relation of a figure to its goal."""
    return "yes" if figure <= goal else f"no, by {figure - goal:.2f}"


if __name__ == "__main__":
    main()
