"""Base class of PyCUDA's enums: an int with a name.

The extension module calls `make_enum` for each of its tables of names.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import ClassVar, NoReturn

# Docstrings of the classes, by name.
_DOCS = {
    "address_mode": "What a texture returns for coordinates beyond its edge.",
    "array3d_flags": "Flags of an ArrayDescriptor3D.",
    "array_cubemap_face": "The faces of a cube map, by layer.",
    "array_format": "Types of the numbers in an Array.",
    "compute_mode": "How many processes may use a device.",
    "ctx_flags": "Flags of `Device.make_context`.",
    "device_attribute": "Properties for `Device.get_attribute`.",
    "direction_vector_set": "Sets of direction numbers of Sobol' sequences.",
    "event_flags": "Flags of an Event.",
    "filter_mode": "Whether a texture interpolates.",
    "func_cache": "Preferences between L1 cache and shared memory.",
    "function_attribute": "Properties for `Function.get_attribute`.",
    "graphics_register_flags": "Flags of graphics resources.",
    "host_alloc_flags": "Flags of page-locked memory.",
    "ipc_mem_flags": "Flags of an IPCMemoryHandle.",
    "jit_fallback": "The driver's choice without matching code.",
    "jit_input_type": "Kinds of input of a Linker.",
    "jit_option": "Options of the driver's compiler and linker.",
    "jit_target": "Compute capabilities for the driver's compiler.",
    "limit": "Limits of a context, for `Context.set_limit`.",
    "mem_attach_flags": "Which streams may use managed memory.",
    "mem_host_register_flags": "Flags of `register_host_memory`.",
    "memory_type": "Kinds of memory in a copy.",
    "pointer_attribute": "Properties of an address.",
    "profiler_output_mode": "Formats of the profiler's output.",
    "shared_config": "Widths of the banks of shared memory.",
}


class Enum(int):
    """An int with a name.

    Two names may have the same value and remain distinct members.  ``Enum(5)``
    returns the member of that value, or a member without a name.
    """

    names: ClassVar[dict[str, Enum]] = {}
    values: ClassVar[dict[int, Enum]] = {}
    name: str | None = None

    def __new__(cls, value: int = 0) -> Enum:
        known = cls.values.get(int(value))
        return int.__new__(cls, value) if known is None else known

    def __str__(self) -> str:
        return int.__repr__(self) if self.name is None else self.name

    def __repr__(self) -> str:
        cls = type(self)
        return f"{cls.__module__}.{cls.__name__}.{self}"

    def __format__(self, spec: str) -> str:
        return format(str(self) if not spec else int(self), spec)

    def __reduce__(self) -> tuple[type[Enum], tuple[int]]:
        return type(self), (int(self),)


def make_enum(name: str, members: list[tuple[str, int]]) -> type[Enum]:
    """Make one enum class.

    Parameters
    ----------
    name : str
        The name of the class.
    members : list of (str, int)
        Names and values; ``Enum(value)`` returns the first name of a value.

    Returns
    -------
    type
        A subclass of :class:`Enum`.
    """
    cls = type(
        name,
        (Enum,),
        {
            "__module__": "pycuda._driver",
            "__doc__": _DOCS.get(name),
            "names": {},
            "values": {},
        },
    )
    for member_name, value in members:
        member = int.__new__(cls, value)
        member.name = member_name
        cls.names[member_name] = member
        cls.values.setdefault(value, member)
        setattr(cls, member_name, member)
    return cls


def make_holder(name: str) -> type:
    """Make an empty class, to which the extension module adds flags.

    Parameters
    ----------
    name : str
        The name of the class.

    Returns
    -------
    type
        A class that can't be instantiated.
    """

    def refuse(cls: type, *args: object, **kwargs: object) -> NoReturn:
        raise RuntimeError("This class cannot be instantiated from Python")

    body = {
        "__module__": "pycuda._driver",
        "__doc__": _DOCS.get(name),
        "__new__": refuse,
    }
    return type(name, (), body)
