"""The course: solutions pass, templates and typical mistakes do not."""

# SPDX-License-Identifier: MIT

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pycuda.course import EXERCISES, check

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
    ("02_mirror", "row * width + c", "row * height + c", ":8:36: race"),
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
    ("08_warp", "lane == 0 && ", "", ":10:18: race: write"),
    ("08_warp", " && row < height)", ")", "index 10 of 10"),
    ("09_matmul", "    " + BARRIER, "", "add __syncthreads() between"),
    (
        "09_matmul",
        "tb[k][x];\n        __syncthreads();",
        "tb[k][x];",
        "add __syncthreads() between",
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
    assert "left as it is" in course("start", folder=tmp_path).stdout
    done = course("check", "01_map.cu", folder=tmp_path)
    assert done.stdout == "ok    01_map: correct\n"
    assert done.returncode == 0
    (tmp_path / "02_mirror.cu").unlink()
    done = course("grade", "--json", folder=tmp_path)
    assert done.returncode == 1
    grades = json.loads(done.stdout)
    assert grades["passed"] == 1
    assert [row["passed"] for row in grades["results"]] == [True] + 9 * [False]
    assert "No such file" in grades["results"][1]["message"]


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
