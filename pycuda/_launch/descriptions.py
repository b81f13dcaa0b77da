"""Descriptions of a kernel's arguments, for messages about failed launches.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_LONGEST = 40


def _one(argument: Any) -> str:
    kind = type(argument).__name__
    if isinstance(argument, np.generic) and not isinstance(argument, np.void):
        return f"{kind}({argument})"
    shape = getattr(argument, "shape", None)
    if isinstance(shape, tuple):
        size = "x".join(map(str, shape)) or "scalar"
        return f"{kind} {argument.dtype} {size}"
    if hasattr(argument, "__index__") and not isinstance(argument, int):
        return f"{kind} at {int(argument):#x}"
    text = repr(argument)
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 3] + "..."
    return text


def arguments(given: Sequence[Any]) -> str:
    """Return one line that describes the arguments of a launch.

    Parameters
    ----------
    given : sequence
        The arguments of the call.

    Returns
    -------
    str
        A scalar's type and value, an array's type, dtype and shape, an
        allocation's address; separated by commas.
    """
    return ", ".join(map(_one, given))
