"""Functions of pycuda.compiler that a program has replaced are called."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import compiler, elementwise, gpuarray
from pycuda.elementwise import ElementwiseKernel

SOURCE = "__global__ void value(int *out) { *out = VALUE; }\n"

pytestmark = pytest.mark.usefixtures("context")


def value(module):
    out = np.zeros(1, np.int32)
    module.get_function("value")(drv.Out(out), block=(1, 1, 1))
    return int(out[0])


@pytest.fixture
def calls(monkeypatch):
    """Return ``calls(name, change)``: it replaces a function by a recorder."""
    made = []

    def replace(name, change=lambda arguments: arguments):
        own = getattr(compiler, name)

        def mine(*arguments, **keywords):
            made.append((name, arguments, keywords))
            return own(*change(arguments), **keywords)

        monkeypatch.setattr(compiler, name, mine)
        return made

    return replace


def test_compile_plain(calls, tmp_path):
    def change(arguments):
        source, options, *rest = arguments
        return (source.replace("VALUE", "5"), [*options, "-DOTHER"], *rest)

    made = calls("compile_plain", change)
    module = compiler.SourceModule(
        SOURCE, options=["-w"], include_dirs=[tmp_path], cache_dir=False
    )
    assert value(module) == 5
    ((name, arguments, keywords),) = made
    source, options, keep, nvcc, cache_dir, target = arguments
    assert name == "compile_plain" and keywords == {}
    assert source.startswith('extern "C" {') and SOURCE in source
    major, minor = drv.Context.get_device().compute_capability()
    assert options[:3] == ["-w", "-arch", f"sm_{major}{minor}"]
    assert options[3] == f"-I{tmp_path}"
    assert options[4] == f"-I{compiler._find_pycuda_include_path()}"
    assert (keep, nvcc, cache_dir, target) == (False, "nvcc", False, "cubin")
    compiler.compile(SOURCE.replace("VALUE", "1"), target="ptx")
    assert made[1][1][5] == "ptx"


def test_compile(calls):
    def change(arguments):
        return (arguments[0].replace("VALUE", "6"), *arguments[1:])

    made = calls("compile", change)
    module = compiler.SourceModule(SOURCE, "nvcc", ["-w"], no_extern_c=False)
    assert value(module) == 6
    assert made[0][1] == (
        SOURCE, "nvcc", ["-w"], False, False, None, None, None, None,
    )  # fmt: skip


def test_both_at_once(calls):
    made = calls("compile_plain")
    calls("compile")
    assert value(compiler.SourceModule(SOURCE.replace("VALUE", "7"))) == 7
    assert [name for name, *_ in made] == ["compile", "compile_plain"]


def test_an_image_from_elsewhere(monkeypatch):
    image = compiler.compile(SOURCE.replace("VALUE", "8"))
    monkeypatch.setattr(compiler, "compile", lambda *arguments: image)
    assert value(compiler.SourceModule("no source at all")) == 8


def test_linked_modules(calls):
    made = calls("compile")
    module = compiler.DynamicModule()
    module.add_source(SOURCE, nvcc_options=["-rdc=true", "-DVALUE=9"])
    assert value(module.link()) == 9
    assert made[0][1][-1] == "ptx", "as PyCUDA asks for it"


def test_kernels_of_the_package(calls):
    made = calls("compile_plain")
    kernel = ElementwiseKernel("int *x", "x[i] = 40 + i", "of_this_test")
    x = gpuarray.zeros(3, np.int32)
    kernel(x)
    assert x.get().tolist() == [40, 41, 42]
    assert any("of_this_test" in arguments[0] for _, arguments, _ in made)


def test_the_folder_of_headers(monkeypatch, tmp_path):
    own = compiler._find_pycuda_include_path()
    assert isinstance(own, str)
    (tmp_path / "mine.h").write_text("#define VALUE 10\n")
    source = '#include "mine.h"\n' + SOURCE
    with pytest.raises(drv.CompileError, match=r"mine\.h"):
        compiler.SourceModule(source)
    monkeypatch.setattr(
        compiler, "_find_pycuda_include_path", lambda: str(tmp_path)
    )
    assert value(compiler.SourceModule(source)) == 10


def test_the_version_of_nvcc(monkeypatch, tmp_path):
    nvcc = tmp_path / "my-nvcc"
    nvcc.write_text("#!/bin/sh\nprintf image > kernel.cubin\n")
    nvcc.chmod(0o755)
    asked = []
    for name, answer in (
        ("get_nvcc_version", "none"), ("preprocess_source", "text"),
    ):  # fmt: skip
        monkeypatch.setattr(
            compiler,
            name,
            lambda *a, name=name, answer=answer: asked.append(name) or answer,
        )
    monkeypatch.delenv("PYCUDA_DISABLE_CACHE", raising=False)
    for source, expected in (
        ("int a;", ["get_nvcc_version"]),
        ("#include <a>", ["get_nvcc_version", "preprocess_source"]),
    ):
        asked.clear()
        image = compiler.compile(source, str(nvcc), cache_dir=str(tmp_path))
        assert image == b"image" and asked == expected


def test_functions_for_the_key_without_nvcc(calls, monkeypatch, tmp_path):
    monkeypatch.delenv("PYCUDA_DISABLE_CACHE", raising=False)
    (tmp_path / "eleven.h").write_text("#define VALUE 11\n")
    source = '#include "eleven.h"\n' + SOURCE
    made, answers = [], ["one", "one", "two"]
    monkeypatch.setattr(
        compiler,
        "preprocess_source",
        lambda *arguments: made.append(arguments) or answers[len(made) - 1],
    )
    folder = tmp_path / "cache"
    counts = []
    for _ in answers:
        module = compiler.SourceModule(
            source, options=["-w"], include_dirs=[tmp_path], cache_dir=folder
        )
        assert value(module) == 11
        counts.append(len([p for p in folder.rglob("*") if p.is_file()]))
    assert counts == [counts[0], counts[0], 2 * counts[0]]
    text, options, nvcc = made[0]
    assert text.startswith('extern "C" {') and source in text
    assert options[:2] == ["-w", "-arch"] and f"-I{tmp_path}" in options
    assert nvcc == "nvcc"
    # It is not called without includes, nor without a cache.
    compiler.compile(SOURCE.replace("VALUE", "1"), cache_dir=folder)
    compiler.compile(source, include_dirs=[tmp_path], cache_dir=False)
    assert len(made) == 3


def test_a_replacement_that_calls_the_original(calls, monkeypatch, tmp_path):
    monkeypatch.delenv("PYCUDA_DISABLE_CACHE", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    made = calls("preprocess_source")
    calls("get_nvcc_version")
    (tmp_path / "twelve.h").write_text("#define VALUE 12\n")
    module = compiler.SourceModule(
        '#include "twelve.h"\n' + SOURCE,
        include_dirs=[tmp_path],
        cache_dir=tmp_path / "cache",
    )
    assert value(module) == 12 and made[0][0] == "preprocess_source"


@pytest.mark.parametrize("size", [100, 1 << 21])
@pytest.mark.parametrize(
    "name",
    ["get_elwise_kernel_and_types", "get_elwise_module", "SourceModule"],
)
def test_functions_of_elementwise(monkeypatch, name, size):
    own, made = getattr(elementwise, name), []

    def mine(*arguments, **keywords):
        made.append(name)
        return own(*arguments, **keywords)

    monkeypatch.setattr(elementwise, name, mine)
    x = gpuarray.arange(size, dtype=np.float32)
    ElementwiseKernel("float *x", "x[i] = 2 * x[i] + 1", "twice")(x)
    assert made
    assert (x.get() == 2 * np.arange(size, dtype=np.float32) + 1).all()
