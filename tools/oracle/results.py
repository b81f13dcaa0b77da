"""What the sections with a kernel `run(unsigned *out)` compute.

Written on one device and compared on another: a line for each section, its
name and a digest of the words, or the words themselves where few are not 0.

SPDX-License-Identifier: MIT
"""

import hashlib
import re
from pathlib import Path

import numpy as np
from entries import Entry

RUN = re.compile(r"\brun\s*\(\s*unsigned(?: int)?\s*\*\s*out\b")
WORDS, THREADS, SHOWN = 1024, 32, 32


def has_run(entry: Entry) -> bool:
    """Whether an entry is a source with the kernel that is run."""
    return entry.alone and RUN.search(entry.code) is not None


def words_of(entry: Entry) -> str:
    """What the kernel leaves in `out`, as text; errors as text too."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    out = np.zeros(WORDS, np.uint32)
    wrap = 'extern "C" __global__ void run(unsigned *out);\n'
    try:
        module = SourceModule(
            wrap + entry.code, no_extern_c=True, options=list(entry.options)
        )
        module.get_function("run")(drv.InOut(out), block=(THREADS, 1, 1))
    except drv.Error as error:
        return f"error {type(error).__name__}"
    last = int(np.flatnonzero(out)[-1]) + 1 if out.any() else 0
    if last <= SHOWN:
        return " ".join(f"{word:x}" for word in out[:last])
    return f"{last} words {hashlib.sha256(out.tobytes()).hexdigest()[:16]}"


def read(path: Path) -> dict[str, str]:
    """The lines of a file of results."""
    lines = path.read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line[:1] != "#")


def main(entries: list[Entry], path: Path, compare: bool) -> int:
    """Write the results to `path`, or print where they differ from it."""
    import pycuda.autoinit

    device = pycuda.autoinit.device.name()
    found = {e.key: words_of(e) for e in entries if has_run(e)}
    if not compare:
        lines = [f"# {device}", *(f"{k}: {v}" for k, v in found.items())]
        path.write_text("\n".join(lines) + "\n")
        print(f"{len(found)} results of {device}")
        return 0
    expected = read(path)
    common = found.keys() & expected.keys()
    wrong = [key for key in common if found[key] != expected[key]]
    for key in sorted(wrong):
        print(f"{key}: expected {expected[key]}, {device} has {found[key]}")
    print(f"{len(common)} results compared, {len(wrong)} differ")
    return int(bool(wrong))
