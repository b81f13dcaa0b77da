"""Kernels that run a quick version while the full one is compiled.

The kernels here take more than pycuda-jit's limit for the full version, a
quarter of a second of processor time.
"""

# SPDX-License-Identifier: MIT

import os
import struct
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import cpu
from pycuda.compiler import compile

pytestmark = pytest.mark.cpu

THREADS = 64
STAGES = 60
HEADER = struct.Struct("<8x4xI8xQ64x16x7Q4Q")


def stages(name: str, count: int = STAGES) -> str:
    """Return a kernel with 2 * `count` barriers, and two variables."""
    steps = "".join(
        f"""
        if (t >= {1 << i % 6})
            x = x * 0.5f + s[t - {1 << i % 6}] * table[{i % 8}];
        u = s[(t * {i + 3}) % n];
        __syncthreads();
        s[t] = x * 0.5f + y * 0.25f * u;
        y = x * 0.5f + y * 0.25f;
        __syncthreads();"""
        for i in range(count)
    )
    return f"""
    __constant__ float table[8];
    __device__ unsigned launches;
    __global__ void {name}(float *a, int n)
    {{
        __shared__ float s[{THREADS}];
        int t = threadIdx.x;
        float x = a[t], y = a[t + n], u;
        s[t] = x;
        __syncthreads();
        {steps}
        a[t] = s[t] + x + y;
        if (t == 0) atomicAdd(&launches, 1u);
    }}"""


def is_quick(image: bytes) -> bool:
    return HEADER.unpack_from(image)[-3] != 0


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache; large kernels get a quick version, as by default."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.delenv("PYCUDA_CPU_QUICK", raising=False)
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(folder))
    return folder


class Stages:
    """A loaded module of `stages` with its table set."""

    def __init__(self, image: bytes, name: str = "stages"):
        self.module = cuda.module_from_buffer(image)
        self.function = self.module.get_function(name)
        self.table = np.linspace(-1, 1, 8).astype(np.float32)
        self.data = np.random.default_rng(1).random(2 * THREADS, np.float32)
        cuda.memcpy_htod(self.module.get_global("table")[0], self.table)

    def run(self) -> np.ndarray:
        out = self.data.copy()
        self.function(
            cuda.InOut(out), np.int32(THREADS), block=(THREADS, 1, 1)
        )
        return out

    def launches(self) -> int:
        count = np.zeros(1, np.uint32)
        cuda.memcpy_dtoh(count, self.module.get_global("launches")[0])
        return int(count[0])


def test_same_bits_and_variables(cache):
    image = compile(stages("stages"), cache_dir=False)
    assert is_quick(image)
    quick = Stages(image)
    before = quick.run()
    frame = quick.function.local_size_bytes
    assert cpu.finish_compilation(120)
    after = quick.run()
    assert np.array_equal(before.view(np.uint32), after.view(np.uint32))
    assert quick.launches() == 2
    assert quick.function.local_size_bytes == frame
    # the full version is in the cache, and the module loads it at once
    assert len(list((cache / "front").glob("*"))) >= 1
    assert np.array_equal(Stages(image).run(), before)


def test_switched_off(cache, monkeypatch):
    monkeypatch.setenv("PYCUDA_CPU_QUICK", "0")
    assert not is_quick(compile(stages("stages"), cache_dir=False))


def test_small_kernel_on_request(cache, monkeypatch):
    monkeypatch.setenv("PYCUDA_CPU_QUICK", "always")
    loaded = Stages(compile(stages("stages", 2), cache_dir=False))
    before = loaded.run()
    assert cpu.finish_compilation(120)
    assert np.array_equal(loaded.run(), before)


def test_fast_math_and_small_kernels_have_no_quick_version(cache):
    fast = compile(
        stages("stages"), options=["-use_fast_math"], cache_dir=False
    )
    small = compile(stages("stages", 2), cache_dir=False)
    assert not is_quick(fast)
    assert not is_quick(small)


def test_module_unloaded_before_the_full_version_is_ready(cache):
    image = compile(stages("stages"), cache_dir=False)
    expected = Stages(image).run()  # this module is unloaded at once
    assert cpu.finish_compilation(120)
    assert np.array_equal(Stages(image).run(), expected)


def test_the_cache_of_the_time_of_loading_is_used(
    cache, tmp_path, monkeypatch
):
    """A program may change the variable before the full version is ready."""
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    image = compile(stages("moved", 40), cache_dir=False)
    assert is_quick(image)
    before = set((cache / "front").iterdir())
    module = Stages(image, "moved")
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(other))
    assert cpu.finish_compilation(120)
    assert len(set((cache / "front").iterdir()) - before) == 1
    assert not (other / "front").exists()
    del module


def test_graph_runs_both_versions(cache):
    loaded = Stages(compile(stages("stages"), cache_dir=False))
    expected = loaded.run()
    buffer = cuda.mem_alloc(loaded.data.nbytes)
    stream = cuda.Stream()
    with stream.capture() as captured:
        loaded.function(
            buffer, np.int32(THREADS), block=(THREADS, 1, 1), stream=stream
        )
    graph = captured.instantiate()
    out = np.empty_like(loaded.data)
    for finished in (False, True):
        if finished:
            assert cpu.finish_compilation(120)
        cuda.memcpy_htod(buffer, loaded.data)
        graph.launch(stream)
        stream.synchronize()
        cuda.memcpy_dtoh(out, buffer)
        assert np.array_equal(out, expected)


def test_thread_that_compiled_may_end(cache):
    results: list[np.ndarray] = []
    context = cuda.Context.get_current()

    def work() -> None:
        context.push()
        try:
            module = Stages(compile(stages("stages"), cache_dir=False))
            results.append(module.run())
            results.append(module)
        finally:
            cuda.Context.pop()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert cpu.finish_compilation(120)
    assert np.array_equal(results[1].run(), results[0])


PROGRAM = textwrap.dedent("""
    import os, sys
    from pathlib import Path
    import numpy as np
    import pycuda.autoinit
    import pycuda.driver as cuda
    from pycuda import cpu
    from pycuda.compiler import SourceModule
    module = SourceModule(Path(sys.argv[1]).read_text())
    data = np.ones(128, np.float32)
    module.get_function("stages")(
        cuda.InOut(data), np.int32(64), block=(64, 1, 1))
    if sys.argv[2] == "fork":
        child = os.fork()
        if child == 0:
            os._exit(0 if cpu.finish_compilation(0) else 3)
        assert os.waitpid(child, 0)[1] == 0
    elif sys.argv[2] == "wait":
        assert cpu.finish_compilation(120)
    print(cpu.finish_compilation(0), data.sum())
    """)


def run_program(cache, source: Path, mode: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, str(source), mode],
        env={**os.environ, "PYCUDA_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_next_process_completes_and_uses_the_cache(cache, tmp_path):
    source = tmp_path / "stages.cu"
    source.write_text(stages("stages"))
    cut_off = run_program(cache, source, "exit")
    assert cut_off[0] == "False"
    built = run_program(cache, source, "wait")
    cached = run_program(cache, source, "exit")
    assert built == cached == ["True", cut_off[1]]


def test_fork_while_an_upgrade_is_pending(cache, tmp_path):
    source = tmp_path / "stages.cu"
    source.write_text(stages("stages"))
    assert run_program(cache, source, "fork")
