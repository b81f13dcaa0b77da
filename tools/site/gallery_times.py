"""Times of the gallery's programs on this device.

    python tools/site/gallery_times.py [DEVICE]

runs each program of ``examples/gallery`` twice without its pictures, and
prints the times of the second run.  With the name of a device, such as
``cpu`` or ``h100``, they are stored in ``examples/gallery/times.toml``, from
which the gallery's table is made.  matplotlib is not needed.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pycuda.driver

GALLERY = Path(__file__).resolve().parents[2] / "examples/gallery"
TABLE = GALLERY / "times.toml"
# It refuses a GPU, and has no time.
WITHOUT_TIME = {"plot_checks"}
# Runs a program with objects in place of matplotlib that accept every call.
RUN = """
import runpy, sys
from unittest.mock import MagicMock, Mock
import numpy as np
plot = MagicMock()
plot.subplots = lambda rows=1, columns=1, **_: (
    MagicMock(),
    np.array([Mock() for _ in range(rows * columns)]).reshape(
        (rows, columns) if rows > 1 else columns
    ),
)
plot.get_cmap = lambda name: lambda values: np.zeros((*values.shape, 4))
package = MagicMock()
package.pyplot = plot
sys.modules.update({"matplotlib": package, "matplotlib.pyplot": plot})
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def programs() -> list[Path]:
    """Return the gallery's programs in alphabetical order."""
    return sorted(GALLERY.glob("plot_*.py"))


def run(path: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of the gallery without its pictures."""
    return subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", RUN, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def time_of(path: Path) -> str:
    """Return the time that a program prints in its second run."""
    for _ in range(2):
        done = run(path)
        if done.returncode:
            return f"failed: {done.stderr.strip()[-200:]}"
    lines = [
        line.removeprefix("time: ")
        for line in done.stdout.splitlines()
        if line.startswith("time: ")
    ]
    return lines[-1]


def table() -> dict[str, dict[str, str]]:
    """Return the stored times: device, program, time."""
    return tomllib.loads(TABLE.read_text()) if TABLE.exists() else {}


def rst() -> str:
    """Return the table of all devices in reStructuredText."""
    rows = table()
    lines = [".. list-table::", "   :header-rows: 1", "", "   * - program"]
    lines += [f"     - {rows[device]['name']}" for device in rows]
    for path in programs():
        if path.stem in WITHOUT_TIME:
            continue
        lines.append(f"   * - ``{path.stem.removeprefix('plot_')}``")
        lines += [f"     - {rows[d].get(path.stem, '')}" for d in rows]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure; return the exit status."""
    found = {
        path.stem: time_of(path)
        for path in programs()
        if path.stem not in WITHOUT_TIME
    }
    for name, text in found.items():
        print(f'{name} = "{text}"')
    failed = any(text.startswith("failed") for text in found.values())
    if len(sys.argv) > 1 and not failed:
        rows = table()
        pycuda.driver.init()
        name = pycuda.driver.Device(0).name()
        rows[sys.argv[1]] = {"name": name, **found}
        lines = ["# Written by tools/site/gallery_times.py."]
        for device, values in rows.items():
            lines += ["", f"[{device}]"]
            lines += [f'{key} = "{value}"' for key, value in values.items()]
        TABLE.write_text("\n".join(lines) + "\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
