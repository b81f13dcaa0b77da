"""Random kernels without barriers whose loops access memory.

The compiler runs such kernels for several neighbouring threads at a time.
The generator makes what that transformation has to handle: rows of elements
before and after the thread's own one, unsigned indices that wrap behind a
test, clamped and narrow indices, elements that the thread has written itself,
types of 8, 16 and 64 bits, a switch, effects of some threads beside loops of
the others, and divisions that only some threads execute.
"""

# SPDX-License-Identifier: MIT

from collections.abc import Iterator

import numpy as np
from grid_generator import KINDS, GridGenerator
from kernel_loops import LONG
from kernel_machine import INPUT, Expr, Stmt, indent, sequence, u32
from pack_exits import Exits


def clamped(i: np.ndarray) -> np.ndarray:
    """Return the index, as a signed number, within the input."""
    return u32(np.clip(i.astype(np.uint32).view(np.int32), 0, INPUT - 1))


def extended(i: np.ndarray) -> np.ndarray:
    """Return bits 29 to 60 of the index, extended to 64 bits, times LONG."""
    whole = i.astype(np.uint64) * np.uint64(LONG)
    return u32(whole >> np.uint64(29) & np.uint64(0xFFFFFFFF))


def extension(at: Expr) -> str:
    """Return the C text of `extended`."""
    return f"(unsigned)(((unsigned long long){at.text} * {LONG}ull) >> 29)"


class PackGenerator(Exits, GridGenerator):
    """Generates one kernel, with the interface of `Generator`."""

    def __post_init__(self) -> None:
        self.rounds: list[str] = []  # counters of the loops around
        self.remainders = False  # whether indices are remainders
        super().__post_init__()

    def start(self) -> list[Stmt]:
        """Set the variables; an index is extended before any effect."""
        at = self.near()

        def run(m, mask):
            m.vars["c"] = m.vars["c"] ^ extended(at.value(m))
            return mask

        set_c = Stmt([f"c ^= {extension(at)};"], run)
        return [*super().start(), *self.divide(), set_c]

    def divide(self) -> list[Stmt]:
        """Divide the index, as kernels do that count rows and columns."""
        self.remainders = self.random.random() < 0.5
        if not self.remainders:
            return []
        least = self.random.choice([5, 20, 64, 100, 300])
        name = self.random.choice([None, None, "p"])
        text = f"({name} % 61u + {least}u)" if name else f"{least}u"

        def run(m, mask):
            divisor = m.vars[name] % 61 + least if name else m.fill(least)
            m.set("r", m.vars["i"] % divisor, mask)
            m.set("b", m.vars["b"] ^ (m.vars["i"] // divisor * 64), mask)
            return mask

        lines = [
            f"unsigned r = (unsigned)i % {text};",
            f"b ^= (unsigned)i / {text} * 64u;",
        ]
        return [Stmt(lines, run)]

    def forms(self) -> list[str]:
        if not self.is_whole():
            return super().forms()
        return [f"{self.kind} i = {KINDS[self.kind]};", *indent(self.body)]

    def is_whole(self) -> bool:
        """Return whether there is no guard, so that all threads take part."""
        return self.form == "guard" and self.seed % 3 == 0

    def elements_of(
        self, x: np.ndarray, y: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        if self.is_whole():
            yield x, np.ones_like(x, bool)
        else:
            yield from super().elements_of(x, y)

    # ---- expressions ----

    def near(self) -> Expr:
        """Return an unsigned index that grows by 1 from thread to thread."""
        number = self.random.choice([-20, -9, -2, -1, 0, 1, 3, 12])
        name = self.random.choice(self.rounds) if self.rounds else None
        text = f"{'+' if number >= 0 else '-'} {abs(number)}u"
        text += f" + {name}" if name else ""
        down = self.random.random() < 0.2
        base = "r" if self.remainders and self.random.random() < 0.5 else "i"
        start = f"200u - (unsigned){base}" if down else f"(unsigned){base}"

        def value(m):
            index = m.vars[base]
            index = np.uint32(200) - index if down else index
            more = m.vars[name] if name else np.uint32(0)
            return u32(index + np.uint32(number % (1 << 32)) + more)

        return Expr(f"({start} {text})", value)

    def row(self) -> Expr:
        """Return an element near the thread's own one."""
        at, form = self.near(), self.random.randrange(8)
        if form == 0:  # a test that the index has not wrapped
            return Expr(
                f"({at.text} < {INPUT}u ? in[{at.text}] : 5u)",
                lambda m: np.where(
                    at.value(m) < INPUT,
                    m.data[at.value(m) & (INPUT - 1)],
                    np.uint32(5),
                ),
            )
        if form == 1:
            return Expr(
                f"in[min(max((int){at.text}, 0), {INPUT - 1})]",
                lambda m: m.data[clamped(at.value(m))],
            )
        if form >= 6:
            return self.beside(at, form == 6)
        if form == 2:
            return Expr(
                f"in[(unsigned char){at.text} & {INPUT - 1}u]",
                lambda m: m.data[at.value(m) & 255 & (INPUT - 1)],
            )
        if form == 3:
            return Expr(f"({extension(at)})", lambda m: extended(at.value(m)))
        if form == 4:  # bytes and halves
            part = self.random.choice([8, 16])
            kind = "unsigned char" if part == 8 else "unsigned short"
            size = INPUT * 32 // part
            return Expr(
                f"((unsigned)((const {kind} *)in)[{at.text} & {size - 1}u])",
                lambda m: u32(
                    m.data.view(f"u{part // 8}")[at.value(m) & (size - 1)]
                ),
            )
        return Expr(
            f"in[{at.text} & {INPUT - 1}u]",
            lambda m: m.data[at.value(m) & (INPUT - 1)],
        )

    def beside(self, at: Expr, before: bool) -> Expr:
        """Return the element before or after one, around the border."""
        last = INPUT - 1
        c = f"min(max((int){at.text}, 0), {last})"
        text = f"{c} - ({c} > 0)" if before else f"{c} == {last} ? 0 : {c} + 1"

        def value(m):
            index = clamped(at.value(m)).astype(np.int64)
            found = np.maximum(index - 1, 0) if before else (index + 1) % INPUT
            return m.data[found]

        return Expr(f"in[{text}]", value)

    def quotient(self) -> Expr:
        a, b = self.expr(False, 1), self.near()
        return Expr(
            f"({b.text} % 7u ? {a.text} / ({b.text} % 7u) : 3u)",
            lambda m: np.where(
                b.value(m) % 7 != 0,
                a.value(m) // np.maximum(b.value(m) % 7, 1),
                np.uint32(3),
            ),
        )

    def memory(self, uniform: bool) -> Expr:
        if uniform or self.random.random() < 0.4:
            return super().memory(uniform)
        return self.quotient() if self.random.random() < 0.2 else self.row()

    # ---- statements ----

    def only_row(self) -> list[Stmt]:
        """Read an element behind a test of the index, without masks."""
        at, name = self.near(), self.random.choice("abc")

        def run(m, mask):
            index = at.value(m)
            inside = mask & (index < INPUT)
            m.set(name, m.vars[name] * 3 + m.data[index % INPUT], inside)
            return mask

        return [
            Stmt(
                [
                    f"if ({at.text} < {INPUT}u)",
                    f"    {name} = {name} * 3 + in[{at.text}];",
                ],
                run,
            )
        ]

    def cases(self) -> list[Stmt]:
        """A switch, of which some cases share their code."""
        name, value = self.random.choice("abc"), self.expr(False, 1)
        first, second = self.expr(False, 1), self.expr(False, 1)

        def run(m, mask):
            case = value.value(m) % 11
            one = mask & np.isin(case, [0, 3, 5, 9])
            two = mask & np.isin(case, [1, 5, 6, 7, 0, 3, 9])
            m.set(name, first.value(m), one)
            m.set(name, m.vars[name] ^ second.value(m), two)
            return mask

        lines = [
            f"switch (({value.text}) % 11u) {{",
            f"case 0: case 3: case 5: case 9: {name} = {first.text};",
            f"case 1: case 6: case 7: {name} ^= {second.text}; break;",
            "}",
        ]
        return [Stmt(lines, run)]

    def reread(self) -> list[Stmt]:
        """Add to the thread's own element, and read it again."""
        value, name = self.expr(False, 1), self.random.choice("abc")
        test = self.bound()

        def run(m, mask):
            m.out[mask] += value.value(m)[mask]
            own = mask & test.value(m)
            m.set(name, m.vars[name] ^ m.out, own)
            return mask

        return [
            Stmt(
                [
                    f"out[i] += {value.text};",
                    f"if ({test.text}) {name} ^= out[i];",
                ],
                run,
            )
        ]

    def effect_or_loop(self) -> list[Stmt]:
        """Change the own element, or else run a loop with accesses.

        The loop's side is reached in two ways, one of which is uniform.
        """
        uniform = self.condition(True, 1)
        first, second = self.condition(False, 1), self.condition(False, 1)
        form = self.random.randrange(3)
        text = [
            f"{uniform.text} && {first.text}",
            f"{uniform.text} || {first.text}",
            f"{uniform.text} ? {first.text} : {second.text}",
        ][form]
        value, other = self.expr(False, 1), self.row_loop()
        body = sequence(other)

        def run(m, mask):
            known, own = uniform.value(m), first.value(m)
            holds = [
                known & own,
                known | own,
                np.where(known, own, second.value(m)),
            ][form]
            changed = mask & holds
            m.out[changed] += value.value(m)[changed]
            body(m, mask & ~holds)
            return mask

        return [
            Stmt(
                [
                    f"if ({text})",
                    f"    out[i] += {value.text};",
                    "else {",
                    *indent(other),
                    "}",
                ],
                run,
            )
        ]

    def row_loop(self) -> list[Stmt]:
        """A loop with accesses, which some threads may leave early."""
        self.serial += 1
        name, most = f"k{self.serial}", self.random.choice([2, 4, 7])
        bound = self.random.choice([self.number(), self.expr(False, 1)])
        self.rounds.append(name)
        before = self.steps_of_loop()
        leaves = self.random.random() < 0.4
        word = self.random.choice(["break", "continue"])
        test, after = self.bound(), self.steps_of_loop()
        self.rounds.pop()
        first, second = sequence(before), sequence(after)

        def run(m, mask):
            last, going = bound.value(m) % np.uint32(most) + 1, mask
            for k in range(most):
                going = going & (k < last)
                m.set(name, m.fill(k), going)
                first(m, going)
                holds = test.value(m) if leaves else np.zeros_like(mask)
                second(m, going & ~holds)
                going = going & ~holds if word == "break" else going
            return mask

        limit = f"({bound.text}) % {most}u + 1u"
        lines = [
            f"for (unsigned {name} = 0, n{name} = {limit}; {name} < n{name};"
            f" ++{name}) {{",
            *indent(before),
            *([f"    if ({test.text}) {word};"] if leaves else []),
            *indent(after),
            "}",
        ]
        return [Stmt(lines, run)]

    def own_rows(self) -> list[Stmt]:
        """Read the elements of a row that is the thread's own."""
        self.serial += 1
        name, wide = f"k{self.serial}", self.random.choice([16, 20, 32])
        most, first = self.random.choice([4, 9, 31]), self.random.randrange(2)
        bound, var = self.expr(True, 1), self.random.choice("abc")
        stores = self.random.random() < 0.5

        def run(m, mask):
            last = bound.value(m) % np.uint32(most) + 1
            for k in range(most):
                going = mask & (k < last)
                element = m.data[m.vars["i"] % 8 * wide + first + k]
                m.set(var, m.vars[var] * 3 + element, going)
                if stores:
                    m.out[going] += element[going]
            return mask

        at = f"in[(unsigned)i % 8u * {wide}u + {first}u + {name}]"
        lines = [
            f"for (unsigned {name} = 0, n{name} = ({bound.text}) % {most}u + "
            f"1u; {name} < n{name}; ++{name}) {{",
            f"    {var} = {var} * 3 + {at};",
            *([f"    out[i] += {at};"] if stores else []),
            "}",
        ]
        return [Stmt(lines, run)]

    def late_exit(self) -> list[Stmt]:
        """A loop that is left only at a place that some iterations skip."""
        self.serial += 1
        name, most = f"k{self.serial}", self.random.choice([1, 3, 6])
        every = self.random.choice([2, 4])  # also if the sum wraps
        shift = self.random.choice([self.number(), self.near()])
        self.rounds.append(name)
        before, inside, after = (self.steps_of_loop() for _ in range(3))
        self.rounds.pop()
        first, second, third = map(sequence, (before, inside, after))

        def run(m, mask):
            going = mask
            for k in range(most + every):
                m.set(name, m.fill(k), going)
                first(m, going)
                chosen = going & ((shift.value(m) + u32(k)) % every == 1)
                second(m, chosen)
                going = going & ~chosen if k >= most else going
                third(m, going)
            return mask

        lines = [
            f"for (unsigned {name} = 0;; ++{name}) {{",
            *indent(before),
            f"    if (({shift.text} + {name}) % {every}u == 1) {{",
            *("    " + line for line in indent(inside)),
            f"        if ({name} >= {most}u) break;",
            "    }",
            *indent(after),
            "}",
        ]
        return [Stmt(lines, run)]

    def steps_of_loop(self) -> list[Stmt]:
        choices = [self.assign] * 3 + [self.only_row, self.cases, self.reread]
        choices += [self.row_loop] if len(self.rounds) < 2 else []
        body: list[Stmt] = []
        for _ in range(self.random.randrange(1, 3)):
            body += self.random.choice(choices)()
        return body

    def statement(self) -> list[Stmt]:
        choices = [self.row_loop] * 3 + [self.only_row, self.cases]
        choices += [self.late_exit, self.own_rows, self.effect_or_loop]
        choices += [self.far_exit, self.exchange]
        if self.in_loop or self.depth or self.random.random() < 0.4:
            return super().statement()
        return self.random.choice(choices)()
