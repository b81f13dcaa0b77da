"""Random kernels with many warp operations, and an interpreter.

Beyond the features of `kernel_generator`, they have all shuffles, votes,
matches and reductions, also where only some warps of a block take part, in
loops and branches that are uniform over a warp; values that warps share
through shared memory; masks that are constant, uniform, or different for each
half of a warp.
"""

from collections.abc import Callable

import numpy as np
from kernel_generator import Generator
from kernel_machine import Expr, Machine, Stmt, indent, sequence

WARP = 32


def lanes_of(threads: int) -> np.ndarray:
    return np.arange(threads) % WARP


def source_of(kind: str, lane, by, width: int):
    """Return the lane from which each lane reads, by CUDA's guide."""
    first = lane // width * width
    if kind == "idx":
        return first + by % width
    if kind == "up":
        far = lane - by
        return np.where(far >= first, far, lane)
    if kind == "down":
        far = lane + by
        return np.where(far < first + width, far, lane)
    far = lane ^ by
    return np.where(far < first + width, far, lane)


def shuffled(values, kind: str, by, width: int):
    """Return each thread's result; lanes that do not exist supply nothing."""
    t = np.arange(values.size)
    lane = t % WARP
    at = t - lane + source_of(kind, lane, by, width)
    return values[np.where(at < values.size, at, t)]


def ballot(holds) -> np.ndarray:
    words = np.zeros(holds.size // WARP + 1, np.uint64)
    t = np.arange(holds.size)
    bits = holds.astype(np.uint64) << (t % WARP).astype(np.uint64)
    np.bitwise_or.at(words, t // WARP, bits)
    return words[t // WARP].astype(np.uint32)


REDUCTIONS: dict[str, tuple[str, type, Callable]] = {
    "add": ("unsigned", np.uint32, lambda x: x.sum(dtype=np.uint32)),
    "min": ("unsigned", np.uint32, np.min),
    "max": ("unsigned", np.uint32, np.max),
    "and": ("unsigned", np.uint32, np.bitwise_and.reduce),
    "or": ("unsigned", np.uint32, np.bitwise_or.reduce),
    "xor": ("unsigned", np.uint32, np.bitwise_xor.reduce),
    "min int": ("int", np.int32, np.min),
    "max int": ("int", np.int32, np.max),
}


def by_group(values, size: int, function: Callable) -> np.ndarray:
    """Apply `function` to groups of `size` threads, for all threads."""
    result = np.empty(values.size, values.dtype)
    for first in range(0, values.size, size):
        part = slice(first, first + size)
        result[part] = function(values[part])
    return result


def matches(values) -> np.ndarray:
    result = np.zeros(values.size, np.uint32)
    for first in range(0, values.size, WARP):
        part = values[first : first + WARP]
        same = part[:, None] == part[None, :]
        bits = np.uint64(1) << np.arange(part.size, dtype=np.uint64)
        result[first : first + WARP] = (same * bits).sum(1)
    return result


class WarpGenerator(Generator):
    """Generates one kernel, with the interface of `Generator`."""

    blocks = (
        [(32, 1, 1), (64, 1, 1), (96, 1, 1), (128, 1, 1), (256, 1, 1)] * 3
        + [(32, 4, 1), (64, 2, 2), (32, 1, 3)] * 2
        + [(40, 1, 1), (100, 1, 1), (16, 8, 1), (8, 4, 2)]
    )  # fmt: skip

    def __post_init__(self) -> None:
        # True if control flow is uniform over each warp here.
        self.warps_now = True
        super().__post_init__()

    # ---- operations ----

    def whole(self) -> bool:
        return int(np.prod(self.block)) % WARP == 0

    def mask(self) -> str:
        """Return a mask of all lanes that exist."""
        if self.whole() and self.random.random() < 0.8:
            return "0xffffffffu"
        return "lanes"

    def set_to(self, text: str, result: Callable[[Machine], np.ndarray]):
        name = self.random.choice("abc")

        def run(m, mask):
            warps = np.unique(np.flatnonzero(mask) // WARP)
            full = np.isin(np.arange(m.threads) // WARP, warps)
            assert np.array_equal(mask, full & m.alive), "parts of warps"
            m.set(name, result(m).astype(np.uint32), mask)
            return mask

        return [Stmt([f"{name} = {text};"], run)]

    def lane_number(self) -> tuple[str, Callable]:
        """Return a shuffle's distance or source below 32, constant or not."""
        choice = self.random.random()
        number = self.random.choice([0, 1, 2, 3, 4, 7, 8, 16, 21, 31])
        if choice < 0.6:
            return str(number), lambda m: number
        value = self.expr(choice < 0.75 and self.uniform_now, 1)
        return (
            f"(({value.text}) & 31u)",
            lambda m: value.value(m).astype(np.int64) & 31,
        )

    def shuffle(self) -> list[Stmt]:
        kind = self.random.choice(["idx", "up", "down", "xor"])
        width = self.random.choice([32, 32, 32, 16, 8]) if self.whole() else 32
        if not self.whole():  # the source lane's value must exist
            kind = self.random.choice(["up", "down"])
        by_text, by = self.lane_number()
        name = "__shfl_" + ("" if kind == "idx" else kind + "_") + "sync"
        value = self.expr(False, 2)
        rest = f", {width})" if width < 32 else ")"
        form = self.random.random()
        mask = self.mask()
        if not self.whole() and kind == "down":
            return self.vote()
        if form < 0.2:
            text = f"__float_as_uint({name}({mask}, f, {by_text}{rest})"
            return self.set_to(
                text,
                lambda m: shuffled(
                    m.vars["f"].view(np.uint32), kind, by(m), width
                ),
            )
        if form < 0.4:
            wide = f"(unsigned long long)({value.text}) << 32 | a"
            shift, name32 = self.random.choice([(32, None), (0, "a")])
            text = f"(unsigned)({name}({mask}, {wide}, {by_text}{rest}"
            return self.set_to(
                f"{text} >> {shift})",
                lambda m: shuffled(
                    m.vars[name32] if name32 else value.value(m),
                    kind,
                    by(m),
                    width,
                ),
            )
        return self.set_to(
            f"{name}({mask}, {value.text}, {by_text}{rest}",
            lambda m: shuffled(value.value(m), kind, by(m), width),
        )

    def vote(self) -> list[Stmt]:
        test = self.condition(False)
        kind = self.random.choice(["ballot", "any", "all"])
        full = ballot
        text = f"(unsigned)(__{kind}_sync({self.mask()}, {test.text}))"
        if kind == "ballot":
            return self.set_to(text, lambda m: full(test.value(m)))
        if kind == "any":
            return self.set_to(
                f"({text} != 0)", lambda m: full(test.value(m)) != 0
            )
        return self.set_to(
            f"({text} != 0)", lambda m: full(~test.value(m)) == 0
        )

    def reduce(self) -> list[Stmt]:
        kind = self.random.choice(list(REDUCTIONS))
        of, dtype, function = REDUCTIONS[kind]
        value = self.expr(False, 2)
        name = f"__reduce_{kind.split()[0]}_sync"
        return self.set_to(
            f"(unsigned){name}({self.mask()}, ({of})({value.text}))",
            lambda m: by_group(
                value.value(m).view(dtype), WARP, function
            ).view(np.uint32),
        )

    def match(self) -> list[Stmt]:
        value = self.expr(False, 2)
        return self.set_to(
            f"__match_any_sync({self.mask()}, ({value.text}) & 3u)",
            lambda m: matches(value.value(m) & np.uint32(3)),
        )

    def half(self) -> list[Stmt]:
        """Operations within each half of a warp."""
        if not self.whole():
            return self.vote()
        value, test = self.expr(False, 2), self.condition(False)
        by = self.random.choice([1, 2, 4, 8])
        mask = "(0xffffu << (t & 16u))"
        if self.random.random() < 0.5:
            return self.set_to(
                f"__shfl_xor_sync({mask}, {value.text}, {by}, 16)",
                lambda m: shuffled(value.value(m), "xor", by, 16),
            )
        return self.set_to(
            f"__ballot_sync({mask}, {test.text})",
            lambda m: (
                ballot(test.value(m))
                & np.where(
                    lanes_of(m.threads) < 16,
                    np.uint32(0xFFFF),
                    np.uint32(0xFFFF0000),
                )
            ),
        )

    def exchange(self) -> list[Stmt]:
        """Lanes read values that other lanes of their warp stored."""
        by = self.random.choice([1, 2, 5, 16, 31])
        value = self.expr(False, 2)
        name = self.random.choice("abc")
        mask = self.mask()

        def run(m, mask):
            t = np.arange(m.threads)
            at = t ^ by
            there = at < m.threads
            stored = value.value(m)
            result = np.where(there, stored[np.where(there, at, t)], t)
            m.set(name, result.astype(np.uint32), mask)
            return mask

        return [
            Stmt(
                [
                    f"sw[t] = {value.text};",
                    f"__syncwarp({mask});",
                    f"{name} = (t ^ {by}u) < n ? sw[t ^ {by}u] : t;",
                    f"__syncwarp({mask});",
                ],
                run,
            )
        ]

    def pack(self) -> list[Stmt]:
        """Compact the values of selected lanes by a vote."""
        test, value = self.condition(False), self.expr(False, 2)
        name, mask = self.random.choice("abc"), self.mask()
        self.serial += 1
        voters = f"kept{self.serial}"

        def run(m, mask):
            holds, values = test.value(m), value.value(m)
            result = np.zeros(m.threads, np.uint32)
            for first in range(0, m.threads, WARP):
                part = slice(first, first + WARP)
                packed = values[part][holds[part]]
                result[first : first + packed.size] = packed
            m.set(name, result, mask)
            return mask

        return [
            Stmt(
                [
                    f"unsigned {voters} = __ballot_sync({mask}, {test.text});",
                    f"if ({voters} >> t % 32 & 1) sw[t / 32 * 32 + "
                    f"__popc({voters} & ((1u << t % 32) - 1))] = "
                    f"{value.text};",
                    f"__syncwarp({mask});",
                    f"{name} = t % 32 < __popc({voters}) ? sw[t] : 0;",
                    f"__syncwarp({mask});",
                ],
                run,
            )
        ]

    def lead(self) -> list[Stmt]:
        """One lane updates its warp's counter and broadcasts the result."""
        lane = 0 if not self.whole() else self.random.choice([0, 5, 31])
        value = self.expr(False, 2)
        name = self.random.choice("abc")
        self.serial += 1
        old = f"old{self.serial}"

        def run(m, mask):
            counts = m.shared.setdefault("sc", np.zeros(WARP, np.uint32))
            values, result = value.value(m), m.fill(0)
            for warp in np.unique(np.flatnonzero(mask) // WARP):
                result[warp * WARP : (warp + 1) * WARP] = counts[warp]
                counts[warp] += values[warp * WARP + lane]
            m.set(name, result, mask)
            return mask

        return [
            Stmt(
                [
                    f"unsigned {old} = 0;",
                    f"if (t % 32 == {lane}) {old} = "
                    f"atomicAdd(&sc[t / 32], {value.text});",
                    f"{name} = __shfl_sync({self.mask()}, {old}, {lane});",
                ],
                run,
            )
        ]

    # ---- control flow ----

    def warp_condition(self) -> Expr:
        """A condition that is uniform over each warp."""
        choice = self.random.random()
        number = self.random.randrange(4)
        by_lane = self.warp_test()
        if choice < 0.3:
            return Expr(
                f"(t / 32 == {number})",
                lambda m: m.vars["t"] // WARP == number,
            )
        if choice < 0.5:
            return Expr(
                f"(t < {32 * number}u)", lambda m: m.vars["t"] < WARP * number
            )
        if choice < 0.6:
            return Expr(
                "((t & ~31u) != 32u)",
                lambda m: m.vars["t"] // WARP != 1,
            )
        return by_lane

    def warp_test(self) -> Expr:
        test = self.condition(False)
        return Expr(
            f"(__ballot_sync(lanes, {test.text}) & 0x10101u)",
            lambda m: (ballot(test.value(m)) & np.uint32(0x10101)) != 0,
        )

    def inside(self) -> list[Stmt]:
        """Statements that only some warps run."""
        keep = (self.uniform_now, self.in_loop)
        self.uniform_now = self.in_loop = False
        self.depth += 1
        body = []
        for _ in range(self.random.randrange(1, 4)):
            body += self.statement()
        self.depth -= 1
        self.uniform_now, self.in_loop = keep
        return body

    def warp_branch(self) -> list[Stmt]:
        test = self.warp_condition()
        then = self.inside()
        other = self.inside() if self.random.random() < 0.4 else []
        lines = [f"if ({test.text}) {{", *indent(then)]
        lines += ["} else {", *indent(other), "}"] if other else ["}"]
        run_then, run_other = sequence(then), sequence(other)

        def run(m, mask):
            holds = test.value(m)
            return run_then(m, mask & holds) | run_other(m, mask & ~holds)

        return [Stmt(lines, run)]

    def warp_loop(self) -> list[Stmt]:
        """A loop with a constant or warp-dependent trip count."""
        self.serial += 1
        name = f"r{self.serial}"
        fixed = self.random.random() < 0.5
        most = self.random.choice([2, 3, 5])
        self.differing.append(name)
        body = self.inside()
        self.differing.remove(name)
        run_body = sequence(body)
        limit = str(most) if fixed else f"(t / 32) % {most}u"

        def run(m, mask):
            rounds = m.vars["t"] // WARP % most if not fixed else m.fill(most)
            for i in range(most):
                m.set(name, m.fill(i), mask)
                going = mask & (i < rounds)
                if going.any():
                    run_body(m, going)
            m.set(name, rounds.astype(np.uint32), mask)
            return mask

        head = f"for (unsigned {name} = 0; {name} < {limit}; ++{name}) {{"
        return [Stmt([head, *indent(body), "}"], run)]

    def nested(self, uniform: bool, loop: bool | None = None) -> list[Stmt]:
        keep = self.warps_now
        self.warps_now = self.warps_now and uniform
        body = super().nested(uniform, loop)
        self.warps_now = keep
        return body

    def stores(self) -> list[Stmt]:
        keep, self.warps_now = self.warps_now, False
        body = super().stores()
        self.warps_now = keep
        return body

    def leave_first(self) -> list[Stmt]:
        self.warps = self.early = False
        return []

    def statement(self) -> list[Stmt]:
        if not self.warps_now or self.random.random() < 0.45:
            return super().statement()
        choices = [self.shuffle] * 5 + [self.vote] * 2
        choices += [self.reduce, self.match, self.half, self.exchange]
        choices += [self.pack, self.lead]
        if self.depth < 3:
            choices += [self.warp_branch] * 3 + [self.warp_loop] * 2
        return self.random.choice(choices)()

    def whole_text(self) -> list[str]:
        lines = super().whole_text()
        at = lines.index("{") + 1
        shared = [
            "    __shared__ unsigned sw[256], sc[32];",
            "    if (threadIdx.x + threadIdx.y + threadIdx.z == 0)",
            "        for (int k = 0; k < 32; ++k) sc[k] = 0;",
        ]
        return [*lines[:at], *shared, *lines[at:]]
