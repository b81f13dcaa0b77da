"""Races on bytes and half words within words that others access.

Each thread of block 0 writes or reads one of 64 items, in several orders;
block 1 accesses all of them, or one.
"""

# SPDX-License-Identifier: MIT

import numpy as np

OUT = np.zeros(256, np.int32)
ORDERS = {
    "in_turn": "threadIdx.x",
    "back": "63 - threadIdx.x",
    "mixed": "threadIdx.x * 5 % 64",
}
BODIES = {
    "all_written_twice": "a[{at}] = blockIdx.x + 1;",
    "read_one_that_was_written": """
    if (blockIdx.x == 0) a[{at}] = 5;
    else if (threadIdx.x == 9) a[200] = a[{one}];""",
    "write_one_that_was_read": """
    if (blockIdx.x == 0) a[200 + threadIdx.x] = a[{at}];
    else if (threadIdx.x == 9) a[{one}] = 1;""",
}


def cases():
    for size in ("char", "short"):
        for order, at in ORDERS.items():
            for name, body in BODIES.items():
                for one in range(20, 24) if "{one}" in body else (0,):
                    yield dict(
                        name=f"{size}_{order}_{name}_{one}",
                        source=f"__global__ void k(unsigned {size} *a) "
                        f"{{ {body.format(at=at, one=one)} }}",
                        args=[OUT],
                        grid=(2, 1),
                    )


CASES = list(cases())
