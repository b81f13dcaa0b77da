"""Random kernels without barriers, and an interpreter for them.

Each thread derives an index into the whole grid: behind a guard of any form,
in a grid-stride loop, along two axes, or for a chunk of several elements per
thread. The body that processes an element consists of random statements, some
of which add to counters that all threads share.
"""

# SPDX-License-Identifier: MIT

import random
import re
from collections.abc import Iterator

import numpy as np
from kernel_generator import Generator
from kernel_machine import (
    ATOMICS,
    BOUNDS,
    INPUT,
    Expr,
    Machine,
    Stmt,
    indent,
    sequence,
)

COUNTERS = 32  # counters after the elements; all threads add to them
MARGIN = 40  # elements that the kernel must not write
PIECE = 4  # elements per thread

# Expressions for the index, and the other integer types of the same kernel.
KINDS = {
    "unsigned": "blockIdx.x * blockDim.x + threadIdx.x",
    "int": "blockIdx.x * blockDim.x + threadIdx.x",
    "size_t": "(size_t)blockIdx.x * blockDim.x + threadIdx.x",
}
LINES = [
    (1, 1, 1),
    (7, 1, 1),
    (32, 1, 1),
    (64, 1, 1),
    (100, 1, 1),
    (256, 1, 1),
]
PLANES = [(8, 8, 1), (16, 4, 1), (5, 3, 1), (33, 2, 1), (1, 40, 1)]


def exchange_axes(text: str) -> str:
    """Return C text in which the x and y of all indices are exchanged."""
    return re.sub(
        r"\b((?:thread|block)Idx|(?:block|grid)Dim)\.([xy])\b",
        lambda m: f"{m[1]}.{'y' if m[2] == 'x' else 'x'}",
        text,
    )


class GridGenerator(Generator):
    """Generates one kernel, with the interface of `Generator`."""

    def __post_init__(self) -> None:
        self.random = pick = random.Random(self.seed)
        self.form = pick.choice(["guard"] * 4 + ["stride", "plane", "piece"])
        self.kind = pick.choice(list(KINDS))
        self.block = pick.choice(PLANES if self.form == "plane" else LINES)
        rows = pick.randrange(1, 4) if self.form == "plane" else 1
        # Small blocks and many of them, so that a worker receives several at a
        # time.
        many = rows == 1 and self.block[0] <= 64 and pick.random() < 0.3
        columns = pick.randrange(40, 150) if many else pick.randrange(1, 5)
        if rows > 1 and pick.random() < 0.5:
            columns, rows = pick.randrange(5, 9), pick.randrange(5, 9)
        self.grid = (columns, rows, 1)
        self.local_size = pick.choice([4, 8])
        self.atomic = pick.choice(list(ATOMICS))
        self.uniform_now = False
        # In a plain kernel only the index distinguishes the threads.
        self.plain = self.form == "piece" or pick.random() < 0.4
        self.private = not self.plain and pick.random() < 0.3
        self.choose_limits()
        self.body = self.start()
        for _ in range(pick.randrange(2, 7)):
            self.body += self.statement()
        self.body += self.store_out()
        self.text = "\n".join(self.whole_text())
        self.turned = self.seed % 4 == 1
        if self.turned:  # y takes the place of x, also in the launch
            self.text = exchange_axes(self.text)

    def choose_limits(self) -> None:
        """Choose the guard's limit, and `p`, near the thread count."""
        pick, most = self.random, 3 if self.form == "stride" else 1
        lengths = [self.block[k] * self.grid[k] for k in (0, 1)]
        near = lengths[0] * most * (PIECE if self.form == "piece" else 1)
        self.p = max(near + pick.choice([-40, -17, -1, 0, 1, 5, 30]), 0)
        self.q = max(lengths[1] + pick.choice([-2, -1, 0, 3]), 0)
        self.lower = pick.choice([0, 0, 1, 2, 5])
        self.limit_text, self.limit = pick.choice(
            [("p", self.p), ("100", 100), ("p - 9", self.p - 9)]
        )
        if self.kind != "int":
            self.lower = 0
            if self.limit < 0:
                self.limit_text, self.limit = "p", self.p
        if self.kind == "int":
            self.limit_text = f"(int)({self.limit_text})"
        # The index behind a guard may be another one than the global index. An
        # unsigned index wraps within the first block if it begins below 0.
        shifts = [0, 0, 0, 7, 1000]
        if self.lower or self.kind == "unsigned":
            shifts += [-5, -40, -5]
        other = self.form == "guard" and self.kind != "size_t"
        self.shift = pick.choice(shifts) if other else 0
        self.elements = MARGIN + max(
            near, self.limit, lengths[0] * lengths[1], self.p * self.q
        )

    # ---- expressions: without shared memory, all divergent ----

    def variable(self, uniform: bool) -> Expr:
        names = ["p", "q"] if uniform else [*self.differing * 2, "i", "p"]
        if not self.plain:
            names += ["blockIdx.x", "blockDim.x", "gridDim.x"]
            names += [] if uniform else ["threadIdx.x", "threadIdx.y", "t"]
        name = self.random.choice(names)
        text = "(unsigned)i" if name == "i" else name
        return Expr(text, lambda m: m.vars[name])

    def memory(self, uniform: bool) -> Expr:
        index = self.expr(uniform, 1)
        if not uniform and self.private and self.random.random() < 0.5:
            size = self.local_size
            index = self.expr(self.random.random() < 0.5, 1)

            def private(m):
                at = index.value(m) % np.uint32(size)
                return m.local["l"][at, np.arange(m.threads)]

            return Expr(f"l[({index.text}) % {size}u]", private)
        return Expr(
            f"in[({index.text}) & {INPUT - 1}u]",
            lambda m: m.data[index.value(m) & (INPUT - 1)],
        )

    def bound(self) -> Expr:
        if not self.plain:
            return super().bound()
        sign, limit = self.random.choice(list(BOUNDS)), self.expr(True, 1)
        return Expr(
            f"((unsigned)i {sign} {limit.text})",
            lambda m: BOUNDS[sign](m.vars["i"], limit.value(m)),
        )

    def group(self) -> Expr:
        return self.bound() if self.plain else super().group()

    # ---- statements ----

    def start(self) -> list[Stmt]:
        size = self.local_size

        def run(m, mask):
            i = m.vars["i"]
            m.vars.update(a=i * np.uint32(7), b=m.data[i & 255], c=i ^ 21)
            m.vars["f"] = (i & 255).astype(np.float32)
            m.local["l"] = np.tile(
                np.arange(size, dtype=np.uint32)[:, None], m.threads
            )
            return mask

        lines = [
            "unsigned a = (unsigned)i * 7, b = in[i & 255u];",
            "unsigned c = (unsigned)i ^ 21u;",
            "float f = (float)((unsigned)i & 255u);",
        ]
        if self.private:
            lines.append(f"unsigned l[{size}];")
            lines.append(f"for (unsigned k = 0; k < {size}; ++k) l[k] = k;")
        return [Stmt(lines, run)]

    def store_out(self) -> list[Stmt]:
        value = self.expr(False, 2)

        def run(m, mask):
            m.out[mask] += value.value(m)[mask]
            return mask

        return [Stmt([f"out[i] += {value.text};"], run)]

    def count(self) -> list[Stmt]:
        """An atomic operation on a counter that the grid's threads share."""
        value, index = self.expr(False, 2), self.expr(False, 1)

        def run(m, mask):
            at = index.value(m)[mask] & np.uint32(COUNTERS - 1)
            ATOMICS[self.atomic].at(m.counters, at, value.value(m)[mask])
            return mask

        at = f"{self.elements} + (({index.text}) & {COUNTERS - 1}u)"
        return [Stmt([f"{self.atomic}(&out[{at}], {value.text});"], run)]

    def statement(self) -> list[Stmt]:
        choices = [self.assign] * 4 + [self.store_out] * 2
        if self.private:
            choices += [self.store_local] * 2
        if self.in_loop:
            choices.append(self.leave_loop)
        if not self.plain:
            choices.append(self.count)
        if self.depth < 2:
            choices += [self.branch, self.search, self.search]
            choices += [] if self.plain else [self.loop]
        if self.form == "guard" and self.random.random() < 0.1:
            choices = [self.leave_kernel]
        return self.random.choice(choices)()

    # ---- the kernel ----

    def guard(self) -> tuple[str, bool]:
        """Return a condition on the index; and whether true means active."""
        limit, lower = self.limit_text, self.lower
        go_on = [f"i < {limit}", f"{limit} > i"]
        leave = [f"i >= {limit}", f"{limit} <= i"]
        if self.limit_text == "100":
            go_on, leave = ["i <= 99"], ["i > 99"]
        if lower:
            go_on = [f"i >= {lower} && {one}" for one in go_on]
            go_on += [f"{one} && i > {lower - 1}" for one in go_on[:1]]
            leave = [f"i < {lower} || {one}" for one in leave]
        way = self.random.random() < 0.5
        return self.random.choice(go_on if way else leave), way

    def forms(self) -> list[str]:
        """Return the kernel's lines around the body."""
        body, index = indent(self.body), KINDS[self.kind]
        step = f"({self.kind})gridDim.x * blockDim.x"
        if self.form == "stride":
            head = f"for ({self.kind} i = {index}; i < {self.limit_text}; "
            return [f"{head}i += {step}) {{", *body, "}"]
        if self.form == "plane":
            return [
                f"unsigned x = {KINDS['unsigned']};",
                "unsigned y = blockIdx.y * blockDim.y + threadIdx.y;",
                "if (x >= p || y >= q) return;",
                "unsigned i = y * p + x;",
                *body,
            ]
        if self.form == "piece":
            return [
                "auto one = [&](size_t i) {",
                *body,
                "};",
                f"size_t k = {KINDS['size_t']}, first = k * {PIECE};",
                f"if (first + {PIECE} <= p) {{",
                f"    for (int j = 0; j < {PIECE}; ++j) one(first + j);",
                "} else {",
                "    for (size_t e = first; e < p; ++e) one(e);",
                "}",
            ]
        test, go_on = self.guard()
        if self.shift:
            number = f"{self.shift % (1 << 32)}u"
            index = f"(blockIdx.x * blockDim.x + {number}) + threadIdx.x"
        lines = [f"{self.kind} i = {index};"]
        if go_on:
            return [*lines, f"if ({test}) {{", *body, "}"]
        return [*lines, f"if ({test}) return;", *body]

    def whole_text(self) -> list[str]:
        return [
            f"__global__ void {self.name}(unsigned *out, const unsigned *in,",
            "    unsigned p, unsigned q)",
            "{",
            "    unsigned t = threadIdx.x + blockDim.x * threadIdx.y;",
            *("    " + line for line in self.forms()),
            "}",
        ]

    # ---- interpreter ----

    def outputs(self) -> int:
        return self.elements + COUNTERS

    def elements_of(
        self, x: np.ndarray, y: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield each thread's next index, and a mask of the valid ones."""
        if self.form == "plane":
            yield y * self.p + x, (x < self.p) & (y < self.q)
        elif self.form == "piece":
            for k in range(PIECE):
                yield x * PIECE + k, x * PIECE + k < self.p
        elif self.form == "guard":
            x = x + self.shift
            yield x, (x >= self.lower) & (x < self.limit)
        else:
            while (x < self.limit).any():
                yield x, x < self.limit
                x = x + self.block[0] * self.grid[0]

    def run(self, data: np.ndarray) -> np.ndarray:
        out = np.zeros(self.outputs(), np.uint32)
        t = np.arange(int(np.prod(self.block)))
        for by in range(self.grid[1]):
            for bx in range(self.grid[0]):
                x = bx * self.block[0] + t % self.block[0]
                y = by * self.block[1] + t // self.block[0]
                for i, mask in self.elements_of(x, y):
                    machine = Machine(self, (bx, by, 0), data)
                    machine.vars["i"] = i.astype(np.uint32)
                    machine.counters = out[self.elements :]
                    with np.errstate(over="ignore"):
                        sequence(self.body)(machine, mask)
                    out[i[mask]] += machine.out[mask]
        return out
