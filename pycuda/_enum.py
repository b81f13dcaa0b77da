"""Base class of PyCUDA's enums: an int with a name.

The extension module calls `make_enum` for each of its tables of names.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import ClassVar, NoReturn


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
        {"__module__": "pycuda._driver", "names": {}, "values": {}},
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

    return type(name, (), {"__module__": "pycuda._driver", "__new__": refuse})
