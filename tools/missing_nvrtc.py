"""Prints the pip requirement of the NVRTC that this machine's GPU lacks.

Prints nothing on the CPU device, or if a suitable NVRTC is found.  The package
itself finds the compiler and knows the wheel's name; this script only prints
its advice.
"""

import re
import sys


def main() -> int:
    """Print one requirement or nothing; always succeeds."""
    from pycuda import _driver
    from pycuda import driver as drv

    try:
        drv.init()
    except drv.Error:
        return 0  # no device: the programs will report it
    if _driver._device_kind() != "gpu":
        return 0
    context = drv.Device(0).make_context()
    try:
        _driver._nvrtc_info()
    except RuntimeError as error:
        found = re.search(r"pip install '([^']+)'", str(error))
        if found:
            print(found[1])
    finally:
        context.pop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
