"""Parameter layouts of kernels, read from cubins built by the tests.

A machine without a GPU does not load cubins, so the reader is compiled
separately.
"""

# SPDX-License-Identifier: MIT

import ctypes
import shutil
import struct
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None, reason="no C compiler: apt install gcc"
)


@pytest.fixture(scope="module")
def describe(tmp_path_factory):
    """Return a function from an image to its kernels and completeness."""
    made = tmp_path_factory.mktemp("layouts") / "layouts.so"
    code = ROOT / "src" / "core" / "code"
    subprocess.run(
        ["cc", "-std=gnu11", "-shared", "-fPIC", "-O1", f"-I{ROOT / 'src'}",
         f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}",
         HERE / "cubins" / "layouts.c", code / "layout.c",
         code / "layout_read.c",
         code / "layout_cubin.c", "-o", made],
        check=True,
    )  # fmt: skip
    library = ctypes.PyDLL(str(made))

    def ask(image):
        text = ctypes.create_string_buffer(10000)
        # An exact-size copy, so that AddressSanitizer detects overruns.
        held = ctypes.create_string_buffer(image, len(image))
        complete = library.layouts_describe(
            held, ctypes.c_size_t(len(image)), text, ctypes.c_size_t(10000)
        )
        return text.value.decode(errors="replace").splitlines(), bool(complete)

    library.core_image_is_complete.restype = ctypes.c_bool
    ask.is_whole = lambda image: library.core_image_is_complete(
        ctypes.create_string_buffer(image, len(image)),
        ctypes.c_size_t(len(image)),
    )
    return ask


def parameter(ordinal, offset, size):
    return struct.pack("<BBHIHHI", 4, 0x17, 12, 0, ordinal, offset, size << 18)


def total(size):
    return struct.pack("<BBH", 3, 0x19, size)


# Unrelated attributes, with and without data.
OTHERS = struct.pack("<BBHI", 4, 0x0A, 4, 77) + struct.pack("<BBH", 3, 0x1B, 9)


def cubin(kernels):
    """Return an ELF file with one section of attributes per kernel."""
    names, body, rows = b"\0", b"", [bytes(64)]
    for name, attributes in kernels.items():
        place = 64 + len(body)
        rows.append(
            struct.pack("<IIQQQQ", len(names), 0x70000000, 0, 0, place,
                        len(attributes)).ljust(64, b"\0")
        )  # fmt: skip
        names += name.encode() + b"\0"
        body += attributes
    rows.append(
        struct.pack("<IIQQQQ", 0, 3, 0, 0, 64 + len(body), len(names)).ljust(
            64, b"\0"
        )
    )
    body += names
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64,
        len(rows), len(rows) - 1,
    )  # fmt: skip
    return head + body + b"".join(rows)


TWO = parameter(1, 8, 4) + OTHERS + parameter(0, 0, 8)


def test_images_that_are_cut_off(describe):
    """NVIDIA's driver would read past their end and crash the process."""
    image = cubin({".nv.info.k": TWO + total(12)})
    assert describe.is_whole(image) and describe.is_whole(image + b"more")
    for length in range(4, len(image)):
        assert not describe.is_whole(image[:length]), length
    fatbin = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 100) + bytes(100)
    assert describe.is_whole(fatbin) and not describe.is_whole(fatbin[:-1])
    assert not describe.is_whole(fatbin[:12])
    assert describe.is_whole(b".version 8.0")


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        (TWO + total(12), "known 12 0:8 8:4"),
        (OTHERS + total(16) + TWO, "known 12 0:8 8:4"),
        (OTHERS + total(0), "known 0"),
        (OTHERS, "known 0"),
        (OTHERS + total(4), "unknown 0"),
        (TWO + total(11), "unknown 12 0:8 8:4"),
        (TWO, "unknown 12 0:8 8:4"),
        (TWO + parameter(2, 12, 0) + total(12), "unknown 12 0:8 8:4 12:0"),
        (TWO + parameter(0, 0, 8) + total(12), "unknown 12 0:8 8:4 0:0"),
        (parameter(5, 0, 8) + total(8), "unknown 0 0:0"),
        # A truncated attribute ends the section.
        (TWO + total(12) + parameter(2, 12, 4)[:-1], "known 12 0:8 8:4"),
        (TWO + total(12) + b"\4\x17", "known 12 0:8 8:4"),
    ],
)
def test_one_kernel(describe, attributes, told):
    image = cubin({".nv.info.k": attributes})
    assert describe(image) == ([f"k {told}"], True)


def test_every_kernel_and_nothing_else(describe):
    image = cubin(
        {
            ".nv.info": TWO + total(12),
            ".nv.info.": TWO + total(12),
            ".text.one": b"\0" * 32,
            ".nv.info.one": parameter(0, 0, 4) + total(4),
            ".nv.info._Z3twoPf": TWO + total(12),
        }
    )
    lines = ["one known 4 0:4", "_Z3twoPf known 12 0:8 8:4"]
    assert describe(image) == (lines, True)


def test_images_that_are_cut_off_or_another_s(describe):
    image = cubin({".nv.info.k": TWO + total(12)})
    for length in range(0, len(image), 3):
        assert describe(image[:length]) == ([], False)
    other = image.replace(b"\x7fELF\2", b"\x7fELF\1")
    assert describe(other) == ([], False)


@pytest.mark.parametrize("seed", range(3))
def test_damaged_images_end_nothing(describe, seed):
    rng = np.random.default_rng(seed)
    image = np.frombuffer(cubin({".nv.info.k": TWO + total(12)}), np.uint8)
    for _ in range(300):
        damaged = image.copy()
        places = rng.integers(0, image.size, 3)
        damaged[places] = rng.integers(0, 256, 3)
        assert len(describe(damaged.tobytes())[0]) <= 3, "of 3 sections"
