"""Pages of the API reference, generated from the modules and the stub."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import dataclasses
import importlib
import inspect
import warnings
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

# Modules of the reference, and what each is about.
MODULES = {
    "pycuda.driver": "Devices, contexts, memory, streams, kernels",
    "pycuda.gpuarray": "Arrays on the device, with NumPy's functions",
    "pycuda.compiler": "Kernels from CUDA C++",
    "pycuda.elementwise": "Kernels from an expression per element",
    "pycuda.reduction": "Reductions",
    "pycuda.scan": "Scans",
    "pycuda.curandom": "Random numbers",
    "pycuda.cumath": "Mathematical functions of arrays",
    "pycuda.tools": "Memory pools, C types, fixtures for tests",
    "pycuda.characterize": "Properties of devices",
    "pycuda.debug": "Checks of kernels while a program runs",
    "pycuda.profile": "Named ranges for profilers",
    "pycuda.autoinit": "A context at import",
    "pycuda.autoprimaryctx": "The context that other libraries use",
    "pycuda.jupyter": "The extension for notebooks",
    "pycuda.course": "Exercises that check themselves",
    "pycuda.nccl": "Collective operations of several devices",
    "pycuda.mpi": "Device arrays in MPI calls",
    "pycuda.cpu": "The CPU device on the command line",
    "pycuda.sparse.operator": "Sparse matrices: operators",
    "pycuda.sparse.packeted": "Sparse matrices: packets",
    "pycuda.sparse.coordinate": "Sparse matrices: coordinates",
    "pycuda.sparse.cg": "Sparse matrices: conjugate gradients",
}
# Names of pycuda.driver that only the package itself uses.
INTERNAL = {
    "ArrayBase",
    "ElementwiseBase",
    "FastCall",
    "FastCollective",
    "FastUfunc",
    "PlannedMethod",
}


def load(name: str) -> ModuleType:
    """Import a module on the selected device, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pycuda.autoinit  # noqa: F401

        return importlib.import_module(name)


def public_names(module: ModuleType) -> list[str]:
    """Return a module's names that programs use, in alphabetical order."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(listed)
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and name not in INTERNAL
        and not inspect.ismodule(value)
        and is_at_home(value, module.__name__)
    )


def is_alias(value: Any, short: str, module: ModuleType) -> bool:
    """Return whether a class has its own name in the same module, too."""
    if not inspect.isclass(value) or value.__name__ == short:
        return False
    return getattr(module, value.__name__, None) is value


def is_at_home(value: Any, name: str) -> bool:
    """Return whether a module without ``__all__`` provides an object.

    Objects of private modules count, imports from public ones do not.
    """
    owner = getattr(value, "__module__", None) or ""
    if name.startswith("pycuda.sparse."):
        return owner == name
    return owner.startswith("pycuda") and (
        owner == name or owner not in MODULES
    )


def public_objects(
    modules: Iterable[str] = MODULES,
) -> Iterator[tuple[str, Any]]:
    """Yield each public function, class and method with its full name.

    Of a class with two names, the members have the first one only.
    """
    seen: set[int] = set()
    for name in modules:
        module = load(name)
        yield name, module
        for short in public_names(module):
            value = getattr(module, short)
            yield f"{name}.{short}", value
            if is_alias(value, short, module):
                continue
            if inspect.isclass(value) and id(value) not in seen:
                seen.add(id(value))
                for member in members(value):
                    yield f"{name}.{short}.{member}", getattr(value, member)


def members(kind: type) -> list[str]:
    """Return the public methods and properties of a class of the package."""
    found: set[str] = set()
    for base in kind.__mro__:
        if (base.__module__ or "").startswith("pycuda"):
            found.update(
                name
                for name, value in vars(base).items()
                if not name.startswith("_")
                and not isinstance(value, int)
                and (callable(value) or hasattr(value, "__get__"))
            )
    return sorted(found)


def is_enumeration(value: Any) -> bool:
    """Return whether a class consists of named integers."""
    return (
        inspect.isclass(value)
        and not dataclasses.is_dataclass(value)
        and bool(constants(value))
        and not any(callable(getattr(value, name)) for name in members(value))
    )


def constants(kind: type) -> dict[str, int]:
    """Return the named integers of a class."""
    return {
        name: value
        for name in dir(kind)
        if not name.startswith("_")
        and isinstance(value := getattr(kind, name), int)
    }


def enumeration(name: str, kind: type) -> list[str]:
    """Return the lines for a class of named integers."""
    rows = [
        f"   * - ``{constant}``\n     - {int(value)}"
        for constant, value in constants(kind).items()
    ]
    text = inspect.getdoc(kind) or ""
    return [
        f".. py:class:: {name}",
        "",
        *(f"   {line}" for line in text.splitlines()),
        "",
        "   .. list-table::",
        "      :header-rows: 1",
        "",
        "      * - name",
        "        - value",
        *("   " + row.replace("\n", "\n   ") for row in rows),
        "",
    ]


def titled(text: str, mark: str) -> list[str]:
    """Return a title in reStructuredText."""
    return [text, mark * len(text), ""]


def module_page(name: str, subject: str, seen: dict[int, str]) -> str:
    """Return the page of a module.

    Parameters
    ----------
    name, subject
        The module and what it is about.
    seen
        The full names of objects on earlier pages, by identity.
    """
    module = load(name)
    lines = [f".. py:module:: {name}", "", *titled(name, "=")]
    text = inspect.getdoc(module).replace("SPDX-License-Identifier: MIT", "")
    lines += [f"{subject}.", "", *text.splitlines(), ""]
    groups: dict[str, list[str]] = {
        "Functions": [],
        "Classes": [],
        "Exceptions": [],
        "Enumerations and flags": [],
        "Names of other modules": [],
        "Constants": [],
    }
    for short in public_names(module):
        value = getattr(module, short)
        full = f"{name}.{short}"
        earlier = seen.get(id(value))
        if is_alias(value, short, module):
            earlier = f"{name}.{value.__name__}"
        if earlier and not isinstance(value, (int, str, float)):
            groups["Names of other modules"] += [
                f".. py:data:: {short}",
                f"   :no-index-entry:\n\n   :py:obj:`{earlier}`.",
                "",
            ]
            continue
        seen[id(value)] = full
        if is_enumeration(value):
            groups["Enumerations and flags"] += enumeration(short, value)
        elif inspect.isclass(value) and issubclass(value, Exception):
            groups["Exceptions"] += [f".. autoexception:: {full}", ""]
        elif inspect.isclass(value):
            groups["Classes"] += [
                f".. autoclass:: {full}",
                "   :members:",
                "   :inherited-members: object, int",
                "",
            ]
        elif callable(value):
            groups["Functions"] += [f".. autofunction:: {full}", ""]
        else:
            groups["Constants"] += [
                f".. py:data:: {short}",
                f"   :value: {value!r}"[:75],
                "",
            ]
    for title, texts in groups.items():
        if texts:
            lines += titled(title, "-") + texts
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """Return the pages of all modules, by path."""
    seen: dict[int, str] = {}
    return {
        f"reference/api/{name.removeprefix('pycuda.')}.rst": module_page(
            name, subject, seen
        )
        for name, subject in MODULES.items()
    }
