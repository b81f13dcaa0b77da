"""Mako, for programs that write their kernels with its templates.

This package itself does not need it.
"""

# SPDX-License-Identifier: MIT

from typing import Any

try:
    import mako.template
except ImportError as error:
    raise ImportError(
        "Mako, a template engine, is not installed: python -m pip install mako"
    ) from error

__all__ = ["mako"]


def __getattr__(name: str) -> Any:
    return getattr(mako, name)  # programs also import this module as `mako`
