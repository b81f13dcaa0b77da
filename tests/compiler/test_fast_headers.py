"""Faster compilation with NVRTC: equal images, and the conditions."""

# SPDX-License-Identifier: MIT

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pycuda import _driver, compiler
from pycuda._compile import fast_headers, includes, job, nvrtc

SMALL = "__global__ void f(float *x) { x[threadIdx.x] *= 2; }\n"
PRELUDE = [f"--pre-include={includes.ours('prelude.h')}"]
HALVES = '#include <cuda_fp16.h>\nextern "C" __global__ void f%d(half *x) {}'


@pytest.fixture
def new(monkeypatch):
    monkeypatch.setattr(
        _driver, "_nvrtc_info", lambda: ("libnvrtc.so.13", 13, 0, [90])
    )


@pytest.fixture
def unseen(monkeypatch, tmp_path):
    """Headers that were not used before, in a folder of the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = fast_headers.Headers()
    yield made
    made._end()


@pytest.fixture
def headers(new, unseen):
    """Headers as in `unseen`, if NVRTC is new enough."""
    return unseen


@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace("float", "cudaTextureObject_t"),
        "texture<float> t;" + SMALL,
        "__global__ void f() { g<<<1, 1>>>(); }",
        "#include <stdint.h>\n" + SMALL,
        "#ifdef __CUDACC_RTC_MINIMAL__\n#error\n#endif\n" + SMALL,
    ],
)
def test_sources_that_may_need_all(new, text):
    assert fast_headers.minimal(text, PRELUDE) == []
    assert fast_headers.minimal(SMALL, PRELUDE)[0] == "-minimal"


def names_of_the_prelude():
    """Return the prelude's names, except functions in std."""
    text = Path(includes.ours("prelude.h")).read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    defined = re.findall(r"#define +(\w+)", text)
    types = re.findall(r"typedef [a-z ]*? (\w+(?:, \w+)*);", text)
    kinds = re.findall(r"(?:struct|namespace) (\w+)", text)
    return [*defined, *", ".join(types).split(", "), *kinds]


def test_the_prelude_is_there_for_each_of_its_names(new):
    names = names_of_the_prelude()
    assert {"uint", "M_PI", "NAN", "div_t", "std", "LLONG_MIN"} < set(names)
    for name in names:
        text = f"__global__ void f() {{ x = {name}; }}"
        assert fast_headers.minimal(text, PRELUDE) == ["-minimal", *PRELUDE], (
            name
        )
    options = ["--define-macro=A", *PRELUDE]
    assert fast_headers.minimal(SMALL, options) == [
        "-minimal", "--define-macro=A", "--diag-suppress=47",
    ]  # fmt: skip


def test_names_that_macros_make(new):
    """Undefined in an #if they would count as 0."""
    for value in ("INT_MAX", "defined(CHAR_BIT)", "UINT_MAX"):
        options = [f"--define-macro=LIMIT={value}", *PRELUDE]
        assert fast_headers.minimal(SMALL, options) == ["-minimal", *options]
    assert fast_headers.minimal(SMALL, ["--define-macro=T=cudaError_t"]) == []
    for line in ("#define CAT(a, b) a##b", "#if INT_\\\nMAX > 9\n#endif"):
        text = f"{line}\n{SMALL}"
        assert fast_headers.minimal(text, PRELUDE) == ["-minimal", *PRELUDE]
    assert fast_headers.minimal(f'#incl\\\nude "a.h"\n{SMALL}', PRELUDE) == []


def test_included_by_options(new):
    assert (
        fast_headers.minimal(SMALL, [*PRELUDE, "--pre-include=mine.h"]) == []
    )


def test_old_compilers_get_no_such_options(monkeypatch, headers):
    monkeypatch.setattr(_driver, "_nvrtc_info", lambda: ("x", 12, 9, [90]))
    assert fast_headers.minimal(SMALL, PRELUDE) == []
    assert [steps(headers, HALVES % k) for k in range(4)] == [[]] * 4


def steps(headers, text, options=(), refused=False):
    with headers.options(text, list(options)) as found:
        for word in found:
            name, _, folder = word.partition("=")
            if name == "-pch-dir" and not refused:
                (Path(folder) / "kernel_0.pch").touch()
        return found


def test_leading_includes():
    lead = fast_headers.leading_includes
    assert lead("// a\n#include <a.h>\n\n/* b\n */ #define N 1\nint x;\n") == (
        "#include <a.h>\n#define N 1"
    )
    assert lead("int x;\n#include <a.h>\n") == ""
    assert lead("#define N 1\nint x;\n") == ""
    assert lead('extern "C" {\n#line 1\n#include <a.h>\n}') == ""
    assert lead("#if A\n#include <a.h>\n#endif\n") == ""
    assert lead("#include <a.h>\n#define A \\\n1\n") == ""


def test_a_prefix_is_precompiled_when_it_comes_again(headers, tmp_path):
    first, second, third = (steps(headers, HALVES % k) for k in range(3))
    assert first == []
    assert second == third
    words = dict(word.partition("=")[::2] for word in second)
    assert set(words) == {"-pch", "-pch-dir", "-pch-messages"}
    assert Path(words["-pch-dir"]).is_dir()
    assert tmp_path in Path(words["-pch-dir"]).parents
    # Other options give other declarations.
    assert steps(headers, HALVES % 4, ["--define-macro=A"]) == []
    repeated = steps(headers, HALVES % 5, ["--define-macro=A"])
    assert repeated
    assert repeated != second


def test_what_nvrtc_refuses_is_not_tried_again(headers):
    assert steps(headers, HALVES % 0) == []
    assert steps(headers, HALVES % 1, refused=True)
    assert steps(headers, HALVES % 2) == []


def test_others_compile_while_one_precompiles(headers):
    assert steps(headers, HALVES % 0) == []
    with headers.options(HALVES % 1, []) as making:
        assert making
        assert steps(headers, HALVES % 2) == []
        (Path(making[1].partition("=")[2]) / "kernel_0.pch").touch()
    assert steps(headers, HALVES % 3) == making


def test_so_many_prefixes_and_no_more(headers):
    for n in range(headers.MOST + 2):
        text = f"#include <a{n}.h>\nint x;\n"
        assert steps(headers, text) == []
        assert bool(steps(headers, text)) == (n < headers.MOST)


def test_a_child_makes_and_removes_nothing(headers, monkeypatch, tmp_path):
    steps(headers, HALVES % 0)
    assert steps(headers, HALVES % 1)
    own = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: own + 1)
    assert steps(headers, HALVES % 2) == []
    headers._end()
    monkeypatch.setattr(os, "getpid", lambda: own)
    assert len(list(tmp_path.iterdir())) == 1
    headers._end()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["os.open", "fcntl.flock"])
def test_a_folder_that_cannot_be_locked(headers, monkeypatch, tmp_path, call):
    """The folder is removed: a later process would not treat it as stale."""

    def refuse(what, *rest, **options):
        if isinstance(what, str) and not what.endswith("lock"):
            return original(what, *rest, **options)
        raise OSError(24, "Too many open files")

    original = os.open
    descriptors = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as patch:
        patch.setattr(call, refuse)
        assert not headers._have_folder()
    assert os.listdir(tmp_path) == []
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert headers._have_folder()


def test_no_room_for_files(headers, monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError("no space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    assert [steps(headers, HALVES % k) for k in range(4)] == [[]] * 4


KILLED = """
import os, signal, sys, tempfile
from pycuda._compile import fast_headers
tempfile.tempdir = sys.argv[1]
assert fast_headers.headers._have_folder()
print(fast_headers.headers._folder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_the_killed_left_goes(headers, tmp_path):
    done = subprocess.run(
        [sys.executable, "-P", "-c", KILLED, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
    )
    left = Path(done.stdout.strip())
    assert left.is_dir()
    # Removes stale folders before it creates one.
    assert headers._have_folder()
    assert not left.exists()
    other = fast_headers.Headers()
    assert other._have_folder()
    assert Path(headers._folder).is_dir()  # a folder in use is not removed
    other._end()


@pytest.mark.gpu
@pytest.mark.usefixtures("context")
def test_the_same_image_without_a_word(monkeypatch, recwarn, unseen):
    """Plain, precompiled and minimal compilations give the same bytes."""
    monkeypatch.setattr(fast_headers, "headers", unseen)
    asked = []
    ask = nvrtc._run_once

    def run(source, options, kind, names):
        asked.append(options)
        return ask(source, options, kind, names)

    monkeypatch.setattr(nvrtc, "_run_once", run)
    texts = [SMALL] + [HALVES % 0] * 4
    images = [
        compiler.compile(t, no_extern_c=True, cache_dir=False) for t in texts
    ]
    quicker = ["-minimal" in o or "-pch" in o for o in asked]
    assert quicker == (
        [True, False, True, True, True]
        if _driver._nvrtc_info()[1] >= 13
        else [False] * 5
    )
    assert images[1:] == images[1:2] * 4
    monkeypatch.setattr(fast_headers, "_is_new", lambda: False)
    assert (
        compiler.compile(SMALL, no_extern_c=True, cache_dir=False)
        == (images[0])
    )
    assert not recwarn.list
    assert job.on_gpu()
