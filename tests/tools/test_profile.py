"""Named ranges: the recorder, NVTX's libraries, operations of arrays."""

# SPDX-License-Identifier: MIT

import glob
import os
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

from pycuda import gpuarray, profile

pytestmark = pytest.mark.usefixtures("context")


def names(rows):
    return [(row.name, row.depth) for row in rows]


def test_ranges_and_marks_are_recorded_in_their_order():
    with profile.record() as rows:
        with profile.range("outer"), profile.range("inner"):
            profile.mark("now")
        with profile.range("after"):
            pass
    assert names(rows) == [
        ("outer", 0), ("inner", 1), ("now", 2), ("after", 0),
    ]  # fmt: skip
    outer, inner, now, after = rows
    assert outer.begin <= inner.begin <= now.begin == now.end <= inner.end
    assert inner.end <= outer.end <= after.begin <= after.end
    assert outer.milliseconds == (outer.end - outer.begin) / 1e6
    assert {row.thread for row in rows} == {threading.get_ident()}


def test_a_range_ends_with_an_exception():
    with profile.record() as rows:
        with pytest.raises(KeyError), profile.range("fails"):
            raise KeyError
        profile.mark("outside")
    assert names(rows) == [("fails", 0), ("outside", 0)]
    assert rows[0].end


async def _wait():
    pass


async def _wait_often():
    yield


def _count():
    yield


@pytest.mark.parametrize("function", [_wait, _wait_often, _count])
def test_coroutines_and_generators_are_not_decorated(function):
    with pytest.raises(TypeError, match="a coroutine or a generator"):
        profile.range("work")(function)


def test_a_decorated_function():
    @profile.range("solve")
    def solve(n, *, by=1):
        """Solve."""
        return solve(n - 1) + by if n else 0

    assert (solve.__name__, solve.__doc__) == ("solve", "Solve.")
    assert solve(2, by=5) == 6
    with profile.record() as rows:
        assert solve(2) == 2
    assert names(rows) == [("solve", 0), ("solve", 1), ("solve", 2)]


def test_a_range_that_began_before_the_recorder():
    seen = profile.range("seen")
    with profile.range("early"), profile.record() as rows, seen:
        pass
    assert names(rows) == [("seen", 0)]
    with profile.record() as rows:
        late = profile.range("late")
        late.__enter__()
    late.__exit__(None, None, None)
    assert names(rows) == [("late", 0)] and rows[0].end == 0


def test_each_thread_has_its_own_depth():
    barrier = threading.Barrier(2)

    def work():
        with profile.range("work"):
            barrier.wait()

    with profile.record() as rows:
        threads = [threading.Thread(target=work) for _ in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert names(rows) == [("work", 0)] * 2
    assert len({row.thread for row in rows}) == 2


@pytest.mark.parametrize("name", [None, 5, b"bytes"])
def test_a_name_of_another_type(name):
    with pytest.raises(TypeError, match="the name of a range is a str"):
        profile.range(name)


def test_operations_of_arrays_on_request():
    x = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    before = dict(vars(gpuarray.GPUArray))
    add = gpuarray.GPUArray.__add__
    with profile.record() as rows:
        y = x + 1
    assert rows == []
    profile.annotate_arrays()
    try:
        profile.annotate_arrays()
        with profile.record() as rows:
            y = (x + 1).sum()
            z = np.sin(x)
            z += x[::2].copy()[0].get()
            np.dot(x, x)
            x.reshape(2, 3)
    finally:
        profile.annotate_arrays(False)
    profile.annotate_arrays(False)
    assert y.get() == 21
    found = [name for name, depth in names(rows) if depth == 0]
    assert found[:3] == ["GPUArray.__add__", "GPUArray.sum", "numpy.sin"]
    wanted = {"GPUArray.__getitem__", "GPUArray.copy", "GPUArray.get"}
    assert wanted | {"GPUArray.__iadd__", "numpy.dot"} <= set(found)
    assert found[-1] == "GPUArray.reshape"
    assert all(row.end for row in rows)
    # The class is as it was: operators are those in C.
    assert dict(vars(gpuarray.GPUArray)) == before
    assert gpuarray.GPUArray.__add__ is add


PROGRAM = """
import pycuda.profile as profile
print(profile.backend())
with profile.range("step"):
    profile.mark("h\\u00e4lf")
@profile.range("solve")
def solve(): pass
solve()
"""
PRINTER = r"""
#include <stdio.h>
#define EXPORT __attribute__((visibility("default")))
static int depth;
int EXPORT nvtxRangePushA(const char *name)
{ fprintf(stderr, "push %s\n", name); return depth++; }
int EXPORT nvtxRangePop(void)
{ fprintf(stderr, "pop\n"); return --depth; }
void EXPORT nvtxMarkA(const char *name)
{ fprintf(stderr, "mark %s\n", name); }
"""
# A profiler: the library calls InitializeInjectionNvtx2 and gets functions.
INJECTION = (
    PRINTER
    + r"""
typedef void (**functions)(void);
struct callbacks {
    unsigned long size;
    int (*get)(int module, functions **table, unsigned *size);
};
int EXPORT InitializeInjectionNvtx2(const void *(*export_table)(unsigned))
{
    const struct callbacks *callbacks = export_table(1);
    functions *table;
    unsigned size;
    if (!callbacks || !callbacks->get(1, &table, &size) || size < 12)
        return 0;
    *table[2] = (void (*)(void))nvtxMarkA;
    *table[9] = (void (*)(void))nvtxRangePushA;
    *table[11] = (void (*)(void))nvtxRangePop;
    return 1;
}
"""
)
SEEN = ["push step", "mark h\u00e4lf", "pop", "push solve", "pop"]


def compiled(source, path):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", path, "-x", "c", "-"],
        input=source,
        text=True,
        check=True,
    )
    return str(path)


def ran(**environment):
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", PROGRAM],
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    return done.stdout.strip(), done.stderr.splitlines()


def test_without_a_profiler_no_library_is_loaded(tmp_path):
    compiled(PRINTER, tmp_path / "libnvtx3interop.so.1")
    assert ran(LD_LIBRARY_PATH=str(tmp_path), NVTX_INJECTION64_PATH="") == (
        "None",
        [],
    )


@pytest.mark.parametrize("name", ["libnvtx3interop.so.1", "libnvToolsExt.so"])
def test_the_library_of_a_toolkit(tmp_path, name):
    (tmp_path / "lib64").mkdir()
    path = compiled(PRINTER, tmp_path / "lib64" / name)
    found, said = ran(CUDA_HOME=str(tmp_path), NVTX_INJECTION64_PATH="x")
    assert (found, said) == (path, SEEN)


def test_the_library_of_a_wheel(tmp_path):
    folder = tmp_path / "nvidia/cu13/lib"
    folder.mkdir(parents=True)
    path = compiled(PRINTER, folder / "libnvtx3interop.so.1")
    paths = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    found, said = ran(
        PYTHONPATH=os.pathsep.join(filter(None, paths)),
        NVTX_INJECTION64_PATH="x",
        CUDA_HOME="",
        CUDA_PATH="",
    )
    assert (found, said) == (path, SEEN)


def test_the_package_nvtx_comes_first(tmp_path):
    (tmp_path / "nvtx.py").write_text(
        "import sys\n"
        "def push_range(name): print('push', name, file=sys.stderr)\n"
        "def pop_range(): print('pop', file=sys.stderr)\n"
        "def mark(name): print('mark', name, file=sys.stderr)\n"
    )
    paths = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    found, said = ran(
        PYTHONPATH=os.pathsep.join(filter(None, paths)),
        NVTX_INJECTION64_PATH="x",
    )
    assert (found, said) == (str(tmp_path / "nvtx.py"), SEEN)


def test_nvidias_library_and_a_profiler(tmp_path):
    """The names pass through NVIDIA's library to an injected profiler."""
    real = glob.glob("/usr/local/cuda*/lib*/libnvtx3interop.so.1")
    if not real:
        pytest.skip("no libnvtx3interop.so")
    (tmp_path / "lib64").mkdir()
    os.symlink(real[0], tmp_path / "lib64/libnvtx3interop.so.1")
    injection = compiled(INJECTION, tmp_path / "injection.so")
    found, said = ran(CUDA_HOME=str(tmp_path), NVTX_INJECTION64_PATH=injection)
    assert found.startswith(str(tmp_path))
    assert said == SEEN


def test_a_profiler_without_any_library(tmp_path):
    """Ranges do nothing if no library can be loaded."""
    (tmp_path / "lib64").mkdir()
    for name in ("libnvtx3interop.so.1", "libnvToolsExt.so.1"):
        (tmp_path / "lib64" / name).write_text("no library")
    found, said = ran(CUDA_HOME=str(tmp_path), NVTX_INJECTION64_PATH="x")
    assert said == []
    assert found == "None" or "libnv" in found
