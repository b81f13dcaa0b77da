"""The rules of src/layers.toml: includes and calls point down, without cycles.

The functions take the includes of files as a dict from a file's name, relative
to src, to the names of the project's headers that it includes.  Calls are read
from the object files of a build.
"""

import json
import re
import subprocess
import tomllib
from pathlib import Path

LAYERS = "layers.toml"


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


def read_symbols(build: Path) -> dict[str, tuple[set[str], set[str]]]:
    """Return the symbols that each C file defines and that it uses.

    `build` is the folder of a build.  Files that are compiled as one unit
    share the symbols of that unit.  A weak definition is not counted: another
    file overrides it.
    """
    commands = json.loads((build / "compile_commands.json").read_text())
    sources = {
        row["output"]: sources_of(build / row["file"]) for row in commands
    }
    listing = subprocess.run(
        ["nm", "-P", "-A", *sources],
        cwd=build,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, tuple[set[str], set[str]]] = {}
    for line in listing.stdout.splitlines():
        target, _, row = line.partition(": ")
        symbol, kind = row.split()[:2]
        for source in sources[target]:
            defined, used = found.setdefault(source, (set(), set()))
            if kind in "Uwv":
                used.add(symbol)
            elif kind.isupper() and kind not in "WV":
                defined.add(symbol)
    return found


def sources_of(compiled: Path) -> list[str]:
    """Return the files of src that a compiled file consists of."""
    names = [compiled]
    if "-unity" in compiled.name:
        included = re.findall(r'#include *"([^"]+)"', compiled.read_text())
        names = [compiled.parent / name for name in included]
    parts = [path.resolve().parts for path in names]
    return [
        "/".join(part[part.index("src") + 1 :])
        for part in parts
        if "src" in part
    ]


def upward_uses(
    symbols: dict[str, tuple[set[str], set[str]]],
    layers: dict[str, list[dict]],
) -> list[str]:
    """Return the uses of symbols that a file of a higher layer defines.

    They need no include: a header may declare functions of several files, and
    a file may declare a function itself.
    """
    definitions: dict[tuple[str, str], str] = {}
    for name, (defined, _) in symbols.items():
        component = name.partition("/")[0]
        definitions |= {(component, symbol): name for symbol in defined}
    wrong = []
    for name, (_, used) in sorted(symbols.items()):
        component, _, unit = stem(name).partition("/")
        own = layer_of(unit, layers.get(component, []))
        for symbol in sorted(used):
            there = definitions.get((component, symbol))
            if there is None or own is None:
                continue
            target = stem(there).partition("/")[2]
            other = layer_of(target, layers[component])
            if other is not None and other > own:
                wrong.append(f"{name} uses {symbol} of {there}")
    return wrong
