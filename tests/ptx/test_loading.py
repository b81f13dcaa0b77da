"""PTX as the input of modules, libraries, links and files; its errors."""

import struct
import time
from pathlib import Path

import numpy as np
import pytest
from ptx_modules import ADD, HEAD, MODULES

import pycuda.driver as drv
from pycuda import _driver
from pycuda.compiler import compile

pytestmark = pytest.mark.usefixtures("context")

TEXT = MODULES["index"].text
KERNEL = """
.visible .entry k(.param .u64 out)
{
    .reg .u64 d;
    .reg .b32 r<2>;
    ld.param.u64 d, [out];
    { .param .b32 a; .param .b32 b; .param .b32 s;
      st.param.b32 [a], 3; st.param.b32 [b], 4;
      call (s), add, (a, b);
      ld.param.b32 r0, [s]; }
    st.global.u32 [d], r0;
    ret;
}
"""


def words(module, threads: int = 1) -> list[int]:
    """Return what the module's kernel stores."""
    out = np.zeros(threads, dtype=np.uint32)
    module.get_function("k")(drv.InOut(out), block=(threads, 1, 1))
    return out.tolist()


def fatbin(text: str) -> bytes:
    """Return a fatbin with the text, uncompressed, behind another entry."""
    code = text.encode() + b"\0"
    code += bytes(-len(code) % 8)
    entries = struct.pack("<HHIQ48x", 2, 0x101, 64, 8) + b"\x7fELF\2\1\1\0"
    entries += struct.pack("<HHIQ48x", 1, 0x101, 64, len(code)) + code
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


def test_a_file(tmp_path: Path):
    path = tmp_path / "k.ptx"
    path.write_text(TEXT)
    assert words(drv.module_from_file(str(path)), 32) == list(range(32))


@pytest.mark.cpu
def test_a_fatbin():
    module = drv.module_from_buffer(fatbin(TEXT))
    assert words(module, 32) == list(range(32))


@pytest.mark.cpu
def test_a_fatbin_without_ptx():
    with pytest.raises(drv.Error, match="fatbin"):
        drv.module_from_buffer(fatbin("compressed"))


def test_a_link_of_two_modules():
    linker = _driver.Linker()
    extern = (
        ".extern .func (.param .b32 s) add(.param .b32 a, .param .b32 b);\n"
    )
    linker.add_data(
        (HEAD + extern + KERNEL).encode(), drv.jit_input_type.PTX, "k.ptx"
    )
    linker.add_data(
        (HEAD + ".visible " + ADD).encode(), drv.jit_input_type.PTX, "add.ptx"
    )
    assert words(linker.link_module()) == [7]


def test_the_name_of_a_variable():
    text = MODULES["global_list"].text
    module = drv.module_from_buffer(text.encode())
    address, size = module.get_global("a")
    assert size == 16
    values = np.zeros(4, dtype=np.uint32)
    drv.memcpy_dtoh(values, address)
    assert values.tolist() == [1, 2, 3, 0]


def test_launch_bounds():
    module = drv.module_from_buffer(MODULES["launch_bounds"].text.encode())
    kernel = module.get_function("k")
    assert kernel.max_threads_per_block == 128


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("body", "line", "reason"),
    [
        ("foo.u32 %r1, 1;", 20, "'foo' is not supported: 'foo.u32 %r1, 1'"),
        ("mov.u32 %q, 1;", 20, "it writes to '%q'"),
        ("mov.u32 %r1, %q;", 20, "it uses '%q'"),
        ("mov.u64 %r1, 1;", 20, "'%r1' has 32 bits"),
        ("\n\nbra;", 22, "bra needs a label"),
        ("call f, ();", 20, "the function 'f' is not declared"),
        ("ld.global.u32 %r1, %d1;", 20, "not in brackets"),
        (".texref t;", 20, "'.texref' is not supported"),
        ("}}", 20, "syntax"),
        ("mov.u32 %r1, 0b12;", 20, "syntax"),
        ("mov.u32 %r1, 18446744073709551616;", 20, "more than 64 bits"),
        (f"mov.u64 %d1, 0x{'f' * 17};", 20, "more than 64 bits"),
        ("mov.f32 %f1, 0f3f8000000;", 20, "by 9 hexadecimal digits, not 8"),
        ("mov.f32 %f1, 0f3f;", 20, "0f is followed by 2 hexadecimal digits"),
        ("mov.f32 %f1, 0f;", 20, "by 0 hexadecimal digits, not 8"),
        ("mov.f32 %f1, 0f+3f800000;", 20, "by 0 hexadecimal digits, not 8"),
        (f"mov.f64 %e1, 0d{'0' * 17};", 20, "by 17 hexadecimal digits"),
        (f"ld.global.u32 %r1, [%d1+{'9' * 20}];", 20, "more than 64 bits"),
    ],
)
def test_an_error_has_line_and_text(body, line, reason):
    text = HEAD + TEXT[len(HEAD) :].replace("st.global.u32 [%mine], %t;", body)
    with pytest.raises(drv.Error) as caught:
        drv.module_from_buffer(text.encode())
    assert f"ptx:{line}: error: " in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (".version 7.0\n.address_size 64\n", "no .target"),
        (".version 7.0\n.target sm_70\n.address_size 32\n", "64 bits"),
        (HEAD + ".global .samplerref t;\n", "samplerref"),
        (HEAD + ".func f(.param .b32 a { ret; }\n", "parameters"),
        (HEAD + ".entry k() { bra L; }\n", "label 'L' is not defined"),
        (HEAD + ".entry k() { \n", "ends in a function"),
        (HEAD + ".entry k() { ret; }\n.entry k() { ret; }\n", "twice"),
        (HEAD + ".global .u32 a[2] = {1, 2, 3};\n", "initialiser"),
        (HEAD + ".global .u64 a = b;\n", "initialiser"),
        (HEAD + ".global .align 3 .u32 a;\n", "power of two"),
        (HEAD + f".global .u32 a[{'9' * 20}];\n", "more than 64 bits"),
        (HEAD + f".global .u64 a = 0x1{'0' * 16};\n", "more than 64 bits"),
        (HEAD + ".nothing\n", "'.nothing' is not supported"),
        (HEAD + ".entry k() { ret; }\n/* no end", "syntax"),
        (HEAD + ".entry k() { ret; /* no end }", "syntax"),
    ],
)
def test_an_error_of_the_module(text, reason):
    with pytest.raises(drv.Error, match=reason):
        drv.module_from_buffer(text.encode())


@pytest.mark.cpu
def test_an_unresolved_function_has_its_line():
    text = (
        HEAD
        + ".extern .func (.param .b32 s) add(.param .b32 a, .param .b32 b);\n"
        + KERNEL
    )
    with pytest.raises(drv.Error, match=r"ptx:13: .*function 'add'"):
        drv.module_from_buffer(text.encode())


@pytest.mark.cpu
def test_a_small_module_loads_fast(monkeypatch):
    monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "1")
    compile("__global__ void warm() {}")
    best = 1.0
    for i in range(5):
        start = time.perf_counter()
        drv.module_from_buffer(TEXT.replace("k(", f"k{i}(").encode())
        best = min(best, time.perf_counter() - start)
    assert best < 0.1
