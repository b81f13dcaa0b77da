"""Run a script with kernels compiled for a debugger.

``python -m pycuda.debug script.py ...`` compiles every kernel with ``-g -G``.
"""

# SPDX-License-Identifier: MIT

import os
import runpy
import sys


def main(arguments: list[str]) -> int:
    """Run ``arguments[0]`` with the rest as its arguments."""
    if not arguments:
        print("usage: python -m pycuda.debug SCRIPT [ARGUMENT...]")
        return 2
    script = arguments[0]
    if not os.path.exists(script):
        print(f"Error: {script} does not exist")
        return 1
    # Delayed import: a wrong command line is reported without the driver.
    from pycuda.driver import set_debugging

    set_debugging()
    sys.argv = list(arguments)
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
