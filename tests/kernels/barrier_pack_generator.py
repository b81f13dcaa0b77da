"""Random kernels with barriers whose code between barriers runs in packs.

The compiler runs code between two barriers for several neighbouring threads at
a time if it has loops with memory accesses, or clamped indices. The generator
adds such code to the kernels of `Generator`: rows of shared memory and of the
input, clamped at both ends, also where the first or the last thread takes no
part, and loops in divergent code.
"""

# SPDX-License-Identifier: MIT

import numpy as np
from kernel_generator import Generator
from kernel_machine import INPUT, SIZE, Expr, Stmt, u32


class BarrierPackGenerator(Generator):
    """Generates one kernel, with the interface of `Generator`."""

    def clamped(self) -> Expr:
        """Return an element of a row near the thread's own one."""
        array = self.random.choice(self.arrays)
        shared = self.random.random() < 0.6 and self.readable(array)
        name = array.name if shared else "in"
        size = SIZE if shared else INPUT
        index = self.random.choice(["threadIdx.x", "t"])
        step = self.random.choice([-9, -1, -1, 0, 1, 1, 5])
        low = self.random.choice([0, 0, 3])
        high = self.random.choice([size - 1, 15, 30])
        edge = self.random.random() < 0.5  # the upper bound may vary
        last = f"min({high}, (int)(u & 63u) + 4)" if edge else f"{high}"

        def value(m):
            at = m.vars[index].view(np.int32) + np.int32(step)
            most = m.fill(high).view(np.int32)
            if edge:
                more = (m.vars["u"] & np.uint32(63)) + np.uint32(4)
                most = np.minimum(most, more.view(np.int32))
            at = u32(np.minimum(np.maximum(at, low), most))
            return (m.shared[name] if shared else m.data)[at]

        sign = "-" if step < 0 else "+"
        own = f"(int){index} {sign} {abs(step)}"
        return Expr(f"{name}[min(max({own}, {low}), {last})]", value)

    def neighbours(self) -> list[Stmt]:
        """Read clamped elements, in all threads or in inner ones only."""
        first, second = self.clamped(), self.clamped()
        name = self.random.choice("abc")
        some = self.random.random() < 0.6
        low = self.random.choice([0, 1, 2])
        high = self.random.choice([6, 14, 15, 40])

        def run(m, mask):
            inner = mask
            if some:
                x = m.vars["threadIdx.x"]
                inner = mask & (x >= low) & (x <= high)
            total = m.vars[name] * 3 + first.value(m) - second.value(m)
            m.set(name, total, inner)
            return mask

        text = f"{name} = {name} * 3 + {first.text} - {second.text};"
        if some:
            test = f"threadIdx.x >= {low}u && threadIdx.x <= {high}u"
            text = f"if ({test}) {text}"
        return [Stmt([text], run)]

    def inner_loop(self) -> list[Stmt]:
        """A loop over rows, in divergent code, with its own trip count."""
        self.serial += 1
        counter, most = f"k{self.serial}", self.random.choice([2, 5, 9])
        name, wide = self.random.choice("abc"), self.random.choice([16, 37])
        test, bound = self.condition(False), self.expr(False, 1)
        leaves = self.random.random() < 0.4

        def run(m, mask):
            going = mask & test.value(m)
            last = bound.value(m) % np.uint32(most) + 1
            for k in range(most):
                going = going & (k < last)
                at = (m.vars["t"] + np.uint32(k * wide)) & (INPUT - 1)
                m.set(name, m.vars[name] * 5 + m.data[at], going)
                if leaves:
                    going = going & (m.vars[name] % np.uint32(7) != 3)
            return mask

        at = f"in[(t + {counter} * {wide}u) & {INPUT - 1}u]"
        lines = [
            f"if ({test.text})",
            f"    for (unsigned {counter} = 0, n{counter} = ({bound.text}) % "
            f"{most}u + 1u; {counter} < n{counter}; ++{counter}) {{",
            f"        {name} = {name} * 5 + {at};",
            *([f"        if ({name} % 7u == 3u) break;"] if leaves else []),
            "    }",
        ]
        return [Stmt(lines, run)]

    def counted(self) -> list[Stmt]:
        """Count threads of a block, after and before code for packs."""
        return [*self.inner_loop(), *self.barrier(), *self.neighbours()]

    def statement(self) -> list[Stmt]:
        if self.random.random() < 0.6:
            return super().statement()
        choices = [self.neighbours] * 2 + [self.inner_loop] * 2
        choices += [self.counted] if self.uniform_now else []
        return self.random.choice(choices)()

    def whole_text(self) -> list[str]:
        """Return the lines; those of blocks of one row use no other index.

        The compiler takes the rows of such kernels for long ones.
        """
        lines = super().whole_text()
        if self.block[1:] != (1, 1):
            return lines
        ones = {f"threadIdx.{axis}": "0u" for axis in "yz"}
        ones |= {f"blockDim.{axis}": "1u" for axis in "yz"}
        for name, value in ones.items():
            lines = [line.replace(name, value) for line in lines]
        return lines
