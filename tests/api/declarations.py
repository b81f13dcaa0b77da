"""Reads the headers of src/api, and makes C programs that print their facts.

The tests compile `facts_program(header)` twice: against api/cuda_types.h and
against NVIDIA's cuda.h. Both must print the same: sizes, offsets and types of
every field, and every enumeration value.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
API = ROOT / "src" / "api"
TYPE_HEADERS = [
    "cuda_types.h",
    "cuda_codes.h",
    "cuda_attributes.h",
    "cuda_enums_device.h",
    "cuda_enums_memory.h",
    "cuda_enums_graph.h",
    "cuda_structs_memory.h",
    "cuda_structs_graph.h",
]
ROW_HEADERS = sorted(path.name for path in API.glob("driver_rows_*.h"))


def without_comments(text: str) -> str:
    """Return `text` without comments and continuation marks."""
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S).replace("\\\n", "\n")


def read(name: str) -> str:
    """Return the text of a header of src/api, without comments."""
    return without_comments((API / name).read_text())


def closing(text: str, start: int) -> int:
    """Return the index of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += text[i] in "({"
        depth -= text[i] in ")}"
        if depth == 0:
            return i
    raise ValueError(f"no end of: {text[start : start + 60]}")


def enumerators(texts: list[str]) -> list[str]:
    """Return names of all enumeration values, in rows or plain."""
    found: list[str] = []
    for text in texts:
        found += re.findall(r"\bROW\(\s*(\w+),", text)
        found += re.findall(r"^\s+(CU\w+)\s*=", text, flags=re.M)
    return found


def members(body: str, prefix: str = "") -> list[str]:
    """Return paths of a struct's fields: `a`, `params.kernel`, ..."""
    paths: list[str] = []
    at = 0
    while match := re.compile(r"\s*([^;{}]*?)\s*([;{])").match(body, at):
        words, end = match.groups()
        at = match.end()
        if end == ";":
            name = re.search(r"(\w+)(\[[^\]]*\])*$", words)
            assert name, words
            paths.append(prefix + name[1])
            continue
        close = closing(body, at - 1)
        tail = re.compile(r"\s*(\w*)\s*;").match(body, close + 1)
        assert tail, body[close : close + 40]
        inner = prefix + tail[1] + "." if tail[1] else prefix
        paths += members(body[at:close], inner)
        at = tail.end()
    return paths


def structs(texts: list[str]) -> dict[str, list[str]]:
    """Return every struct and union, with the paths of its fields."""
    found: dict[str, list[str]] = {}
    for text in texts:
        for match in re.finditer(r"typedef (?:struct|union) \w+ \{", text):
            end = closing(text, match.end() - 1)
            name = re.compile(r"\}\s*(\w+);").match(text, end)
            assert name
            found[name[1]] = members(text[match.end() : end])
    return found


def plain_types(texts: list[str]) -> list[str]:
    """Return names of all other types."""
    found: list[str] = []
    for text in texts:
        found += re.findall(r"^typedef [^{;(]*?\*?(\w+);", text, flags=re.M)
        found += re.findall(r"\(\*(\w+)\)\(", text)
        found += re.findall(r"^\} (CU\w+);", text, flags=re.M)
    return found


def constants(text: str) -> list[str]:
    """Return names of the object-like macros that have a value."""
    return re.findall(r"^#define (CU\w+)[ \t]+\S", text, flags=re.M)


def arguments(text: str) -> list[str]:
    """Return a macro's arguments, split at commas outside brackets."""
    parts, depth, last = [], 0, 0
    for i, char in enumerate(text):
        depth += char in "("
        depth -= char in ")"
        if char == "," and depth == 0:
            parts.append(text[last:i])
            last = i + 1
    parts.append(text[last:])
    return [" ".join(part.split()) for part in parts]


def rows(text: str, macro: str) -> list[list[str]]:
    """Return the rows of an X-macro file, each a list of its arguments."""
    found = []
    for match in re.finditer(rf"^{macro}\(", text, flags=re.M):
        end = closing(text, match.end() - 1)
        found.append(arguments(text[match.end() : end]))
    return found


def driver_rows() -> list[list[str]]:
    """Return all rows of the driver: those in use, then other signatures."""
    found = []
    for name in ROW_HEADERS:
        found += rows(read(name), "DRIVER_ROW")
    return found + rows(read("driver_old_rows.h"), "DRIVER_OLD_ROW")


def facts_program(include: str, texts: list[str]) -> str:
    """Return C source that prints every fact about the types in `texts`."""
    lines = [f'#include "{include}"', "#include <stdio.h>"]
    lines += ["#include <stddef.h>", "int main(void) {"]

    def show(label: str, value: str) -> None:
        lines.append(f'printf("{label} %lld\\n", (long long)({value}));')

    for name in enumerators(texts) + constants(texts[0]):
        if name != "CUDA_CB":
            show(name, name)
    for name in plain_types(texts):
        show(f"sizeof {name}", f"sizeof({name})")
    for name, paths in structs(texts).items():
        show(f"sizeof {name}", f"sizeof({name})")
        show(f"alignof {name}", f"_Alignof({name})")
        for path in paths:
            field = f"(({name} *)0)->{path}"
            show(f"offset {name}.{path}", f"offsetof({name}, {path})")
            show(f"size {name}.{path}", f"sizeof({field})")
            show(
                f"signed {name}.{path}",
                f"_Generic({field}, float: 1, double: 2, int: 3, "
                "unsigned int: 4, unsigned long long: 5, size_t: 6, "
                "default: 0)",
            )
    return "\n".join([*lines, "return 0; }"])


def compile_and_run(source: str, folder: Path, *options: str) -> str:
    """Compile C source with gcc and return the output of the program."""
    if shutil.which("gcc") is None:
        pytest.skip("no C compiler: apt install gcc")
    path = folder / "program.c"
    path.write_text(source)
    done = subprocess.run(
        ["gcc", "-std=gnu11", *options, str(path), "-o", str(folder / "a")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:1500]
    return subprocess.run(
        [str(folder / "a")], capture_output=True, text=True, check=True
    ).stdout
