"""The progress bars of the package, for tools that run without it."""

# SPDX-License-Identifier: MIT

import importlib.util
from pathlib import Path

_PATH = Path(__file__).resolve().parents[1] / "pycuda/_progress.py"
_SPEC = importlib.util.spec_from_file_location("pycuda_progress", _PATH)
assert _SPEC is not None and _SPEC.loader is not None
_MODULE = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)
Progress = _MODULE.Progress
