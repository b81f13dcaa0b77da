"""Folders and files whose names are unusual, and a folder that is gone."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pycuda import _driver
from pycuda.compiler import compile

pytestmark = pytest.mark.usefixtures("context")

KERNEL = "__global__ void k(int *a) { *a = VALUE; }"
NAMES = {
    "umlauts": "zwölf",
    "Han": "漢字",
    "blanks and quotes": """a 'b' "c" $d""",
    "no UTF-8": os.fsdecode(b"\xff\xfe-\xe9"),
    "long": "x" * 250,
}


@pytest.mark.parametrize("name", NAMES)
def test_folders_and_headers(name: str, tmp_path: Path) -> None:
    folder = tmp_path / NAMES[name]
    folder.mkdir()
    images = set()
    for value in (3, 4, 4):  # the cache must not hide a changed header
        (folder / "value.h").write_text(f"#define VALUE {value}\n")
        images.add(
            compile(
                '#include "value.h"\n' + KERNEL,
                include_dirs=[str(folder)],
                cache_dir=str(tmp_path / "cache"),
            )
        )
    assert len(images) == 2


def test_header_whose_name_is_not_utf8(tmp_path: Path) -> None:
    name = b"\xe9.h"
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_text(
        "#define VALUE 3\n"
    )
    source = f'#include "{os.fsdecode(name)}"\n' + KERNEL
    assert compile(source, include_dirs=[str(tmp_path)], cache_dir=False)


@pytest.mark.parametrize("what", ["options", "source"])
def test_null_characters(what: str) -> None:
    """They would end the text unnoticed."""
    texts = {"options": ["--device-debug", "-DA=1\0-DB"], "source": []}
    source = KERNEL + "\0x" if what == "source" else KERNEL
    with pytest.raises(ValueError, match=f"{what} has a null character"):
        _driver._compile(source, "kernel.cu", texts[what])


def test_current_folder_that_was_removed(tmp_path: Path) -> None:
    code = f"""
import os
os.chdir({str(tmp_path)!r})
os.rmdir({str(tmp_path)!r})
import pycuda.autoinit
from pycuda.compiler import SourceModule
source = {KERNEL!r}
for folders in ([], ["relative"]):
    SourceModule(source, options=["-DVALUE=%d" % os.getpid()],
                 include_dirs=folders)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd="/")
