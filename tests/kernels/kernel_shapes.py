"""Statements of random kernels that the compiler treats in special ways.

They are conditions and loops on a thread's index. `Shapes` is a mixin of
`Generator` (kernel_generator.py).
"""

# SPDX-License-Identifier: MIT

import numpy as np
from kernel_machine import BOUNDS, INPUT, Expr, Stmt, indent, sequence

# Conditions that few threads meet, or none.
NARROW = {
    "<": ("({} & 1u) * 16u", lambda m, e: (e & 1) * 16),
    "<=": ("({} & 31u)", lambda m, e: e & 31),
    ">=": ("n - ({} & 3u)", lambda m, e: m.vars["n"] - (e & 3)),
    ">": ("({} & 127u)", lambda m, e: e & 127),
    "==": ("({} & 63u)", lambda m, e: e & 63),
}
STEPS = {
    "blockDim.x": lambda m: m.vars["blockDim.x"],
    "32u": lambda m: m.fill(32),
    "100u": lambda m: m.fill(100),
    "p * 8u": lambda m: m.vars["p"] * np.uint32(8),
}


class Shapes:
    """Mixin of `Generator` with the statements of special shapes."""

    def shape(self) -> list[Stmt]:
        choices = [self.narrow] * 2 + [self.sum_up] * 2
        choices += [self.rounds, self.own_number]
        return self.random.choice(choices)()

    def narrow_bound(self) -> Expr:
        name = self.random.choice(["threadIdx.x"] * 3 + ["threadIdx.y"])
        sign = self.random.choice(["<", "<=", "<=", ">=", ">", "=="])
        limit = self.variable(True)
        form, value = NARROW[sign]
        return Expr(
            f"({name} {sign} {form.format(limit.text)})",
            lambda m: BOUNDS[sign](m.vars[name], value(m, limit.value(m))),
        )

    def narrow(self) -> list[Stmt]:
        """Few or no threads run a branch; then all load a uniform value."""
        self.serial += 1
        name, at = f"r{self.serial}", self.variable(True)
        chosen = self.choice(self.narrow_bound(), self.stores(), [])
        loaded = Expr(
            f"in[{at.text} & {INPUT - 1}u]",
            lambda m: m.data[at.value(m) & (INPUT - 1)],
        )
        learnt = self.known(name, loaded)
        return [self.new(name), chosen, learnt, *self.use(name, True)]

    def rounds(self) -> list[Stmt]:
        """A loop with a divergent trip count and a uniform body.

        Each thread makes at least one iteration; every iteration computes the
        same value for all threads.
        """
        self.serial += 1
        name, index = f"r{self.serial}", f"i{self.serial}"
        limit = f"e{self.serial}"
        bound, term = self.expr(False, 1), self.variable(True)
        most = self.random.choice([3, 7, 15])
        next_one = Expr(
            f"{name} * 3u + {term.text}",
            lambda m: m.vars[name] * np.uint32(3) + term.value(m),
        )
        body = [self.known(name, next_one)]
        if self.random.random() < 0.4:
            keep, self.uniform_now = self.uniform_now, False
            body += self.assign()
            self.uniform_now = keep
        run_body = sequence(body)

        def run(m, mask):
            last = bound.value(m) & np.uint32(most)
            going, made = mask, 0
            while going.any():
                run_body(m, going)
                made += 1
                going = going & (made < last)
            return mask

        lines = [
            f"unsigned {limit} = ({bound.text}) & {most}u, {index} = 0;",
            "do {",
            *indent(body),
            f"}} while (++{index} < {limit});",
        ]
        used = self.use(name, self.uniform_now)
        return [self.new(name), Stmt(lines, run), *used]

    def own_number(self) -> list[Stmt]:
        """Each thread loads its value from a uniform local-memory index."""
        self.serial += 1
        name, size = f"r{self.serial}", self.local_size
        term, at = self.variable(False), self.variable(True)

        def run(m, mask):
            items = m.local["l"]
            items[:, mask] = items[:, mask] * 3 + term.value(m)[mask]
            return mask

        loaded = Expr(
            f"l[{at.text} % {size}u]",
            lambda m: m.local["l"][
                at.value(m) % np.uint32(size), np.arange(m.threads)
            ],
        )
        lines = [
            f"for (unsigned k = 0; k < {size}; ++k) "
            f"l[k] = l[k] * 3u + {term.text};"
        ]
        learnt = self.known(name, loaded)
        used = self.use(name, self.uniform_now)
        return [self.new(name), Stmt(lines, run), learnt, *used]

    def first_index(self) -> Expr:
        """The start of a sum, with or without index overflow.

        The sum cannot overflow in a way that compilers can prove, may
        overflow, or overflows for some threads.
        """
        one = self.variable(True)
        low = self.random.randrange(1, 40)
        return self.random.choice(
            [
                Expr("3u", lambda m: m.fill(3)),
                Expr("blockIdx.x * 8u", lambda m: m.vars["blockIdx.x"] * 8),
                Expr(f"({one.text} & 7u)", lambda m: one.value(m) & 7),
                Expr(
                    f"({one.text} & 7u) - {low}u",
                    lambda m: (one.value(m) & 7) - np.uint32(low),
                ),
            ]
        )

    def sum_up(self) -> list[Stmt]:
        """A sum over a strided part of the input, in short iterations."""
        self.serial += 1
        name, limit = f"i{self.serial}", f"e{self.serial}"
        step = self.random.choice(list(STEPS))
        bound, first = self.expr(True, 1), self.first_index()
        most, least = self.random.choice(
            [(31, 0), (255, 0), (1023, 0), (255, 700), (127, 1500)]
        )
        to = self.random.choice("abc")

        def run(m, mask):
            last = (bound.value(m) & np.uint32(most)) + np.uint32(least)
            start = first.value(m)
            total, at = m.vars[to].copy(), start + m.vars["threadIdx.x"]
            while (more := at < last).any():
                item = m.data[at & (INPUT - 1)] + at
                total = np.where(more, total + item, total)
                at = np.where(more, at + STEPS[step](m), at)
            m.set(to, total, mask)
            return mask

        text = f"for (unsigned {name} = threadIdx.x + {first.text};"
        return [
            Stmt(
                [
                    f"unsigned {limit} = (({bound.text}) & {most}u)"
                    f" + {least}u;",
                    f"{text} {name} < {limit}; {name} += {step})",
                    f"    {to} += in[{name} & {INPUT - 1}u] + {name};",
                ],
                run,
            )
        ]

    def leave_first(self) -> list[Stmt]:
        """The last threads of rows, or whole rows, return first of all."""
        if not self.early or self.random.random() < 0.3:
            return []
        self.returned = self.first_leaves = True
        # More threads may return later.
        self.early = self.random.random() < 0.3
        axes = self.random.choice(["x", "x", "y", "xy"])
        word, stays = self.random.choice(
            [(">=", np.less), (">", np.less_equal)]
        )
        texts, rows = [], []
        for axis in axes:
            factor, more = self.random.choice([(1, 0), (3, 1), (11, 2)])
            texts.append(
                f"blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis} "
                f"{word} p * {factor}u + {more}u"
            )
            rows.append((axis, np.uint32(factor), np.uint32(more)))

        def run(m, mask):
            for axis, factor, more in rows:
                index = (
                    m.vars[f"blockIdx.{axis}"] * m.vars[f"blockDim.{axis}"]
                    + m.vars[f"threadIdx.{axis}"]
                )
                mask = mask & stays(index, m.vars["p"] * factor + more)
            m.alive &= mask
            return mask

        return [Stmt([f"if ({' || '.join(texts)}) return;"], run)]
