"""The course: solutions pass, templates and typical mistakes do not."""

# SPDX-License-Identifier: MIT

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pycuda.course import EXERCISES, check

nbformat = pytest.importorskip("nbformat")
ROOT = Path(__file__).resolve().parents[2]
BARRIER = "    __syncthreads();\n"
# Exercise, text of the solution, its replacement, and the report's beginning:
# line of the source and kind of the error, or the wrong element.
MISTAKES = [
    ("01_map", "if (i < n)\n        ", "", ":6:18: memory: read"),
    ("01_map", "blockIdx.x * blockDim.x + ", "", "element 256 is nan"),
    ("01_map", "i < n", "i <= n", ":7:22: memory: read"),
    ("01_map", "+ 1;", "+ 1", "7:30: error: expected ';'"),
    ("01_map", "2 * x", "2 * y", "undeclared identifier 'y'"),
    ("02_mirror", "width - 1 -", "width -", ":8:37: memory: read"),
    ("02_mirror", " && row < height", "", ":8:37: memory: read"),
    ("02_mirror", "row * width + c", "row * height + c", ":8:9: race"),
    ("03_stride", "+= threads", "+= blockDim.x", "use atomicAdd"),
    ("03_stride", "gridDim.x * blockDim.x", "gridDim.x", ":7:14: race"),
    ("03_stride", "i < n; i", "i <= n; i", "guard the access"),
    ("03_stride", "y[i] +=", "y[i] =", "element 0 is"),
    ("04_reverse", BARRIER, "", "add __syncthreads() between"),
    ("04_reverse", "127 -", "128 -", "end of the shared variable 'tile'"),
    ("04_reverse", "x + blockIdx.x * 128", "x", "blocks of a launch are not"),
    ("05_smooth", BARRIER, "", "add __syncthreads() between"),
    ("05_smooth", "i > 0 ? x[i - 1] : 0", "x[i - 1]", "index -1 of 128"),
    ("05_smooth", "t == 127", "t == 128", ":14:43: init: read"),
    ("05_smooth", "i + 1 < n ? x[i + 1] : 0", "x[i + 1]", "index 128 of"),
    ("06_histogram", "if (i < n)\n        ", "", "index 1000 of 1000"),
    ("06_histogram", "&count[x[i]", "&count[x[i] + 1", "index 16 of 16"),
    (
        "06_histogram",
        "atomicAdd(&count[x[i]], 1)",
        "count[x[i]] += 1",
        "use atomicAdd",
    ),
    ("07_sum", "    " + BARRIER, "", "add __syncthreads()"),
    ("07_sum", "i < n ? x[i] : 0", "x[i]", ":7:15: memory: read"),
    ("07_sum", "        if (t < half)\n    ", "", "shared variable 'part'"),
    ("07_sum", "half = 128", "half = 64", "element 0 is"),
    ("07_sum", "    if (t == 0)\n", "", "add __syncthreads() between"),
    (
        "07_sum",
        f"    {BARRIER}        if (t < half)",
        "        if (t < half) __syncthreads();\n        if (t < half)",
        "sync: barrier in divergent code",
    ),
    ("08_warp", "d = 16", "d = 8", "element 0 is"),
    ("08_warp", "0xffffffff", "0xffff", "does not take part"),
    (
        "08_warp",
        "row < height ? x[row * 32 + lane] : 0",
        "x[row * 32 + lane]",
        "index 320 of 320",
    ),
    ("08_warp", "lane == 0 && ", "", ":10:9: race: write"),
    ("08_warp", " && row < height)", ")", "index 10 of 10"),
    ("09_matmul", "    " + BARRIER, "", "add __syncthreads() between"),
    (
        "09_matmul",
        "tb[k][x];\n        __syncthreads();",
        "tb[k][x];",
        "has none: add __syncthreads() there",
    ),
    ("09_matmul", "sum = 0;", "sum;", "assign a value first"),
    ("09_matmul", " && column < n)", ")", "race: write"),
    (
        "09_matmul",
        "in_a ? a[row * n + first + x] : 0",
        "a[row * n + first + x]",
        "index 1600 of 1600",
    ),
    ("09_matmul", "tb[k][x]", "tb[x][k]", "element (0, 0) is"),
    ("10_transpose", BARRIER, "", "add __syncthreads() between"),
    ("10_transpose", "tile[tx][ty]", "tile[ty][tx]", "element (0, 1) is"),
    ("10_transpose", "row * height", "row * width", "out of bounds"),
    (
        "10_transpose",
        "[17]",
        "[16]",
        "10_transpose.cu:13: the results are right, but a warp's read of "
        "shared memory takes 8 times",
    ),
    (
        "10_transpose",
        "        tile[ty][tx] = x[row * width + column];\n",
        "        out[column * height + row] = x[row * width + column];\n"
        "    return;\n",
        "let neighbouring threads access neighbouring addresses",
    ),
    ("11_grid", "(n + size - 1) // size", "n // size", "blocks(1, 256): "),
    ("11_grid", "size - 1) // size", "size) // size", "element 0 is 2, but 1"),
    ("11_grid", "// size", "/ size", "returns 1.0: an int is right"),
    ("11_grid", "return ", "retrun ", "11_grid.py:8: "),
    (
        "11_grid",
        "def blocks",
        "def block",
        "11_grid.py has no function blocks",
    ),
    ("12_types", "x, np.float32", "x", "3 numbers: element 1 is 0.5"),
    ("12_types", "np.int32(len(x))", "len(x)", "pass numpy.int32(3)"),
    ("12_types", "np.float32(factor)", "factor", "pass numpy.float32(3.0)"),
    ("12_types", "array,", "x,", "12_types.py:13: "),
    ("12_types", "(len(x) + 63)", "len(x)", "12_types.py:13: cuLaunchKernel"),
    ("13_printf", "if (threadIdx.x == 0)", "", "has 32 lines, but 1 are"),
    ("13_printf", "(int)blockIdx.x, ", "", "is right"),
    ("13_printf", "\\n", "", "the result has 1 lines, but 3 are right"),
    ("14_assert", "        assert(x[i] >= 0);\n", "", "'no failed assertion'"),
    ("14_assert", "x[i] >= 0", "x[i] > 1", "device-side assert triggered"),
    ("14_assert", "if (i < n) {", "{", "index 100 of 100"),
    ("15_stencil", BARRIER, "", "add __syncthreads() between lines 8 and 9"),
    ("15_stencil", "i > 0 && ", "", "index -1 of 2"),
    ("15_stencil", " && i < n - 1", "", "index 2 of 2"),
    ("16_dynamic", BARRIER, "", "add __syncthreads() between"),
    ("16_dynamic", "size - 1 - t", "size - t", "dynamic shared memory of 128"),
    (
        "16_dynamic",
        "extern __shared__ float tile[",
        "__shared__ float tile[32",
        "the shared variable 'tile'",
    ),
    ("16_dynamic", ".x * size", ".x * 32", "blocks of a launch are not"),
    ("17_local", "k < 5", "k <= 5", "the thread's own variable 'v'"),
    ("17_local", "k = 0; k < 5", "k = 1; k < 5", "assign a value first"),
    ("17_local", "    if (i >= n)\n        return;\n", "", "index 500 of 500"),
    ("18_initial", "sum = 0;", "sum;", ":9:17: init: a variable ('sum')"),
    ("18_initial", "row < height", "row <= height", "index 1000 of 1000"),
    ("18_initial", "row * width", "row * height", "index 224 of 224"),
    (
        "19_maximum",
        "atomicMax(out, x[i])",
        "if (x[i] > *out) *out = x[i]",
        ":7:20: race",
    ),
    ("19_maximum", "i < n", "i <= n", "index 100 of 100"),
    ("19_maximum", "atomicMax", "atomicMin", "element 0 is -6000"),
    (
        "20_barrier",
        "    __syncthreads();\n    if (i < n)",
        "    if (i < n)\n        __syncthreads();\n    if (i < n)",
        "sync: ",
    ),
    ("20_barrier", BARRIER, "", "add __syncthreads() between lines 10 and 13"),
    ("20_barrier", "k < n && ", "", "index 100 of 100"),
    ("20_barrier", "        smallest = x[first];\n", "", ":9:30: init: read"),
    ("21_scan", "    " + BARRIER, "", "add __syncthreads() between lines 10"),
    ("21_scan", "t >= d ? sums[t - d] : 0", "sums[t - d]", "'sums'"),
    ("21_scan", "d < 256", "d < 128", "element 128 is"),
    ("22_vector", "i < n / 4", "i < n", "index 300 of 300"),
    (
        "22_vector",
        "((const float4 *)x)[i]",
        "*(const float4 *)(x + i)",
        "misaligned",
    ),
    ("22_vector", "2 * v.w", "v.w", "element 3 is"),
    (
        "23_last",
        "if (atomicAdd(done, 1u) == gridDim.x - 1) {",
        "{",
        "blocks of a launch are not ordered",
    ),
    ("23_last", "gridDim.x - 1)", "gridDim.x)", "element 0 is nan"),
    ("23_last", "atomicAdd(&part, x[i])", "part += x[i]", "use atomicAdd"),
    (
        "24_streams",
        "    second.wait_for_event(event)\n",
        "",
        "wait for it before",
    ),
    (
        "24_streams",
        "event.record(first)",
        "event.record(second)",
        "wait for it before",
    ),
    (
        "25_free",
        "    drv.memcpy_dtoh(squares, memory)\n    memory.free()",
        "    memory.free()\n    drv.memcpy_dtoh(squares, memory)",
        "25_free.py:22: ",
    ),
    ("25_free", "    drv.memcpy_htod(memory, x)\n", "", "never written"),
    ("25_free", "x.nbytes", "x.size", "25_free.py:13: cuMemcpyHtoD"),
    (
        "26_speed",
        "        sum += x[i];\n    atomicAdd(out, sum);",
        "        atomicAdd(out, x[i]);",
        "times as fast as the template",
    ),
    ("26_speed", "atomicAdd(out, sum)", "*out = sum", "use an atomic"),
    ("26_speed", "sum = 0", "sum", "assign a value first"),
]


@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_passes_and_the_template_does_not(name):
    exercise = EXERCISES[name]
    assert check(exercise, exercise.solution).message == "correct"
    result = check(exercise, exercise.template)
    assert not result.passed
    assert "right" in result.message


@pytest.mark.cpu
@pytest.mark.parametrize(("name", "text", "wrong", "said"), MISTAKES)
def test_a_typical_mistake_is_explained(name, text, wrong, said):
    exercise = EXERCISES[name]
    assert text in exercise.solution
    source = exercise.solution.replace(text, wrong, 1)
    result = check(exercise, source)
    assert not result.passed
    assert said in result.message


def course(*arguments, folder):
    """Run the course's command line."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "pycuda.course", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_folder_is_started_and_graded(tmp_path):
    listed = course(folder=tmp_path).stdout
    assert [line.split()[0] for line in listed.splitlines()] == [*EXERCISES]
    course("start", folder=tmp_path)
    path = tmp_path / "01_map.cu"
    path.write_text(course("solution", "01", folder=tmp_path).stdout)
    started = course("start", folder=tmp_path).stdout
    assert started == "26 files exist and are left unchanged in .\n"
    done = course("check", "01_map.cu", folder=tmp_path)
    assert done.stdout == "ok    01_map: correct\n"
    assert done.returncode == 0
    (tmp_path / "02_mirror.cu").unlink()
    done = course("grade", "--json", folder=tmp_path)
    assert done.returncode == 1
    grades = json.loads(done.stdout)
    assert grades["passed"] == 1
    assert [row["passed"] for row in grades["results"]] == [True] + 25 * [
        False
    ]
    assert "No such file" in grades["results"][1]["message"]


def test_notebooks_are_started_and_graded(tmp_path):
    from pycuda.course._notebooks import read

    course("start", "--notebooks", folder=tmp_path)
    for exercise in EXERCISES.values():
        text = (tmp_path / f"{exercise.name}.ipynb").read_text()
        assert read(text) == exercise.template
        assert nbformat.validate(nbformat.reads(text, 4)) is None
    path = tmp_path / "01_map.ipynb"
    notebook = nbformat.read(path, 4)
    notebook.cells[
        1
    ].source = f"source = r'''{EXERCISES['01_map'].solution}'''"
    nbformat.write(notebook, path)
    (tmp_path / "02_mirror.ipynb").write_text("{}")
    done = course("check", *map(str, tmp_path.glob("0[12]*")), folder=tmp_path)
    assert "01_map: correct" in done.stdout
    assert "not a notebook: 'cells'" in done.stdout
    grades = json.loads(course("grade", "--json", folder=tmp_path).stdout)
    assert grades["passed"] == 1


def test_an_unknown_exercise_is_named(tmp_path):
    done = course("solution", "99", folder=tmp_path)
    assert "no exercise '99': expected one of 01_map" in done.stderr


@pytest.mark.cpu
def test_an_endless_kernel_ends(tmp_path):
    exercise = EXERCISES["03_stride"]
    source = exercise.solution.replace("i += threads", "i += 0")
    (tmp_path / "03_stride.cu").write_text(source)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pycuda.course", "check", "03_stride.cu"],
        cwd=tmp_path,
        env={"PYCUDA_CPU_TIMEOUT": "1", "PYCUDA_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert "the kernel did not end in time" in done.stdout


def test_each_exercise_has_a_lesson():
    pages = (ROOT / "docs/course").glob("[0-9]*.md")
    assert {path.stem for path in pages} == {
        name.replace("_", "-") for name in EXERCISES
    }


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "not a regular file"),  # a pipe
        (b"\xff\xfe", "is not UTF-8"),
        (b"// \0", "null character"),
        (b"__global__ void map(float *x) { }", "takes 1 parameter"),
        (b"__global__ void map(float *x, float *out, int n, int m) { }",
         "takes 4 parameters"),
        (b"int map;", "not found"),
        (b" " * (1 << 20) + b"\n", "larger than"),
    ],
)  # fmt: skip
def test_hostile_files_are_results(content, message, tmp_path, capsys):
    from pycuda.course.__main__ import main

    path = tmp_path / "01_map.cu"
    if content is None:
        os.mkfifo(path)
    else:
        path.write_bytes(content)
    assert main(["check", str(path)]) == 1
    assert message in capsys.readouterr().out


def test_a_folder_that_cannot_be_written():
    command = [sys.executable, "-P", "-m", "pycuda.course", "start", "/proc"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "/proc/01_map.cu" in done.stderr


def run_check(folder, *names):
    return subprocess.run(
        [sys.executable, "-P", "-m", "pycuda.course", "check", *names],
        cwd=folder,
        env={**os.environ, "PYCUDA_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.cpu
def test_check_finds_the_file_of_an_exercise(tmp_path):
    """A number is enough in the folder that has the file."""
    lessons = tmp_path / "lessons"
    lessons.mkdir()
    for name in ("01", "06"):
        done = run_check(tmp_path, name)
        assert done.returncode == 1
        file = next(e.file for e in EXERCISES.values() if name in e.name)
        assert f"{file} does not exist: " in done.stderr
        assert "`python -m pycuda.course start` writes the" in done.stderr
    (lessons / "06_histogram.cu").write_text(
        EXERCISES["06_histogram"].solution
    )
    notebook = run_check(tmp_path, "06")
    at = Path("lessons", "06_histogram.cu")
    assert f"run `python -m pycuda.course check {at}`" in notebook.stderr
    for names in (["06"], ["06_histogram"], ["06_histogram.cu"], []):
        done = run_check(lessons, *names)
        assert done.stdout.startswith("ok    06_histogram"), done.stderr
        assert done.returncode == 0
    assert run_check(tmp_path, "lessons/06").stdout.startswith("ok    06_h")
    done = run_check(lessons, "99")
    assert "no exercise '99': expected one of 01_map" in done.stderr


def test_check_without_files(tmp_path):
    done = run_check(tmp_path)
    assert done.returncode == 1
    assert "no file of an exercise is in the current folder" in done.stderr
    assert "start` writes the templates" in done.stderr


@pytest.mark.cpu
def test_a_report_names_the_case_and_no_line_of_the_course() -> None:
    exercise = EXERCISES["01_map"]
    source = exercise.solution.replace("i < n", "i <= n")
    assert source != exercise.solution
    message = check(exercise, source).message
    assert re.search(r"\nin the case n = \d+$", message), message
    assert "frozen" not in message


def test_numbers_of_exercises_need_no_zero() -> None:
    from pycuda.course.__main__ import _find

    assert _find("5") == _find("05") == "05_smooth"
    assert _find("12") == "12_types"
