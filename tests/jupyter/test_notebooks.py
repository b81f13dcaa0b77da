"""The extension for notebooks, in real kernels of IPython."""

# SPDX-License-Identifier: MIT

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

from notebooks import notebook

pytestmark = pytest.mark.no_sanitizer

ROOT = Path(__file__).resolve().parents[2]
KERNELS = """%%cuda
#include <stdio.h>
__global__ void say(int n) { printf("kernel %d\\n", n); }
__global__ void part(int n) { printf("[%d]", n); }
__global__ void __launch_bounds__(64, 1) fill(float *a, float value) {
    a[threadIdx.x] = value;
}
__global__ void wild(void) { *(volatile int *)16 = 1; }
__global__ void endless(volatile int *a) { while (*a == 0); }
"""
CHECKED = """%%cuda
__global__ void over(float *a) {
    int i = threadIdx.x;
    a[i] += 1;
}
__global__ void mirror(int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    a[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void count(int *a) { *a += threadIdx.x; }
__global__ void use(const float *a, float *b) {
    if (a[threadIdx.x] > 3)
        b[threadIdx.x] = 1;
}
"""


def device_is_cpu(nb):
    code = "from pycuda import _driver; print(_driver._device_kind())"
    return nb.run(code).text() == "cpu\n"


@pytest.fixture(scope="module")
def nb(tmp_path_factory):
    """Return a kernel that the tests of this file share, in their order."""
    with notebook(tmp_path_factory.mktemp("notebook")) as made:
        result = made.run(KERNELS)
        assert result.outputs == []
        yield made


def test_kernel_output_is_in_its_cell_and_in_order(nb):
    result = nb.run(
        "print('a')\n"
        "say(np.int32(1), block=(1, 1, 1))\n"
        "drv.Context.synchronize()\n"
        "print('b')\n"
        "part(np.int32(2), block=(1, 1, 1))\n"
        "drv.Context.synchronize()\n"
        "print('c')\n"
        "import os; os.write(1, b'raw\\n')\n"
        "print('d')\n"
        "say(np.int32(3), block=(1, 1, 1))"
    )
    assert result.text() == "a\nkernel 1\nb\n[2]c\nraw\nd\nkernel 3\n"
    assert result.errors == [] and result.text("stderr") == ""
    assert nb.run("print('e')").text() == "e\n"


def test_output_of_child_processes(nb):
    result = nb.run(
        "import subprocess\n"
        "child = subprocess.Popen(['sh', '-c', 'echo in; read x; echo out'],\n"
        "                         stdin=subprocess.PIPE, text=True)\n"
        "print('parent')"
    )
    # the two processes write at the same time, each its text and a newline
    printed = "".join(result.text().split())
    assert printed in ("inparent", "parentin", "parent")
    result = nb.run("child.communicate('x'); print('end')")
    assert result.text().endswith("out\nend\n")


def test_output_of_forked_children(nb):
    # as when the thread that passes output on works during the fork
    result = nb.run(
        "import os, sys, threading, time\n"
        "lock = sys.stdout.write.__self__._lock\n"
        "held, done = threading.Event(), threading.Event()\n"
        "def hold():\n"
        "    with lock:\n"
        "        held.set(); done.wait()\n"
        "thread = threading.Thread(target=hold); thread.start(); held.wait()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    print('child', flush=True)\n"
        "    os._exit(0)\n"
        "end, status = time.monotonic() + 3, (0, 0)\n"
        "while status == (0, 0) and time.monotonic() < end:\n"
        "    time.sleep(0.01); status = os.waitpid(child, os.WNOHANG)\n"
        "if status == (0, 0): os.kill(child, 9); os.waitpid(child, 0)\n"
        "done.set(); thread.join()\n"
        "status == (child, 0)"
    )
    assert result.errors == []
    assert [data["text/plain"] for data in result.data] == ["True"]


def test_a_cell_that_runs_a_cell(nb):
    result = nb.run(
        "print('a')\n"
        "get_ipython().run_cell('say(np.int32(1), block=(1, 1, 1))')\n"
        "print('b')\n"
        "say(np.int32(2), block=(1, 1, 1)); drv.Context.synchronize()\n"
        "print('c')"
    )
    assert result.text() == "a\nkernel 1\nb\nkernel 2\nc\n"


def test_a_capture_may_span_cells(nb):
    nb.run(
        "a = gpuarray.zeros(64, np.float32); stream = drv.Stream()\n"
        "drv.Context.synchronize()\n"
        "capture = stream.capture(); graph = capture.__enter__()\n"
        "fill(a, np.float32(5), block=(64, 1, 1), stream=stream)"
    )
    result = nb.run(
        "capture.__exit__(None, None, None); graph.launch()\n"
        "stream.synchronize(); print(a.get()[0])"
    )
    assert result.errors == [] and result.text() == "5.0\n"


def test_an_error_is_the_text_of_the_compiler(nb):
    result = nb.run(
        "%%cuda\n"
        "__global__ void good(float *a) { a[0] = 1; }\n"
        "__global__ void bad(float *a) {\n"
        "    a[0] = undeclared_value;\n"
        "}"
    )
    lines = result.traceback.splitlines()
    assert f"In[{result.count}]" in lines[0]
    assert "4" in lines[0] and "undeclared_value" in lines[0]
    assert any("a[0] = undeclared_value;" in line for line in lines)
    assert any(set(line.strip(" |")) in ({"^"}, set("^~")) for line in lines)
    assert len(lines) <= 5
    assert nb.run("good").errors == ["NameError: name 'good' is not defined"]


def test_options_and_templates(nb):
    result = nb.run(
        "%%cuda -DN=5 -std=c++17\n"
        "template <class T> struct Type { using type = T; };\n"
        "template <class T, class U = Type<Type<T>>>\n"
        "__device__ T five() { return N; }\n"
        "template <typename T, int M = (1 << 1)>\n"
        "__global__ void scaled(T *a) { a[threadIdx.x] = M * five<T>(); }\n"
        "// __global__ void no() {}\n"
        "__global__ void plain(int *a) { *a = N; }"
    )
    assert result.errors == []
    result = nb.run(
        "a = gpuarray.zeros(2, np.float64); b = gpuarray.zeros(1, np.int32)\n"
        "scaled['double', 3](a, block=(2, 1, 1)); plain(b, block=(1, 1, 1))\n"
        "print(a.get(), b.get(), 'no' in globals())"
    )
    assert result.text() == "[15. 15.] [5] False\n"
    result = nb.run("scaled(a, block=(2, 1, 1))")
    assert 'scaled["float"](...)' in result.errors[0]
    assert "missing_type" in nb.run("scaled['missing_type', 1]").traceback


def test_every_kernel_of_a_cell_becomes_a_variable(nb):
    result = nb.run(
        "%%cuda\n"
        "#define KERNEL(name) __global__ void name(int *a) { *a = 1; }\n"
        "KERNEL(by_macro)\n"
        'extern "C" { __global__ void in_braces(int *a) { *a = 1; } }\n'
        "__global__ void\n"
        "__launch_bounds__(32 * (1 + 1))\n"
        "next_line(int *a)\n"
        "{ *a = 1; }\n"
        "#if 0\n__global__ void left_out(int *a) {}\n#endif\n"
        "namespace outer { __global__ void spaced(int *a) { *a = 1; } }"
    )
    assert result.errors == []
    result = nb.run(
        "%%cuda\n"
        "template <class T> struct Pair { T x, y; };\n"
        "namespace one { namespace two {\n"
        "__device__ int used(int a) { if (a) { return 1; } return 1; }\n"
        "template <int N> __global__ void generic(int *a) { *a = N; }\n"
        "__global__ void within(int *a) { *a = used(1); }\n"
        "} }\n"
        "__global__ void of_pair(Pair<int> *a) { a->x = 1; }"
    )
    assert result.errors == []
    result = nb.run(
        "for k in (by_macro, in_braces, next_line, spaced, within, of_pair,\n"
        "          generic[1]):\n"
        "    a = gpuarray.zeros(2, np.int32)\n"
        "    k(a, block=(1, 1, 1))\n"
        "    assert a.get()[0] == 1\n"
        "print('left_out' in globals(), 'used' in globals())"
    )
    assert result.errors == [] and result.text() == "False False\n"


def test_wrong_cells(nb):
    result = nb.run("%%cuda -DX='1\n__global__ void k() {}")
    assert "UsageError" in result.text("stderr")
    assert "No closing quotation" in result.text("stderr")
    host = "%%cuda\n__global__ void k() {}\nint main() { return WHAT; }"
    assert "from Python" in nb.run(host.replace("WHAT", "0")).text("stderr")
    assert "from Python" in nb.run(host.replace("WHAT", "oops")).traceback
    result = nb.run("%%cuda\n__device__ int x;")
    assert "has no __global__ function" in result.text("stderr")


def test_displays(nb):
    result = nb.run("gpuarray.arange(6, dtype=np.float32).reshape(2, 3)")
    html = result.data[0]["text/html"]
    for text in ("GPUArray", "(2, 3)", "float32", "[[0. 1. 2.]\n [3. 4. 5.]]"):
        assert text in html
    name = nb.run("print(drv.Context.get_device().name())").text().strip()
    assert name in html
    html = nb.run("drv.Context.get_device()").data[0]["text/html"]
    for text in (name, "compute capability", "GiB", "multiprocessors"):
        assert text in html


def test_tracebacks_have_frames_of_the_program_only(nb):
    source = "def f(a):\n    return a.reshape(7)\nf(gpuarray.zeros(5, float))"
    text = nb.run(source).traceback
    assert "a.reshape(7)" in text and "f(gpuarray" in text
    assert "site-packages" not in text
    source = "from pycuda.compiler import SourceModule; SourceModule('x y;')"
    text = nb.run(source).traceback
    assert "SourceModule('x y;')" in text and "error: " in text
    assert "pycuda/compiler.py" not in text
    nb.run("%xmode Verbose")
    assert "pycuda/compiler.py" in nb.run(source).traceback
    nb.run("%xmode Context")


def test_information(nb):
    text = nb.run("%cuda_info").text()
    assert text.startswith("package ") and "This installation works." in text


@pytest.mark.gpu
def test_a_fault_on_a_gpu(tmp_path):
    with notebook(tmp_path) as own:
        own.run(KERNELS)
        result = own.run("wild(block=(1, 1, 1))")
        assert "illegal memory access" in result.errors[0]
        assert "restart the notebook's kernel" in result.text("stderr")
        result = own.run("%cuda_reset")
        assert "illegal memory access" in result.errors[0]
        assert "restart the notebook's kernel" in result.text("stderr")


@pytest.mark.cpu
def test_a_fault_and_a_new_context(nb):
    nb.run("import pycuda.autoinit; before = gpuarray.zeros(4, np.float32)")
    result = nb.run("wild(block=(1, 1, 1))")
    assert len(result.errors) == 1
    assert "illegal memory access" in result.errors[0]
    assert "%cuda_reset makes a new one" in result.text("stderr")
    result = nb.run("before.get()")  # fails, and says no more than that
    assert len(result.errors) == 1 and result.text("stderr") == ""
    result = nb.run("%cuda_reset")
    assert result.errors == [] and result.text().startswith("new context on ")
    result = nb.run(
        "a = gpuarray.empty(64, np.float32)\n"
        "fill(a, np.float32(3), block=(64, 1, 1))\n"
        "print(a.get().sum(), (a + 1).get().sum())\n"
        "assert pycuda.autoinit.context == drv.Context.get_current()"
    )
    assert result.errors == [] and result.text() == "192.0 256.0\n"
    nb.run("del before")
    assert nb.run("print(a.get()[0])").text() == "3.0\n"


@pytest.mark.cpu
@pytest.mark.parametrize(
    "wait", ["", "drv.Context.synchronize()", "await asyncio.sleep(0)"]
)
def test_stop_ends_an_endless_kernel(nb, wait):
    result = nb.run_and_stop(
        "import asyncio\n"
        "flag = gpuarray.zeros(1, np.int32)\n"
        "drv.Context.synchronize()\n"
        "open(MARK, 'w').close()\n"
        f"endless(flag, block=(1, 1, 1))\n{wait}"
    )
    assert [e.split(":")[0] for e in result.errors] == ["KeyboardInterrupt"]
    assert "%cuda_reset" in result.text("stderr")
    result = nb.run(
        "%cuda_reset\n"
        "a = gpuarray.empty(64, np.float32)\n"
        "fill(a, np.float32(2), block=(64, 1, 1))\n"
        "print(a.get().sum())"
    )
    assert result.errors == [] and result.text().endswith("\n128.0\n")


@pytest.mark.cpu
def test_checks_are_shown_with_line_variable_thread_and_remedy(nb):
    made = nb.run(CHECKED)  # compiled before the checks are selected
    result = nb.run("%cuda_check")
    assert result.text() == "kernel checks: off\n"
    assert "'rase'" in nb.run("%cuda_check rase").errors[0]
    result = nb.run("%cuda_check race, memory")
    assert result.text() == "kernel checks: memory race\n"
    where = f"In[{made.count}]"
    for call, expected in (
        (
            "over(gpuarray.zeros(100, np.float32), block=(128, 1, 1))\n"
            "drv.Context.synchronize()  # the error is one of the cell",
            (f"{where}:4:", "    a[i] += 1;\n", "variable: a\n",
             "(100, 0, 0) of block (0, 0, 0), kernel over",
             "index 100 of 100 elements", "as in `if (i < n)`"),
        ),
        (
            "mirror(gpuarray.zeros(64, np.int32), block=(64, 1, 1))",
            (f"{where}:8:", "variable: s\n", "other access: ",
             "remedy: add __syncthreads() between lines 8 and 9"),
        ),
        (
            "count(gpuarray.zeros(1, np.int32), block=(64, 1, 1))",
            (f"{where}:11:", "variable: a\n", "remedy: use atomicAdd"),
        ),
        (
            "use(gpuarray.empty(64, np.float32), "
            "gpuarray.zeros(64, np.float32), block=(64, 1, 1))",
            (f"{where}:13:", "never written", "remedy: fill it first"),
        ),
    ):  # fmt: skip
        if call.startswith("use"):
            nb.run("%cuda_check init")
        result = nb.run(call)
        assert len(result.data) == 1 and len(result.errors) == 1
        text = result.data[0]["text/plain"]
        for part in expected:
            assert part in text
        assert "<pre>" in result.data[0]["text/html"]
        assert "(the report is above)" in result.traceback
        kinds = [output.output_type for output in result.outputs]
        assert kinds.index("display_data") < kinds.index("error")
        assert "PYCUDA_CPU_CHECK" not in result.text("stderr")
        nb.run("%cuda_reset")
    assert nb.run("%cuda_check off").text() == "kernel checks: off\n"
    result = nb.run("count(gpuarray.zeros(1, np.int32), block=(64, 1, 1))")
    assert result.outputs == []


STREAMS = """%%cuda
__global__ void put(int *a) { a[threadIdx.x] = 1; }  // a\u2028b
__global__ void get(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }
"""


@pytest.mark.cpu
def test_reports_of_streams_name_cells(nb):
    nb.run("%cuda_check streams continue")
    nb.run(STREAMS)
    result = nb.run(
        "one, two = drv.Stream(), drv.Stream()\n"
        "a, b = drv.mem_alloc(256), drv.mem_alloc(256)\n"
        "put(a, block=(64, 1, 1), stream=one)\n"
        "get(a, b, block=(64, 1, 1), stream=two)\n"
        "drv.Context.synchronize()"
    )
    (shown,) = result.data
    text = shown["text/plain"]
    assert text.startswith(f"In[{result.count}]:4: streams: ")
    assert f"the memory (In[{result.count}]:3)" in text
    assert f"after In[{result.count}]:3 (event.record)" in text
    assert "ipython-input" not in text + shown["text/html"]
    nb.run("%cuda_check off")


def test_the_cells_of_the_page_run(nb):
    page = ROOT / "docs" / "notebooks.md"
    cells = re.findall(r"```ipython\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(cells) == 6
    results = [
        nb.run(cell)
        for cell in cells
        if "cuda_check" not in cell or device_is_cpu(nb)
    ]
    assert [result.errors for result in results] == [[]] * len(results)
    shown = results[2]
    assert shown.text() == "1024 threads\n"
    assert " 1998.]" in shown.data[0]["text/html"]


def test_the_cells_of_the_how_to_run(nb):
    page = ROOT / "docs" / "how-to" / "jupyter.md"
    cells = re.findall(
        r"```\{code-cell\} ipython3\n(.*?)```", page.read_text(), re.DOTALL
    )
    nb.run(
        "import sys, unittest.mock\n"
        "for name in ('matplotlib', 'matplotlib.pyplot'):\n"
        "    sys.modules.setdefault(name, unittest.mock.MagicMock())"
    )
    results = [nb.run(cell) for cell in cells]
    assert [result.errors for result in results] == [[]] * 4
    assert results[2].text() == "13 x 13 blocks\n"
    assert "float32" in results[3].data[0]["text/html"]


def test_unload(nb):
    assert nb.run("%unload_ext pycuda.jupyter").errors == []
    assert "not found" in nb.run("%cuda_info").text("stderr")
    result = nb.run("gpuarray.zeros(2, np.float32)")
    assert list(result.data[0]) == ["text/plain"]


def test_the_package_does_not_import_ipython():
    code = (
        "import sys, pycuda.gpuarray, pycuda.debug, pycuda.tools, "
        "pycuda.compiler; assert 'IPython' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd="/", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
