"""Statements of random kernels: divergent loops that only compute.

Each thread leaves such a loop at its own iteration; the compiler runs the loop
for several threads in SIMD lanes. `Loops` is a mixin of `Generator`
(kernel_generator.py).
"""

# SPDX-License-Identifier: MIT

import numpy as np
from kernel_machine import (
    COMPARISONS,
    OPERATIONS,
    Expr,
    Stmt,
    indent,
    sequence,
    u32,
)

LONG = 0x9E3779B97F4A7C15
STATE = ["a", "b", "c"]  # variables that the loops modify


def long_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return bits 29 to 60 of a 64-bit multiply-add."""
    whole = a.astype(np.uint64) * np.uint64(LONG) + b.astype(np.uint64)
    return u32(whole >> np.uint64(29) & np.uint64(0xFFFFFFFF))


class Loops:
    """Mixin of `Generator` with the statements of loops."""

    # ---- expressions: on variables of the thread only ----

    def term(self, index: str) -> Expr:
        if self.random.random() < 0.2:
            return self.number()
        name = self.random.choice([*STATE * 2, index, "p"])
        return Expr(name, lambda m: m.vars[name])

    def pure(self, index: str, depth: int = 2) -> Expr:
        choice = self.random.random()
        if depth == 0 or choice < 0.2:
            return self.term(index)
        a, b = self.pure(index, depth - 1), self.pure(index, depth - 1)
        if choice < 0.3:
            test = self.test(index)
            return Expr(
                f"({test.text} ? {a.text} : {b.text})",
                lambda m: np.where(test.value(m), a.value(m), b.value(m)),
            )
        if choice < 0.4:
            return Expr(
                f"((unsigned)(((unsigned long long){a.text} * {LONG}ull"
                f" + {b.text}) >> 29))",
                lambda m: long_product(a.value(m), b.value(m)),
            )
        form = self.random.choice(list(OPERATIONS))
        return Expr(
            "(" + form.format(a.text, b.text) + ")",
            lambda m: u32(OPERATIONS[form](a.value(m), b.value(m))),
        )

    def test(self, index: str) -> Expr:
        if self.random.random() < 0.2:
            limit = self.random.choice([64, 200, 300])
            return Expr(
                f"(f < {limit}.0f)", lambda m: m.vars["f"] < np.float32(limit)
            )
        form = self.random.choice(list(COMPARISONS))
        a, b = self.pure(index, 1), self.pure(index, 1)
        return Expr(
            "(" + form.format(a.text, b.text) + ")",
            lambda m: COMPARISONS[form](a.value(m), b.value(m)),
        )

    # ---- statements of a loop ----

    def step_on(self, index: str) -> Stmt:
        value = self.pure(index)
        if self.random.random() < 0.25:

            def run_float(m, mask):
                term = (value.value(m) & np.uint32(255)).astype(np.float32)
                m.set("f", m.vars["f"] * np.float32(0.5) + term, mask)
                return mask

            text = f"f = f * 0.5f + (float)({value.text} & 255u);"
            return Stmt([text], run_float)
        name = self.random.choice(STATE)

        def run(m, mask):
            m.set(name, value.value(m), mask)
            return mask

        return Stmt([f"{name} = {value.text};"], run)

    def part(self, index: str) -> Stmt:
        test = self.test(index)
        then, other = [self.step_on(index)], []
        if self.random.random() < 0.5:
            other = self.steps(index, 2)
        return self.choice(test, then, other)

    def leave(self, index: str, found: str) -> Stmt:
        """Some threads leave the loop or iteration, and may store a result."""
        test, value = self.test(index), self.pure(index, 1)
        which = int(self.random.random() < 0.3)
        notes = self.random.random() < 0.5

        def run(m, mask):
            holds = test.value(m) & mask
            if notes:
                m.set(found, value.value(m), holds)
            m.loops[-1][which] |= holds
            return mask & ~holds

        word = ["break", "continue"][which]
        note = f"{found} = {value.text}; " if notes else ""
        return Stmt([f"if ({test.text}) {{ {note}{word}; }}"], run)

    def steps(self, index: str, most: int) -> list[Stmt]:
        count = self.random.randrange(1, most + 1)
        return [self.step_on(index) for _ in range(count)]

    def search(self) -> list[Stmt]:
        """A search loop that ends at a match or after a maximum."""
        self.serial += 1
        index, limit = f"i{self.serial}", f"e{self.serial}"
        found = f"r{self.serial}"
        bound = self.expr(False, 1)
        most = self.random.choice([3, 15, 31])
        also = self.test(index) if self.random.random() < 0.5 else None
        body = self.steps(index, 3)
        for _ in range(self.random.randrange(3)):
            body.insert(
                self.random.randrange(len(body) + 1),
                self.random.choice(
                    [self.part(index), self.leave(index, found)]
                ),
            )
        run_body = sequence(body)

        def run(m, mask):
            last = bound.value(m) & np.uint32(most)
            m.set(index, m.fill(0), mask)
            going = mask
            while True:
                going = going & (m.vars[index] < last)
                if also:
                    going = going & also.value(m)
                if not going.any():
                    return mask
                m.loops.append([np.zeros_like(mask), np.zeros_like(mask)])
                going = run_body(m, going) | m.loops[-1][1]
                m.loops.pop()
                m.set(index, m.vars[index] + np.uint32(1), going)

        more = f"{index} < {limit}" + (f" && {also.text}" if also else "")
        lines = [
            f"unsigned {limit} = ({bound.text}) & {most}u, {index} = 0;",
            f"for (; {more}; ++{index}) {{",
            *indent(body),
            "}",
        ]
        used = [*self.use(index, False), *self.use(found, False)]
        return [self.new(found), Stmt(lines, run), *used]
