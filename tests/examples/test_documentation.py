"""The programs in README.md and docs/ run unchanged.

The fragments of a page are one program.  Objects that they assume to exist
are created first, by page.  A program after the comment

    <!-- run: VARIABLE=VALUE ... expect: TEXT -->

runs alone, with these variables, and prints TEXT; `same:` runs the previous
one of these with other variables.
"""

# SPDX-License-Identifier: MIT

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("start", "coming-from", "how-to", "course", "reference")
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *(
        path
        for folder in FOLDERS
        for path in sorted((ROOT / "docs" / folder).glob("*.md"))
    ),
]
MARK = r"<!-- (run|same): (.*?) ?expect: (.*?) -->"
SNIPPET = re.compile(
    rf"(?:{MARK}\n)?^( *)```python\n(.*?)^ *```", re.DOTALL | re.MULTILINE
)
AGAIN = re.compile(MARK, re.DOTALL)

LIKELY = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
"""
KERNEL = """
kernel = SourceModule(
    "__global__ void kernel(float *x) { x[threadIdx.x] += 1; }"
).get_function("kernel")
stream = cuda.Stream()
"""
BEFORE = {
    "devices.md": KERNEL,
    "graphs.md": KERNEL
    + """
array = a = gpuarray.zeros(256, np.float32)
streams, results = [cuda.Stream(), cuda.Stream()], []
parts = [gpuarray.zeros(4, np.float32), gpuarray.zeros(4, np.float32)]
source = [np.ones(256, np.float32), np.zeros(256, np.float32)]
position, velocity = gpuarray.zeros(8), gpuarray.ones(8)
force = lambda x: -x
""",
    "textures.md": """
matrix = np.ones((64, 64), np.float32)
descriptor = cuda.ArrayDescriptor3D()
descriptor.width = descriptor.height = 16
descriptor.format = cuda.array_format.FLOAT
descriptor.num_channels = 1
descriptor.flags = cuda.array3d_flags.SURFACE_LDST
array = cuda.Array(descriptor)
out = np.zeros(256, np.float32)
kernel = SourceModule('''
__global__ void kernel(cudaTextureObject_t t, cudaSurfaceObject_t s, float *o)
{
    int i = threadIdx.y * 16 + threadIdx.x;
    surf2Dwrite(1.0f, s, threadIdx.x * 4, threadIdx.y);
    o[i] = tex2D<float>(t, 0.5f, 0.5f);
}
''').get_function("kernel")
""",
    "tools.md": "x = np.ones(4, np.float32)\n",
}
# A program with several processes: tests/mpi runs it.
ELSEWHERE = {"mpi.md", "nccl.md"}
# pycuda.debug.check is refused on a GPU.
CPU_ONLY = {"checks.md"}
NEEDS = {"arrays.md": ("ml_dtypes", "scipy")}


def snippets(page):
    """Return the fragments of a page that are one program."""
    return [
        textwrap.dedent(match[5])
        for match in SNIPPET.finditer(page.read_text())
        if match[1] is None
    ]


def separate_programs(page):
    """Yield the programs that run alone: code, variables, expected text."""
    text = page.read_text()
    programs = {
        match.start(): match[5]
        for match in SNIPPET.finditer(text)
        if match[1] == "run"
    }
    code = None
    for mark in AGAIN.finditer(text):
        code = programs.get(mark.start(), code)
        variables = dict(word.split("=", 1) for word in mark[2].split())
        yield code, variables, mark[3]


SEPARATE = [
    pytest.param(*row, id=f"{page.parent.name}-{page.stem}-{number}")
    for page in PAGES
    for number, row in enumerate(separate_programs(page))
]


def page_id(page):
    """Return a page's name, with its folder below docs/."""
    folder = page.parent.name
    return page.name if folder not in FOLDERS else f"{folder}/{page.name}"


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(p, marks=[pytest.mark.cpu] * (page_id(p) in CPU_ONLY))
        for p in PAGES
        if snippets(p) and p.name not in ELSEWHERE
    ],
    ids=page_id,
)
def test_the_programs_of_a_page(page, tmp_path):
    for package in NEEDS.get(page_id(page), ()):
        pytest.importorskip(package)
    program = "\n".join(
        [LIKELY, BEFORE.get(page_id(page), ""), *snippets(page)]
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@pytest.mark.cpu
@pytest.mark.parametrize(("code", "variables", "said"), SEPARATE)
def test_a_program_that_runs_alone(code, variables, said, tmp_path):
    if "import dask" in code or "from dask" in code:
        pytest.importorskip("dask.array")
        pytest.importorskip("distributed")
    (tmp_path / "program.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-P", "program.py"],
        cwd=tmp_path,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert said in done.stdout + done.stderr


def test_pages_that_are_prepared_are_there():
    assert {*BEFORE, *ELSEWHERE} <= {page_id(page) for page in PAGES}


def test_marks_of_separate_programs_are_read(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- run: A=1 expect: x y -->\n```python\nprint(1)\n```\n"
        "```python\nprint(2)\n```\n<!-- same: expect: z -->\n"
    )
    assert snippets(page) == ["print(2)\n"]
    assert list(separate_programs(page)) == [
        ("print(1)\n", {"A": "1"}, "x y"),
        ("print(1)\n", {}, "z"),
    ]
