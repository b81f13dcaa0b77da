"""The rules of src/layers.toml: includes point down, and form no cycle.

The functions take the includes of files as a dict from a file's name, relative
to src, to the names of the project's headers that it includes.
"""

import re
import tomllib
from pathlib import Path

LAYERS = "layers.toml"
# Components in which a file also calls only functions of lower layers.  Of
# cpu and jit only the includes are checked.
CALLS_CHECKED = ("api", "core", "array")


def read_includes(src: Path) -> dict[str, list[str]]:
    """Return the project's headers that each C file below `src` includes."""
    files = {
        path.relative_to(src).as_posix(): path.read_text()
        for path in sorted(src.rglob("*.[ch]"))
    }
    return {
        name: [
            header
            for header in re.findall(
                r'^ *# *include "([^"]+)"', text, flags=re.M
            )
            if header in files
        ]
        for name, text in files.items()
    }


def read_layers(src: Path) -> dict[str, list[dict]]:
    """Return the layers of each component, the lowest first."""
    return tomllib.loads((src / LAYERS).read_text())


def stem(name: str) -> str:
    """Return the name without suffix: x.c and x.h are one unit."""
    return name.rsplit(".", 1)[0]


def layer_of(unit: str, layers: list[dict]) -> int | None:
    """Return the index of the layer that names a unit, or its folder."""
    folder = unit.rpartition("/")[0]
    pattern = f"{folder}/*" if folder else "*"
    for wanted in (unit, pattern):
        for number, layer in enumerate(layers):
            if wanted in layer["files"]:
                return number
    return None


def upward_includes(
    includes: dict[str, list[str]], layers: dict[str, list[dict]]
) -> list[str]:
    """Return the includes of a higher layer, and files without a layer."""
    wrong = []
    for name, headers in includes.items():
        component, _, unit = stem(name).partition("/")
        if component not in layers:
            continue
        rows = layers[component]
        own = layer_of(unit, rows)
        if own is None:
            wrong.append(f"{name} is in no layer of {LAYERS}")
            continue
        for header in headers:
            other, _, target = stem(header).partition("/")
            there = layer_of(target, rows) if other == component else None
            if there is not None and there > own:
                wrong.append(
                    f"{name} (layer {rows[own]['name']}) includes {header} "
                    f"(layer {rows[there]['name']})"
                )
    return wrong


def unknown_names(
    includes: dict[str, list[str]], layers: dict[str, list[dict]]
) -> list[str]:
    """Return names in the layers that stand for no file, or stand twice."""
    units = {stem(name) for name in includes}
    folders = {unit.rpartition("/")[0] + "/*" for unit in units}
    wrong = []
    for component, rows in layers.items():
        names = [name for layer in rows for name in layer["files"]]
        for name in sorted(set(names)):
            if f"{component}/{name}" not in units | folders:
                wrong.append(f"{component}: no file {name}")
            if names.count(name) > 1:
                wrong.append(f"{component}: {name} is in two layers")
    return wrong


def include_cycles(includes: dict[str, list[str]]) -> list[str]:
    """Return one cycle of includes for each group of files that form one."""
    graph: dict[str, set[str]] = {}
    for name, headers in includes.items():
        targets = graph.setdefault(stem(name), set())
        targets |= {stem(h) for h in headers} - {stem(name)}
    done: set[str] = set()
    cycles = []

    def visit(unit: str, path: list[str]) -> None:
        if unit in path:
            cycle = path[path.index(unit) :]
            if not set(cycle) & done:
                cycles.append(" -> ".join([*cycle, unit]))
                done.update(cycle)
            return
        if unit in done:
            return
        for target in sorted(graph.get(unit, ())):
            visit(target, [*path, unit])
        done.add(unit)

    for unit in sorted(graph):
        visit(unit, [])
    return cycles


def plain_code(text: str) -> str:
    """Return C code without comments, texts and includes."""
    return re.sub(
        r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^ *#include.*?$',
        " ",
        text,
        flags=re.S | re.M,
    )


def read_functions(sources: dict[str, str]) -> dict[str, str]:
    """Return the file that defines each function that is not static."""
    found = {}
    pattern = re.compile(r"^(.*)\n(\w+)\([^;{]*?\)\n\{", re.M)
    for name, text in sources.items():
        if name.endswith(".c"):
            for before, function in pattern.findall(text):
                if "static" not in before:
                    found.setdefault(function, name)
    return found


def upward_calls(
    sources: dict[str, str], layers: dict[str, list[dict]]
) -> list[str]:
    """Return the uses of functions that a file of a higher layer defines.

    They are possible where a header, such as core/core.h, declares functions
    of several files.
    """
    functions = read_functions(sources)
    wrong = []
    for name, text in sources.items():
        component, _, unit = stem(name).partition("/")
        if not name.endswith(".c"):
            continue
        own = layer_of(unit, layers[component])
        for word in sorted(set(re.findall(r"\b\w+\b", text))):
            there, _, target = stem(functions.get(word, "")).partition("/")
            if there != component or own is None:
                continue
            other = layer_of(target, layers[component])
            if other is not None and other > own:
                wrong.append(f"{name} calls {word} of {functions[word]}")
    return wrong


def read_sources(src: Path) -> dict[str, str]:
    """Return the code of the components whose calls are checked."""
    return {
        path.relative_to(src).as_posix(): plain_code(path.read_text())
        for component in CALLS_CHECKED
        for path in sorted((src / component).rglob("*.[ch]"))
    }
