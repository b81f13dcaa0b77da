"""Compiles a source with vector execution, and without it."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import pytest

from pycuda.compiler import SourceModule


def compile_schemes(source: str) -> list[Any]:
    """Return two modules: with thread loops and packs, and without both."""
    made = []
    for regions in "10":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYCUDA_CPU_REGIONS", regions)
            # the option makes the sources differ for the cache
            made.append(SourceModule(source, options=[f"-DWAY={regions}"]))
    return made
