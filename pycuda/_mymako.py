"""Mako, for programs that write their kernels with its templates.

Nothing in this package needs it.
"""

# SPDX-License-Identifier: MIT

try:
    import mako.template
except ImportError as error:
    raise ImportError(
        "Mako, a template engine, is not installed: python -m pip install mako"
    ) from error

__all__ = ["mako"]
