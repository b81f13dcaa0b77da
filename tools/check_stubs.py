"""Compares pycuda/_driver.pyi with the built extension, by mypy's stubtest.

``./run lint`` calls it with the folder that contains the built package.
"""

# SPDX-License-Identifier: MIT

import sys
import tempfile
import warnings
from pathlib import Path

# Regular expressions of names, with the reason why the stub cannot have them.
ALLOWED = {
    r"pycuda\._driver\.array3d_flags\.2DARRAY": "no identifier of Python",
}


def main() -> int:
    """Return stubtest's exit status: 0 if nothing differs."""
    sys.path.insert(0, sys.argv[1])
    warnings.simplefilter("ignore")
    from mypy import stubtest

    # It adds a method to Device.
    import pycuda.driver

    if not Path(pycuda.driver.__file__).is_relative_to(sys.argv[1]):
        print(f"pycuda comes from {pycuda.driver.__file__}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        allowed = Path(folder, "allowed")
        allowed.write_text("\n".join(ALLOWED) + "\n")
        # stubtest reads its arguments from here.
        sys.argv[1:] = ["pycuda._driver", "--concise", "--allowlist"]
        sys.argv.append(str(allowed))
        return stubtest.main()


if __name__ == "__main__":
    sys.exit(main())
