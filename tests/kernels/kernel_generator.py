"""Random CUDA kernels, each with an interpreter that computes its output.

A kernel is a tree of statements (kernel_machine.py). Kernels are free of races
by construction: between two barriers a shared array is used in one way only
(see `Shared`). Integers are unsigned and floats stay small, so results are
exact.
"""

import random
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from kernel_loops import Loops
from kernel_machine import (
    ATOMICS,
    BOUNDS,
    COMPARISONS,
    INPUT,
    OPERATIONS,
    SIZE,
    Expr,
    Machine,
    Shared,
    Stmt,
    indent,
    sequence,
    u32,
)
from kernel_shapes import Shapes

BLOCKS = [
    (1, 1, 1), (7, 1, 1), (31, 1, 1), (32, 1, 1), (64, 1, 1), (100, 1, 1),
    (128, 1, 1), (5, 3, 1), (8, 8, 1), (16, 4, 1), (3, 5, 2), (4, 4, 4),
    (33, 2, 1), (1, 40, 1), (2, 1, 17),
]  # fmt: skip


@dataclass
class Generator(Shapes, Loops):
    """Generates one kernel: `text` is its source, `run` its result."""

    blocks: ClassVar = BLOCKS

    seed: int
    name: str = "kernel"
    depth: int = 0
    serial: int = 0
    # True if control flow is uniform over the live threads here.
    uniform_now: bool = True
    in_loop: bool = False  # true if `break` and `continue` are allowed here
    returned: bool = False  # true if some threads may have returned
    # True if threads return before any other statement.
    first_leaves: bool = False
    differing: list[str] = field(default_factory=lambda: ["a", "b", "c"])
    uniform: list[str] = field(default_factory=lambda: ["u", "w"])
    arrays: list[Shared] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        pick = self.random
        self.block = pick.choice(self.blocks)
        self.grid = (pick.randrange(1, 4), 1, 1)
        self.p, self.q = pick.randrange(1, 9), pick.randrange(1000)
        self.arrays = [Shared("s0"), Shared("s1")][: pick.randrange(1, 3)]
        self.local_size = pick.choice([4, 8, 40])
        self.warps = pick.random() < 0.25
        self.early = pick.random() < 0.25
        self.late_memory = pick.random() < 0.7
        self.body = self.leave_first() + self.start()
        for _ in range(pick.randrange(5, 14)):
            self.body += self.statement()
        self.body += self.finish()
        self.text = "\n".join(self.whole_text())

    # ---- expressions ----

    def number(self) -> Expr:
        value = self.random.choice(
            [0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 100, 255, 65537, 0x9E3779B9]
        )
        return Expr(f"{value}u", lambda m: m.fill(value))

    def variable(self, uniform: bool) -> Expr:
        fixed = ["p", "q", "blockIdx.x", "blockDim.x", "blockDim.y", "n"]
        if uniform:
            names = self.uniform * 2 + fixed
        else:
            names = self.differing * 3 + self.uniform
            names += ["t", "threadIdx.x", "threadIdx.y", "threadIdx.z"]
            names += ["(t / 16)", "(threadIdx.x / 16)"]
        name = self.random.choice(names)
        return Expr(name, lambda m: m.vars[name])

    def readable(self, array: Shared) -> bool:
        if array.mode == "free":
            array.mode = "read"
        return array.mode == "read"

    def memory(self, uniform: bool) -> Expr:
        """A load from shared, constant or private memory."""
        index = self.expr(uniform, 1)
        array = self.random.choice(self.arrays)
        if self.random.random() < 0.6 and self.readable(array):
            return Expr(
                f"{array.name}[({index.text}) & {SIZE - 1}u]",
                lambda m: m.shared[array.name][index.value(m) & (SIZE - 1)],
            )
        if not uniform and self.random.random() < 0.4:
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

    def expr(self, uniform: bool, depth: int = 3) -> Expr:
        choice = self.random.random()
        if depth == 0 or choice < 0.15:
            if self.random.random() < 0.3:
                return self.number()
            return self.variable(uniform)
        if choice < 0.35:
            return self.memory(uniform)
        if choice < 0.45:
            test = self.condition(uniform, depth - 1)
            a, b = self.expr(uniform, depth - 1), self.expr(uniform, depth - 1)
            return Expr(
                f"({test.text} ? {a.text} : {b.text})",
                lambda m: np.where(test.value(m), a.value(m), b.value(m)),
            )
        if choice < 0.5 and not uniform:
            a = self.expr(uniform, depth - 1)
            return Expr(
                f"__float_as_uint(f + (float)({a.text} & 255u))",
                lambda m: (
                    m.vars["f"]
                    + (a.value(m) & np.uint32(255)).astype(np.float32)
                ).view(np.uint32),
            )
        form = self.random.choice(list(OPERATIONS))
        a, b = self.expr(uniform, depth - 1), self.expr(uniform, depth - 1)
        return Expr(
            "(" + form.format(a.text, b.text) + ")",
            lambda m: u32(OPERATIONS[form](a.value(m), b.value(m))),
        )

    def condition(self, uniform: bool, depth: int = 2) -> Expr:
        if not uniform and self.random.random() < 0.4:
            return self.bound()
        if not uniform and self.random.random() < 0.2:
            return self.group()
        form = self.random.choice(list(COMPARISONS))
        a, b = self.expr(uniform, depth), self.expr(uniform, depth)
        return Expr(
            "(" + form.format(a.text, b.text) + ")",
            lambda m: COMPARISONS[form](a.value(m), b.value(m)),
        )

    def bound(self) -> Expr:
        """A comparison of a thread's index with a uniform number."""
        name = self.random.choice(["threadIdx.x", "threadIdx.y", "t"])
        sign = self.random.choice(list(BOUNDS))
        limit = self.expr(True, 1)
        if self.random.random() < 0.5:
            return Expr(
                f"((int){name} {sign} (int)({limit.text} - 20u) % 40)",
                lambda m: BOUNDS[sign](
                    m.vars[name].view(np.int32),
                    np.fmod(
                        u32(limit.value(m) - np.uint32(20)).view(np.int32),
                        np.int32(40),
                    ),
                ),
            )
        return Expr(
            f"({name} {sign} (({limit.text}) & 31u))",
            lambda m: BOUNDS[sign](
                m.vars[name], limit.value(m) & np.uint32(31)
            ),
        )

    def group(self) -> Expr:
        """A condition that selects a group of 4 to 64 threads."""
        shift = self.random.randrange(2, 7)
        name = self.random.choice(["threadIdx.x", "t"])
        number = self.random.randrange(4)
        sign = self.random.choice(list(BOUNDS))
        text = self.random.choice(
            [f"{name} >> {shift}", f"{name} / {1 << shift}"]
        )
        return Expr(
            f"(({text}) {sign} {number}u)",
            lambda m: BOUNDS[sign](
                m.vars[name] >> np.uint32(shift), np.uint32(number)
            ),
        )

    # ---- statements ----

    def assign(self) -> list[Stmt]:
        if self.random.random() < 0.2:
            a = self.expr(False, 2)

            def run_float(m, mask):
                term = (a.value(m) & np.uint32(255)).astype(np.float32)
                m.set("f", m.vars["f"] * np.float32(0.5) + term, mask)
                return mask

            text = f"f = f * 0.5f + (float)({a.text} & 255u);"
            return [Stmt([text], run_float)]
        uniform = self.uniform_now and self.random.random() < 0.3
        name = self.random.choice("uw" if uniform else "abc")
        value = self.expr(uniform)

        def run(m, mask):
            m.set(name, value.value(m), mask)
            return mask

        return [Stmt([f"{name} = {value.text};"], run)]

    def store_local(self) -> list[Stmt]:
        index = self.expr(self.random.random() < 0.4, 1)
        value, size = self.expr(False, 2), self.local_size

        def run(m, mask):
            at = index.value(m) % np.uint32(size)
            which = np.flatnonzero(mask)
            m.local["l"][at[which], which] = value.value(m)[which]
            return mask

        return [Stmt([f"l[({index.text}) % {size}u] = {value.text};"], run)]

    def store_out(self) -> list[Stmt]:
        value = self.expr(False, 2)

        def run(m, mask):
            m.out[mask] += value.value(m)[mask]
            return mask

        return [Stmt([f"out[g] += {value.text};"], run)]

    def barrier(self) -> list[Stmt]:
        """A barrier, after which each array may be used in a new way."""
        for array in self.arrays:
            array.mode = "free"
        choice = self.random.random()
        if choice < 0.8:
            return [Stmt(["__syncthreads();"], self.all_come)]
        test = self.condition(False)
        name, kind = self.random.choice(
            [("u", "count"), ("w", "and"), ("w", "or")]
        )
        # Arrays that the condition read become writable.
        for array in self.arrays:
            array.mode = "free"

        def run(m, mask):
            self.all_come(m, mask)
            holds = test.value(m)[mask]
            result = {
                "count": np.count_nonzero(holds),
                "and": int(holds.all()),
                "or": int(holds.any()),
            }[kind]
            m.set(name, m.fill(result), mask)
            return mask

        text = f"__syncthreads_{kind}({test.text})"
        if kind != "count":
            text = f"({text} != 0)"
        return [Stmt(["__syncthreads();", f"{name} = {text};"], run)]

    @staticmethod
    def all_come(m, mask):
        assert np.array_equal(mask, m.alive), "a barrier that some miss"
        return mask

    def use_shared(self) -> list[Stmt]:
        array = self.random.choice(self.arrays)
        lead = []
        if array.mode in ("unknown", "read") and self.uniform_now:
            lead = self.barrier()
        wanted = self.random.choice(["own", "own", *ATOMICS])
        key = self.random.choice([0, 1, 3, 64, 255])
        value = self.expr(False, 2)
        index = self.expr(False, 1)
        if array.mode == "free":
            array.mode, array.key = wanted, key
        name = array.name
        if array.mode == "own":
            key = array.key

            def run_own(m, mask):
                at = (m.vars["t"] ^ np.uint32(key))[mask]
                m.shared[name][at] += value.value(m)[mask]
                return mask

            text = f"{name}[t ^ {key}u] += {value.text};"
            return [*lead, Stmt([text], run_own)]
        if array.mode in ATOMICS:
            operation = array.mode

            def run_atomic(m, mask):
                at = index.value(m)[mask] & np.uint32(SIZE - 1)
                ATOMICS[operation].at(m.shared[name], at, value.value(m)[mask])
                return mask

            text = f"&{name}[({index.text}) & {SIZE - 1}u], {value.text}"
            return [*lead, Stmt([f"{operation}({text});"], run_atomic)]
        return lead

    def branch(self) -> list[Stmt]:
        uniform = self.uniform_now and self.random.random() < 0.5
        # Selects part of the block between two barriers: the bounds of a loop.
        step = self.uniform_now and not uniform and self.random.random() < 0.5
        test = self.bound() if step else self.condition(uniform)
        before = [array.mode for array in self.arrays]
        keys = [array.key for array in self.arrays]
        then = self.stores() if step else self.nested(uniform)
        after = [(array.mode, array.key) for array in self.arrays]
        other = []
        if not step and self.random.random() < 0.5:
            # The two branches of a divergent `if` share one barrier interval.
            if uniform:
                for array, mode, key in zip(
                    self.arrays, before, keys, strict=True
                ):
                    array.mode, array.key = mode, key
            other = self.nested(uniform)
        if uniform:
            for array, mode in zip(self.arrays, after, strict=True):
                if (array.mode, array.key) != mode or not other:
                    array.mode = "unknown"
        if not uniform and self.random.random() < 0.3:
            return self.joined(test, then, other)
        ends = step and self.random.random() < 0.7
        chosen = self.choice(test, then, other)
        return [chosen, *(self.barrier() if ends else [])]

    @staticmethod
    def choice(test: Expr, then: list[Stmt], other: list[Stmt]) -> Stmt:
        lines = [f"if ({test.text}) {{", *indent(then)]
        lines += ["} else {", *indent(other), "}"] if other else ["}"]
        run_then, run_other = sequence(then), sequence(other)

        def run(m, mask):
            holds = test.value(m)
            return run_then(m, mask & holds) | run_other(m, mask & ~holds)

        return Stmt(lines, run)

    def known(self, name: str, value: Expr) -> Stmt:
        """Assign a uniform value to the variable."""

        def run(m, mask):
            m.set(name, value.value(m), mask)
            return mask

        return Stmt([f"{name} = {value.text};"], run)

    def new(self, name: str) -> Stmt:
        """Declare the variable."""
        first = self.known(name, self.number())
        return Stmt([f"unsigned {first.lines[0]}"], first.run)

    def joined(
        self, test: Expr, then: list[Stmt], other: list[Stmt]
    ) -> list[Stmt]:
        """Divergent branches that assign different values to one variable."""
        self.serial += 1
        name = f"r{self.serial}"
        then = [*then, self.known(name, self.expr(True, 1))]
        chosen = self.choice(test, then, other)
        return [self.new(name), chosen, *self.use(name)]

    def use(self, name: str, behind: bool | None = None) -> list[Stmt]:
        """Use a variable, optionally after a barrier (random if None)."""
        to = self.random.choice("abc")

        def run(m, mask):
            m.set(to, m.vars[to] + m.vars[name], mask)
            return mask

        if behind is None:
            behind = self.uniform_now and self.random.random() < 0.6
        lead = self.barrier() if behind else []
        return [*lead, Stmt([f"{to} += {name};"], run)]

    def stores(self) -> list[Stmt]:
        keep, self.uniform_now = self.uniform_now, False
        kinds = [self.use_shared, self.store_out, self.store_local]
        body = self.random.choice(kinds)() + self.store_out()
        self.uniform_now = keep
        return body

    def nested(self, uniform: bool, loop: bool | None = None) -> list[Stmt]:
        keep = (self.uniform_now, self.in_loop)
        self.uniform_now = self.uniform_now and uniform
        if loop is not None:
            self.in_loop = loop
        self.depth += 1
        body = []
        for _ in range(self.random.randrange(1, 4)):
            body += self.statement()
        self.depth -= 1
        self.uniform_now, self.in_loop = keep
        return body

    def loop(self) -> list[Stmt]:
        uniform = self.uniform_now and self.random.random() < 0.6
        stride = not uniform and self.random.random() < 0.5
        first = self.expr(True, 1)
        index = self.random.choice(["threadIdx.x", "threadIdx.y"])
        step = self.random.choice([1, 4, 16, 33]) if stride else 1
        bound = self.expr(uniform or stride, 2)
        most = self.random.choice([1, 3, 7]) * (8 * step if stride else 1)
        # The range of some indices starts below 2^32 and wraps around.
        far = stride and self.random.random() < 0.2
        low = -self.random.randrange(1, 32) % (1 << 32) if far else 0
        self.serial += 1
        name, limit = f"i{self.serial}", f"e{self.serial}"
        names = self.uniform if uniform else self.differing
        for array in self.arrays if uniform else []:
            array.mode = "unknown"
        names.append(name)
        # Both `break` and `continue` would make a uniform loop divergent.
        body = self.nested(uniform, not uniform)
        rounds = ""
        if not uniform and self.random.random() < 0.4:
            rounds = self.count_rounds(body)
        names.remove(name)
        for array in self.arrays if uniform else []:
            array.mode = "unknown"
        run_body = sequence(body)

        def run(m, mask):
            last = bound.value(m) & np.uint32(most)
            start = m.fill(0)
            if stride:
                start = m.vars[index] + (first.value(m) & np.uint32(15))
                start = start + np.uint32(low)
            m.set(name, start, mask)
            exits = np.zeros_like(mask)
            while True:
                more = m.vars[name] < last
                exits |= mask & ~more
                mask = mask & more
                if not mask.any():
                    return exits
                m.loops.append([np.zeros_like(mask), np.zeros_like(mask)])
                mask = run_body(m, mask)
                broken, continued = m.loops.pop()
                mask = mask | continued
                exits |= broken
                m.set(name, m.vars[name] + np.uint32(step), mask)

        start = "0"
        if stride:
            start = f"(({first.text}) & 15u) + {index} + {low}u"
        head = f"for (unsigned {name} = {start}; {name} < {limit};"
        lines = [f"{head} {name} += {step}u) {{", *indent(body), "}"]
        lines = [f"unsigned {limit} = ({bound.text}) & {most}u;", *lines]
        if not rounds:
            return [Stmt(lines, run)]
        return [self.new(rounds), Stmt(lines, run), *self.use(rounds)]

    def count_rounds(self, body: list[Stmt]) -> str:
        """A variable that is uniform in each iteration of a loop."""
        self.serial += 1
        name, term = f"r{self.serial}", self.variable(True)

        def next_one(m):
            return m.vars[name] * np.uint32(3) + term.value(m)

        text = f"{name} * 3u + {term.text}"
        body.insert(0, self.known(name, Expr(text, next_one)))
        return name

    def leave_loop(self) -> list[Stmt]:
        test = self.condition(False)
        which = self.random.randrange(2)

        def run(m, mask):
            holds = test.value(m) & mask
            m.loops[-1][which] |= holds
            return mask & ~holds

        word = ["break", "continue"][which]
        return [Stmt([f"if ({test.text}) {word};"], run)]

    def leave_kernel(self) -> list[Stmt]:
        uniform = self.random.random() < 0.3
        test = self.condition(uniform)
        self.returned = True

        def run(m, mask):
            holds = test.value(m) & mask
            m.alive &= ~holds
            return mask & ~holds

        return [Stmt([f"if ({test.text}) return;"], run)]

    def warp(self) -> list[Stmt]:
        """A vote or a shuffle by all lanes that exist."""
        value = self.expr(False, 2)
        name = self.random.choice("abc")
        full = self.block[0] * self.block[1] * self.block[2] % 32 == 0
        kind = self.random.choice(["ballot", "any", "xor", "idx", "down"])
        if kind not in ("ballot", "any") and not full:
            kind = "ballot"
        lanes = self.random.choice([1, 2, 4, 8, 16])
        text = {
            "ballot": f"__ballot_sync(lanes, {value.text} & 1u)",
            "any": f"(unsigned)(__any_sync(lanes, {value.text} & 1u) != 0)",
            "xor": f"__shfl_xor_sync(lanes, {value.text}, {lanes})",
            "idx": f"__shfl_sync(lanes, {value.text}, {lanes})",
            "down": f"__shfl_down_sync(lanes, {value.text}, {lanes})",
        }[kind]

        def exchange(values, t):
            lane = t % 32
            if kind == "xor":
                return values[t ^ lanes]
            if kind == "idx":
                return values[t - lane + lanes]
            if kind == "down":
                return values[np.where(lane + lanes < 32, t + lanes, t)]
            bits = np.zeros(t.size // 32 + 1, np.uint64)
            set_bits = (values & 1).astype(np.uint64) << lane.astype(np.uint64)
            np.bitwise_or.at(bits, t // 32, set_bits)
            word = bits[t // 32].astype(np.uint32)
            return word if kind == "ballot" else u32(word != 0)

        def run(m, mask):
            self.all_come(m, mask)
            result = exchange(value.value(m), np.arange(m.threads))
            m.set(name, result, mask)
            return mask

        return [Stmt([f"{name} = {text};"], run)]

    def statement(self) -> list[Stmt]:
        if self.uniform_now and self.depth < 2 and self.random.random() < 0.25:
            return self.shape()
        choices = [self.assign] * 4 + [self.store_local, self.store_out]
        choices += [self.use_shared] * 3
        if self.uniform_now:
            choices += [self.barrier] * 3
            if self.warps and not self.returned and not self.early:
                choices += [self.warp] * 2
            if self.early and self.depth < 2:
                choices.append(self.leave_kernel)
        if self.in_loop:
            choices.append(self.leave_loop)
        if self.depth < 3:
            choices += [self.branch] * 2 + [self.loop] * 2 + [self.sum_up]
            choices += [self.search] * 2
        return self.random.choice(choices)()

    def private_memory(self) -> str:
        return f"unsigned l[{self.local_size}];"

    def start(self) -> list[Stmt]:
        names = [array.name for array in self.arrays]
        size = self.local_size

        def run(m, mask):
            for k, name in enumerate(names):
                m.shared[name] = np.arange(SIZE, dtype=np.uint32) * 3 + k
            m.local["l"] = np.tile(
                np.arange(size, dtype=np.uint32)[:, None], m.threads
            )
            t = m.vars["t"]
            m.vars.update(a=t * 7, b=m.data[t & 255], c=t ^ 21)
            m.vars.update(u=m.fill(self.p), w=m.fill(1))
            m.vars["f"] = t.astype(np.float32)
            return mask

        first, step = ("t", "n")
        if self.first_leaves:  # thread 0 stays if any thread does
            first, step = (f"t ? {SIZE} : 0", "1")
        lines = [
            f"for (unsigned k = {first}; k < {SIZE}; k += {step}) "
            f"{name}[k] = k * 3 + {k};"
            for k, name in enumerate(names)
        ]
        if self.late_memory:
            lines.append(self.private_memory())
        lines += [
            f"for (unsigned k = 0; k < {size}; ++k) l[k] = k;",
            "__syncthreads();",
        ]
        return [Stmt(lines, run)]

    def finish(self) -> list[Stmt]:
        reads = "".join(f" + {array.name}[t]" for array in self.arrays)

        def run(m, mask):
            t, v = m.vars["t"], m.vars
            total = v["a"] + v["b"] * 3 + v["c"] * 5 + v["u"] * 7 + v["w"]
            for array in self.arrays:
                total = total + m.shared[array.name][t]
            total = total + v["f"].view(np.uint32) + m.local["l"][3]
            m.out[mask] += total[mask]
            return mask

        text = "out[g] += a + b * 3 + c * 5 + u * 7 + w"
        text += f" + __float_as_uint(f) + l[3]{reads};"
        return [Stmt(["__syncthreads();", text], run)]

    # ---- the kernel ----

    def whole_text(self) -> list[str]:
        shared = [
            f"    __shared__ unsigned {array.name}[{SIZE}];"
            for array in self.arrays
        ]
        return [
            f"__global__ void {self.name}(unsigned *out, const unsigned *in,",
            "    unsigned p, unsigned q)",
            "{",
            *shared,
            "    unsigned n = blockDim.x * blockDim.y * blockDim.z;",
            "    unsigned t = threadIdx.x + blockDim.x * (threadIdx.y",
            "        + blockDim.y * threadIdx.z);",
            "    unsigned g = blockIdx.x * n + t, u = p, w = 1;",
            "    unsigned a = t * 7, b = in[t & 255u], c = t ^ 21u;",
            "    unsigned left = n - t / 32 * 32;",
            "    unsigned lanes = left >= 32 ? ~0u : (1u << left) - 1;",
            *([] if self.late_memory else ["    " + self.private_memory()]),
            "    float f = (float)t;",
            *indent(self.body),
            "}",
        ]

    def outputs(self) -> int:
        """Return the number of values that the launch writes."""
        return int(np.prod(self.block)) * self.grid[0]

    def run(self, data: np.ndarray) -> np.ndarray:
        """Return the expected contents of `out`, which starts as zeros."""
        outs = []
        for ctaid in range(self.grid[0]):
            machine = Machine(self, (ctaid, 0, 0), data)
            with np.errstate(over="ignore"):
                sequence(self.body)(machine, machine.alive.copy())
            outs.append(machine.out)
        return np.concatenate(outs)
