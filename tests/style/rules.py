"""The rules of CONTRIBUTING.md that a program can check.

Each function takes text (and if needed a path) and returns complaints, so that
the tests can also show that a planted fault is detected.
"""

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_FILE_LINES = 800
MAX_HEADER_LINES = 400
MAX_FUNCTION_LINES = 60

# Folders of src/ that each folder may include, in addition to itself.
MAY_INCLUDE = {
    "api": set(),
    "core": {"api", "image"},
    "array": {"core", "api"},
    "image": set(),
    "jit": {"image"},
    "cpu": {"api", "image"},
}
PYTHON_COMPONENTS = {"core", "array"}
LLVM_COMPONENTS = {"jit"}
# NVIDIA's headers: tests may compare with them, the product never includes
# them.
NVIDIA = re.compile(r"<(cuda|nvrtc|cublas|cudaTypedefs|vector_types)[\w.]*>")
BUILT = re.compile(r"\.(so|o|a|bc|pch|whl|pyc|ll)$")
# Written so that this file does not match itself.
MACHINE_PATHS = re.compile(r"(?<![\w.$}])/(work|root|home/\w+)/")
# A NotImplementedError with a text is part of an interface.
LEFT_OPEN = re.compile(r"\b(TODO|FIXME|XXX)\b|raise NotImplementedError(?!\()")


def tracked(*patterns: str) -> list[Path]:
    """Return the files that git tracks, or all files without git."""
    done = subprocess.run(
        ["git", "ls-files", "-z", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [ROOT / name for name in done.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def file_length(text: str, name: str = "") -> list[str]:
    """Files have at most 800 lines, headers of src/ at most 400."""
    lines = text.count("\n")
    is_header = name.startswith("src/") and name.endswith(".h")
    limit = MAX_HEADER_LINES if is_header else MAX_FILE_LINES
    return [f"{lines} lines"] if lines > limit else []


def opening_comment(text: str, name: str) -> list[str]:
    """C files begin with their name, a description and the license."""
    wrong = []
    if not text.startswith(f"/* {name} - "):
        wrong.append(f"does not open with '/* {name} - ...'")
    comment = text.split("*/", 1)[0]
    if "SPDX-License-Identifier: MIT" not in comment:
        wrong.append("has no SPDX line in its first comment")
    return wrong


def c_functions(text: str) -> list[tuple[str, int]]:
    """Return names and lengths in lines of the functions in a C file."""
    found = []
    lines = text.splitlines()
    name, start = "", 0
    for number, line in enumerate(lines):
        match = re.match(r"(\w+)\(", line)
        if match:
            name = match[1]
        if line == "{" and name:
            start = number
        if line == "}" and name and start:
            found.append((name, number - start + 1))
            name, start = "", 0
    return found


def function_length(text: str) -> list[str]:
    """C functions have at most 60 lines."""
    return [
        f"{name} has {lines} lines"
        for name, lines in c_functions(text)
        if lines > MAX_FUNCTION_LINES
    ]


def component_of(path: Path) -> str:
    """Return the top-level folder of src/ that contains a file."""
    return path.relative_to(ROOT / "src").parts[0]


def include_direction(text: str, component: str) -> list[str]:
    """Each folder of src/ includes only folders below it."""
    wrong = []
    for header in re.findall(r'^ *# *include "([^"]+)"', text, flags=re.M):
        other = header.split("/")[0] if "/" in header else component
        if other != component and other not in MAY_INCLUDE[component]:
            wrong.append(f"{component} includes {header}")
    if "<Python.h>" in text and component not in PYTHON_COMPONENTS:
        wrong.append(f"{component} includes Python.h")
    if "<llvm-c/" in text and component not in LLVM_COMPONENTS:
        wrong.append(f"{component} includes LLVM")
    if found := re.search(r"#\s*include\s*" + NVIDIA.pattern, text):
        wrong.append(f"{component} includes NVIDIA's {found[1]}")
    return wrong


def machine_paths(text: str) -> list[str]:
    """No text has a path of a developer's machine."""
    return [match[0] for match in MACHINE_PATHS.finditer(text)]


def left_open(text: str) -> list[str]:
    """The product has no mark of unfinished work."""
    return [match[0] for match in LEFT_OPEN.finditer(text)]


def docstrings(text: str) -> list[str]:
    """Modules and their public classes and functions have docstrings."""
    tree = ast.parse(text)
    wrong = [] if ast.get_docstring(tree) else ["the module"]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if not isinstance(node, kinds) or node.name.startswith("_"):
                continue
            if not ast.get_docstring(node) and not is_overload(node):
                wrong.append(prefix + node.name)
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{prefix}{node.name}.")

    visit(tree.body, "")
    return wrong


def is_overload(node: ast.AST) -> bool:
    """Return whether a function only adds a signature or a setter."""
    names = [ast.unparse(d) for d in getattr(node, "decorator_list", [])]
    return any(n.endswith((".setter", "overload")) for n in names)


def unlisted_sources(component: Path) -> list[str]:
    """Return C files that the folder's meson.build does not list."""
    text = "".join(path.read_text() for path in component.glob("meson.build"))
    paths = sorted(component.rglob("*.c"))
    names = [path.relative_to(component).as_posix() for path in paths]
    return [name for name in names if f"'{name}'" not in text]


def page_width(text: str) -> list[str]:
    """Return the lines of a page, outside tables and code, that are wide."""
    found, in_code = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif len(line) > 120 and not in_code and not line.startswith("|"):
            found.append(f"line {number} has {len(line)} columns")
    return found


def listed_tests(page: str) -> set[str]:
    """Return the files in the tables of tests/README.md, by folder."""
    found, folder = set(), ""
    for line in page.split("\n"):
        heading = re.match(r"### `([\w/]+)/`$", line)
        row = re.match(r"\| `([\w.]+)` \|", line)
        if heading:
            folder = heading[1]
        elif line.startswith("#"):
            folder = ""
        elif row and folder:
            found.add(f"{folder}/{row[1]}")
    return found
