"""Statements of random kernels: loops that threads leave at several places.

An inner loop that leaves an outer one too or goes on with its next iteration,
and a loop that exchanges the values that it carries, in which a switch
contains `continue`. `Exits` is a mixin of `PackGenerator`
(pack_generator.py).
"""

# SPDX-License-Identifier: MIT

import numpy as np
from kernel_machine import Expr, Stmt, indent, sequence, u32


class Exits:
    """Mixin of `PackGenerator` with loops that have several exits."""

    def exit_test(self, name: str) -> Expr:
        """Return a condition that depends on the counter in most cases."""
        if self.random.random() < 0.3:
            return self.bound()
        every = self.random.choice([2, 3, 5])
        shift = self.random.choice(
            [self.number(), self.near(), self.expr(False, 1)]
        )
        return Expr(
            f"((({shift.text}) + {name}) % {every}u == 1u)",
            lambda m: u32(shift.value(m) + m.vars[name]) % every == 1,
        )

    def far_exit(self) -> list[Stmt]:
        """Two loops; the inner one leaves the outer one or continues it."""
        self.serial += 1
        outer, inner = f"k{self.serial}", f"l{self.serial}"
        most, few = self.random.choice([2, 4]), self.random.choice([1, 3, 5])
        bound = self.random.choice([self.number(), self.expr(False, 1)])
        self.rounds.append(outer)
        before, then = self.steps_of_loop(), self.steps_of_loop()
        tests = [self.exit_test(outer)]
        self.rounds.append(inner)
        inside, after = self.steps_of_loop(), self.steps_of_loop()
        tests += [self.exit_test(inner), self.exit_test(inner)]
        del self.rounds[-2:]
        self.random.shuffle(tests)
        words = [f"goto far{outer}", "break", f"goto next{outer}"]
        parts = [sequence(part) for part in (before, inside, after, then)]

        def run_inner(m, going):
            """Return the threads that go on behind the inner loop."""
            last = bound.value(m) % np.uint32(few) + 1
            m.set(inner, m.fill(0), going)
            active, behind = going, np.zeros_like(going)
            for k in range(few + 1):
                m.set(inner, m.fill(k), active)
                behind = behind | (active & (k >= last))
                active = parts[1](m, active & (k < last))
                leaves = []
                for test in tests:
                    leaves.append(active & test.value(m))
                    active = active & ~leaves[-1]
                going = going & ~leaves[0]
                behind = behind | leaves[1]
                parts[2](m, active)
            return going, behind

        def run(m, mask):
            going = mask
            for k in range(most):
                m.set(outer, m.fill(k), going)
                parts[0](m, going)
                going, behind = run_inner(m, going)
                parts[3](m, behind)
                m.set("c", m.vars["c"] + m.vars[inner] * 5, behind)
            return mask

        limit = f"({bound.text}) % {few}u + 1u"
        lines = [
            f"for (unsigned {outer} = 0; {outer} < {most}u; ++{outer}) {{",
            f"    unsigned {inner} = 0, n{inner};",
            *indent(before),
            f"    for (n{inner} = {limit}; {inner} < n{inner}; ++{inner}) {{",
            *("    " + line for line in indent(inside)),
            *(
                f"        if ({test.text}) {word};"
                for test, word in zip(tests, words, strict=True)
            ),
            *("    " + line for line in indent(after)),
            "    }",
            *indent(then),
            f"    c += {inner} * 5u;",
            f"    next{outer}: ;",
            "}",
            f"far{outer}: ;",
        ]
        return [Stmt(lines, run)]

    def exchange(self) -> list[Stmt]:
        """A loop that exchanges two values, with `continue` in a switch."""
        self.serial += 1
        name, most = f"k{self.serial}", self.random.choice([3, 6])
        first, second = f"g{self.serial}", f"h{self.serial}"
        self.rounds.append(name)
        value, element = self.expr(False, 1), self.row()
        after, leave = self.steps_of_loop(), self.exit_test(name)
        self.rounds.pop()
        last = sequence(after)

        def run_switch(m, active):
            """Return the threads that do not continue the loop."""
            case = value.value(m) % 5
            m.set("a", m.vars["a"] ^ m.vars[first], active & (case == 0))
            active = active & (case != 0)
            m.set("b", m.vars["b"] + m.vars[second], active & (case == 1))
            m.set("c", m.vars["c"] ^ m.vars[first], active & (case == 2))
            both = active & ((case == 2) | (case == 3))
            m.set(second, m.vars[second] ^ m.vars[name], both)
            return active

        def run(m, mask):
            going = mask
            m.set(first, m.vars["a"], mask)
            m.set(second, m.vars["b"], mask)
            for k in range(most):
                m.set(name, m.fill(k), going)
                a, b = m.vars[first], m.vars[second]
                m.set(first, b, going)
                m.set(second, u32(a * 3 + element.value(m)), going)
                last(m, run_switch(m, going))
                m.set(name, m.fill(k + 1), going)
                going = going & ~leave.value(m)
            m.set("a", m.vars["a"] + m.vars[first] * 3, mask)
            m.set("b", m.vars["b"] ^ m.vars[second], mask)
            return mask

        lines = [
            "{",
            f"    unsigned {first} = a, {second} = b, {name} = 0;",
            "    do {",
            f"        unsigned old = {first};",
            f"        {first} = {second};",
            f"        {second} = old * 3u + {element.text};",
            f"        switch (({value.text}) % 5u) {{",
            f"        case 0: a ^= {first}; continue;",
            f"        case 1: b += {second}; break;",
            f"        case 2: c ^= {first};",
            f"        case 3: {second} ^= {name};",
            "        }",
            *("    " + line for line in indent(after)),
            f"    }} while (++{name} < {most}u && !{leave.text});",
            f"    a += {first} * 3u;",
            f"    b ^= {second};",
            "}",
        ]
        return [Stmt(lines, run)]
