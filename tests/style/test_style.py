"""The project's rules hold, and each checker detects a planted fault."""

import json
import os
import re
import subprocess
import sys

import contracts
import layers
import pytest
import rules

C_FILES = rules.tracked("src/*.c", "src/*.h", "tests/*.c", "benchmarks/*.c")
SOURCES = rules.tracked("src/*.c", "src/*.h")
CODE = rules.tracked("*.c", "*.h", "*.hpp", "*.py", "run")
PACKAGE = rules.tracked("pycuda/*.py")
PRODUCT = rules.tracked("src", "pycuda")
TEXTS = [
    path
    for path in rules.tracked()
    if path.suffix not in {".png", ".svg"}
    and "tests/style" not in path.as_posix()
    and path.name != ".gitignore"
]


def name(path):
    return str(path.relative_to(rules.ROOT))


def complaints(paths, check):
    """Apply `check(text, path)` to files; prefix complaints by file."""
    found = []
    for path in paths:
        text = path.read_text(errors="replace")
        found += [f"{name(path)}: {wrong}" for wrong in check(text, path)]
    return found


def test_files_are_short():
    assert complaints(CODE, lambda t, p: rules.file_length(t, name(p))) == []
    assert rules.file_length("\n" * 801) == ["801 lines"]
    assert rules.file_length("\n" * 401, "src/a.h") == ["401 lines"]


def test_c_files_open_with_a_sentence_and_the_licence():
    def check(text, path):
        return rules.opening_comment(text, path.name)

    assert len(C_FILES) > 20
    assert complaints(C_FILES, check) == []
    assert len(rules.opening_comment("#include <a.h>\n", "a.c")) == 2


def test_functions_are_short():
    assert complaints(C_FILES, lambda t, p: rules.function_length(t)) == []
    long = "int\nf(void)\n{\n" + "    g();\n" * 59 + "}\n"
    assert rules.function_length(long) == ["f has 61 lines"]


def test_components_include_only_lower_ones():
    def check(text, path):
        return rules.include_direction(text, rules.component_of(path))

    assert complaints(SOURCES, check) == []
    assert rules.include_direction('#include "core/core.h"', "api")
    deep = rules.ROOT / "src" / "cpu" / "memory" / "arena.c"
    assert rules.include_direction(
        '#include "core/core.h"', rules.component_of(deep)
    )
    assert rules.include_direction("#include <Python.h>", "cpu")
    assert rules.include_direction("#include <llvm-c/Core.h>", "cpu")
    assert rules.include_direction("#include <cuda.h>", "core")


def test_files_include_only_lower_layers():
    includes = layers.read_includes(rules.ROOT / "src")
    rows = layers.read_layers(rules.ROOT / "src")
    assert len(includes) > 400
    assert layers.upward_includes(includes, rows) == []
    assert layers.unknown_names(includes, rows) == []
    planted = {**includes, "core/memory/allocation.c": ["core/launch/pack.h"]}
    assert layers.upward_includes(planted, rows) == [
        "core/memory/allocation.c (layer allocations) includes "
        "core/launch/pack.h (layer launch)"
    ]
    planted = {**includes, "jit/analyse/uniform.c": ["jit/pack/pack.h"]}
    assert layers.upward_includes(planted, rows) == [
        "jit/analyse/uniform.c (layer analyses) includes "
        "jit/pack/pack.h (layer packs)"
    ]
    planted = {**includes, "array/new/file.c": []}
    assert layers.upward_includes(planted, rows) == [
        "array/new/file.c is in no layer of layers.toml"
    ]
    moved = {"core": [{"name": "a", "files": ["state", "gone", "state"]}]}
    assert layers.unknown_names(includes, moved) == [
        "core: no file gone",
        "core: state is in two layers",
    ]


def test_includes_form_no_cycle():
    includes = layers.read_includes(rules.ROOT / "src")
    assert layers.include_cycles(includes) == []
    planted = {
        **includes,
        "cpu/device/clock.c": ["cpu/device/clock.h", "cpu/stream/wait.h"],
    }
    (cycle,) = layers.include_cycles(planted)
    assert "cpu/stream/wait -> cpu/device/clock -> cpu/stream/wait" in cycle
    assert layers.include_cycles({"a.h": ["b.h"], "b.c": ["a.h"]})
    assert layers.include_cycles({"a.h": ["b.h"], "a.c": ["a.h"]}) == []


def test_files_use_only_symbols_of_lower_layers():
    # ./run lint names its own build, ./run test has built this one.
    build = rules.ROOT / os.environ.get("PYCUDA_STYLE_BUILD", "build/release")
    if not (build / "compile_commands.json").exists():
        pytest.skip(f"{build} has not been built")
    rows = layers.read_layers(rules.ROOT / "src")
    symbols = layers.read_symbols(build)
    assert sum(len(used) for _, used in symbols.values()) > 2000
    assert layers.upward_uses(symbols, rows) == []
    planted = "core/context/scope.c"
    symbols[planted][1].add("core_launch_packed")
    uses = [f"{planted} uses core_launch_packed of core/launch/launch.c"]
    if "jit/ir.c" in symbols:  # there is an LLVM
        symbols["jit/ir.c"][1].add("jit_optimise")
        uses.append("jit/ir.c uses jit_optimise of jit/output/optimise.c")
    assert layers.upward_uses(symbols, rows) == uses


def test_symbols_of_joined_files_are_read(compiler, tmp_path):
    folder = tmp_path / "src" / "cpu"
    folder.mkdir(parents=True)
    (folder / "a.c").write_text("int low(void);\nint a;\n")
    (folder / "b.c").write_text("int g(void) { return low(); }\n")
    (folder / "x-unity0.c").write_text('#include "a.c"\n#include "b.c"\n')
    subprocess.run(
        ["cc", "-c", folder / "x-unity0.c", "-o", tmp_path / "x.o"], check=True
    )
    row = {"file": "src/cpu/x-unity0.c", "output": "x.o"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([row]))
    both = ({"a", "g"}, {"low"})
    symbols = layers.read_symbols(tmp_path)
    assert symbols == {"cpu/a.c": both, "cpu/b.c": both}
    symbols["cpu/z.c"] = ({"low"}, set())
    rows = {
        "cpu": [
            {"name": "base", "files": ["a"]},
            {"name": "top", "files": ["b", "z"]},
        ]
    }
    assert layers.upward_uses(symbols, rows) == ["cpu/a.c uses low of cpu/z.c"]


def test_declared_functions_have_contracts():
    faults = complaints(
        [path for path in SOURCES if path.suffix == ".h"],
        lambda text, path: contracts.contract_faults(text),
    )
    assert faults == []
    planted = (
        "/* a.h - text.\n *\n * SPDX */\n\n/* Returns one. */\nint f(void);\n"
    )
    assert contracts.contract_faults(planted) == [
        "f: 'Returns one.' is not a sentence"
    ]
    planted = (
        "/* a.h - text. */\n\nint f(void);\n\n"
        "/* Ends it all. */\nint g(void);\n"
    )
    assert contracts.contract_faults(planted) == [
        "f has no comment",
        "g: its comment does not name the result",
    ]


def test_sources_are_listed():
    for component in rules.MAY_INCLUDE:
        assert rules.unlisted_sources(rules.ROOT / "src" / component) == [], (
            component
        )


def test_a_source_that_is_not_listed_is_seen(tmp_path):
    (tmp_path / "meson.build").write_text("files('a.c', 'in/b.c')")
    (tmp_path / "in").mkdir()
    for name in ("a.c", "b.c", "in/a.c", "in/b.c"):
        (tmp_path / name).touch()
    assert rules.unlisted_sources(tmp_path) == ["b.c", "in/a.c"]


def test_nothing_built_is_tracked():
    assert [name(p) for p in TEXTS if rules.BUILT.search(p.name)] == []
    assert rules.BUILT.search("_driver.cpython-311.so")


def test_no_paths_of_one_machine():
    assert complaints(TEXTS, lambda t, p: rules.machine_paths(t)) == []
    assert rules.machine_paths("open('" + "/home/" + "me/x')")
    assert rules.machine_paths("see tests/" + "work/" + "x") == []


def test_nothing_is_left_open():
    assert complaints(PRODUCT, lambda t, p: rules.left_open(t)) == []
    assert rules.left_open("/* " + "TO" + "DO: all of it */")


def test_public_python_has_docstrings():
    assert complaints(PACKAGE, lambda t, p: rules.docstrings(t)) == []
    bad = "class A:\n    def f(self): ...\n    def _g(self): ...\n"
    assert rules.docstrings(bad) == ["the module", "A", "A.f"]


@pytest.mark.parametrize(
    "program",
    ["run", ".ci/run", "tools/gpu", "tools/aarch64", "tools/tsan"],
)
def test_scripts_can_be_started(program):
    path = rules.ROOT / program
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", str(path)], check=True)


def test_links_of_the_pages_lead_somewhere(tmp_path):
    checker = rules.ROOT / "tools" / "check_docs.py"
    done = subprocess.run(
        [sys.executable, str(checker)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_run_explains_itself():
    run = str(rules.ROOT / "run")
    done = subprocess.run([run, "help"], capture_output=True, text=True)
    assert done.returncode == 0
    for command in ("demo", "test", "lint", "bench", "docs", "clean"):
        assert f"\n  {command}" in done.stdout
    wrong = subprocess.run([run, "tset"], capture_output=True, text=True)
    assert wrong.returncode != 0
    assert "no command 'tset'" in wrong.stderr


def test_files_of_the_plan_for_other_systems_exist():
    """Decision 29 says file by file what has to change."""
    (page,) = rules.tracked("docs/decisions/0029-*.md")
    names = re.findall(r"`((?:src|pycuda|tests)/[^`\s]+)`", page.read_text())
    assert len(names) > 30
    assert [name for name in names if not [*rules.ROOT.glob(name)]] == []


def test_lines_of_pages_have_at_most_120_columns():
    pages = [
        path
        for path in rules.tracked("*.md")
        if not path.name.startswith("20")  # results that a program wrote
    ]
    assert len(pages) > 40
    assert complaints(pages, lambda t, p: rules.page_width(t)) == []
    wide = "x" * 121
    assert rules.page_width(f"{wide}\n") == ["line 1 has 121 columns"]
    assert rules.page_width(f"| {wide} |\n```\n{wide}\n```\n") == []


def test_the_map_of_the_tests_is_complete():
    folder = rules.ROOT / "tests"
    page = (folder / "README.md").read_text()
    files = [*folder.rglob("test_*.py"), *folder.rglob("native/*.c")]
    listed = rules.listed_tests(page)
    wanted = {
        path.relative_to(folder).as_posix()
        for path in files
        if path.suffix == ".py" or path.parent.name == "native"
    }
    assert len(wanted) > 200
    assert listed == wanted
    planted = "### `a/`\n\n| `test_b.py` | x |\n"
    assert rules.listed_tests(planted) == {"a/test_b.py"}
