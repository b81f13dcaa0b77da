"""Keep random kernels, with what they write, for tests on every device.

    .venv/bin/python tools/save_kernels.py [COUNT] [FIRST]

COUNT kernels (500) of all kinds in turn, from seed FIRST on, are written to
tests/kernels/data/kernels.json.xz; tests/kernels/test_saved_kernels.py runs
them.  Run it after larger changes of the generators.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "kernels"))

import saved_kernels  # noqa: E402
from kernel_corpus import GENERATORS, launch_shape  # noqa: E402

KINDS = saved_kernels.KINDS


def saved_kernel(number: int, first: int) -> saved_kernels.Saved:
    kind = KINDS[number % len(KINDS)]
    seed = first + number // len(KINDS)
    kernel = GENERATORS[kind](seed, f"{kind}_{seed}")
    out = kernel.run(saved_kernels.input_numbers())
    return saved_kernels.Saved(
        name=kernel.name,
        text=kernel.text,
        **launch_shape(kernel),
        p=kernel.p,
        q=kernel.q,
        numbers=kernel.outputs(),
        checksums=saved_kernels.checksums(out),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=500)
    parser.add_argument("first", nargs="?", type=int, default=1_000_000)
    args = parser.parse_args()
    kernels = [
        saved_kernel(number, args.first) for number in range(args.count)
    ]
    size = saved_kernels.save(kernels)
    print(f"{saved_kernels.FILE.name}: {len(kernels)} kernels, {size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
