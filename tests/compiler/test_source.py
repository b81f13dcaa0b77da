"""Scans of the source: texture references and includes."""

# SPDX-License-Identifier: MIT

import pytest

from pycuda._compile.includes import scan
from pycuda._compile.source import included_names, names_reference, wrap


@pytest.mark.parametrize(
    "text",
    [
        "texture<float, 2> t;",
        "static texture < float4 > t;",
        "surface<void, 2> s;",
        "texture\n<float> t;",
        'char *c = "//"; texture<float> t;',
        "texture /* of */ <float> t;",
    ],
)
def test_references_are_seen(text):
    assert names_reference(text)


@pytest.mark.parametrize(
    "text",
    [
        "cudaTextureObject_t texture;",
        "// texture<float> t;",
        "/* texture<float> t;\n surface<void> s; */",
        'printf("texture<float>");',
        "my_texture<float> t;",
        "if (texture > 3) {}",
        "// one \\\n texture<float> t;",
    ],
)
def test_what_only_looks_like_a_reference(text):
    assert not names_reference(text)


def test_includes_of_both_branches():
    text = """
    #if A
    # include <one.h>
    #else
    #include "two.h"
    #endif
    // #include <three.h>
    /* #include <four.h> */
    #if __has_include(<five.h>)
    """
    assert included_names(text) == ["<one.h>", '"two.h"', "<five.h>"]


def test_scan_follows_files(tmp_path):
    (tmp_path / "a.h").write_text('#include "sub/b.h"\n')
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.h").write_text('#include "c.h"\n')
    (tmp_path / "sub" / "c.h").write_text("texture<float> t;\n")
    found = scan("#include <a.h>\n", [], [str(tmp_path)])
    assert len(found.files) == 3
    assert found.uses_references
    assert found.complete


def test_scan_ends_on_a_circle_and_notes_what_is_missing(tmp_path):
    (tmp_path / "a.h").write_text("#include <a.h>\n#include <none.h>\n")
    found = scan("#include <a.h>\n", [], [str(tmp_path)])
    assert ("<none.h>", b"") in found.files
    assert len(found.files) == 2


def test_macro_includes_make_the_scan_incomplete():
    assert not scan("#include NAME\n", [], []).complete


def test_wrap_keeps_line_numbers():
    assert wrap("one\ntwo", False).split("\n")[:3] == [
        'extern "C" {',
        '#line 1 "kernel.cu"',
        "one",
    ]
    assert wrap("text", True) == "text"
