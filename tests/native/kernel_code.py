"""Access to the CPU device's code for kernels, for tests of its structure."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from unittest import mock

from pycuda.cpu._explain import code


def ir(source: str, *options: str, target: str = "x86-64-v4") -> str:
    """Return LLVM's text for a source, with the vectors of `target`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.cu")
        path.write_text(source)
        variables = {"PYCUDA_CPU_TARGET": target, "PYCUDA_CPU_CHECK": ""}
        with mock.patch.dict(os.environ, variables):
            return code(path, "ir", list(options))


def count(pattern: str, text: str) -> int:
    """Return the number of lines that match the pattern."""
    found = re.compile(pattern)
    return sum(bool(found.search(line)) for line in text.splitlines())
