"""Random modules in PTX, for test_random_modules.

A module has the kernel ``k``, whose parameters are the addresses of the output
and of random words, and up to three device functions.  Statements without a
defined result do not occur: each thread writes to words of its own, barriers
separate the accesses to shared memory, divisors are not zero, and the bits of
a NaN are not observed.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import random
from collections.abc import Callable

WORDS = 64  # of the output of each thread: 32 integers, then 32 floats
INPUT = 256  # words
HEAD = ".version 7.8\n.target sm_80\n.address_size 64\n"
REGISTERS = {"b32": "%r", "b64": "%d", "b16": "%h", "f32": "%f", "f64": "%e",
             "pred": "%p"}  # fmt: skip
COUNTS = {"b32": 8, "b64": 4, "b16": 3, "f32": 5, "f64": 3, "pred": 5}
FLOAT_WORDS = [0x3F800000, 0xBFC00000, 0x40490FDB, 0, 0x80000000, 0x7F800000,
               0xFF800000, 0x7FC00000, 1, 0x807FFFFF, 0x7F7FFFFF, 0x4F000000,
               0xCF800000, 0x34000000]  # fmt: skip
INTEGER_COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
FLOAT_COMPARISONS = [*INTEGER_COMPARISONS, "equ", "neu", "ltu", "leu", "gtu",
                     "geu", "num", "nan"]  # fmt: skip


def in_byte(operand: str) -> str:
    """Return a register, or a constant cut off to the 8 bits ptxas allows."""
    return operand if operand[0] == "%" else str(int(operand) & 255)


def in_word(operand: str) -> str:
    """Return a register, or a constant cut off to 6 bits.

    ptxas of CUDA 13.0 drops a shift of a product by 64 bits or more.
    """
    return operand if operand[0] == "%" else str(int(operand) & 63)


class Maker:
    """The statements of one function."""

    def __init__(self, draw: random.Random, module: Module, is_kernel: bool):
        self.draw = draw
        self.module = module
        self.is_kernel = is_kernel
        self.lines: list[str] = []
        self.counters = 0
        self.budget = draw.randint(12, 40) if is_kernel else 10

    def emit(self, text: str) -> None:
        self.lines.append("    " + text)

    def pick(self, kind: str) -> str:
        """Return a random register."""
        return f"{REGISTERS[kind]}{self.draw.randrange(COUNTS[kind])}"

    def source(self, kind: str) -> str:
        """Return a register or a constant."""
        if self.draw.random() < 0.8:
            return self.pick(kind)
        if kind == "f32":
            return f"0f{self.draw.choice(FLOAT_WORDS):08X}"
        if kind == "f64":
            return f"0d{self.draw.getrandbits(64) & ~(1 << 62):016X}"
        bits = int(kind[1:])
        small = self.draw.choice([0, 1, -1, 7, 31, 33, 255, 1 << (bits - 2)])
        return str(
            small
            if self.draw.random() < 0.7
            else self.draw.getrandbits(bits - 1)
        )

    def guard(self) -> str:
        """Return a predicate for some statements."""
        if self.draw.random() < 0.8:
            return ""
        return f"@{self.draw.choice(['', '!'])}{self.pick('pred')} "

    def label(self) -> str:
        return self.module.name("L")

    # ---- one statement ----

    def integer(self) -> None:
        bits = self.draw.choice([32, 32, 32, 64, 16])
        kind = f"b{bits}"
        typed = self.draw.choice("us") + str(bits)
        a, b, c = (self.source(kind) for _ in range(3))
        operations = [
            f"add.{typed} ~, {a}, {b}", f"sub.{typed} ~, {a}, {b}",
            f"mul.lo.{typed} ~, {a}, {b}", f"mul.hi.{typed} ~, {a}, {b}",
            f"mad.lo.{typed} ~, {a}, {b}, {c}",
            f"mad.hi.{typed} ~, {a}, {b}, {c}",
            f"min.{typed} ~, {a}, {b}", f"max.{typed} ~, {a}, {b}",
            f"and.{kind} ~, {a}, {b}", f"or.{kind} ~, {a}, {b}",
            f"xor.{kind} ~, {a}, {b}", f"not.{kind} ~, {a}",
            f"cnot.{kind} ~, {a}",
            f"shl.{kind} ~, {a}, {in_word(self.source('b32'))}",
            f"shr.{typed} ~, {a}, {self.source('b32')}",
            f"sad.{typed} ~, {a}, {b}, {c}",
            f"selp.{kind} ~, {a}, {b}, {self.pick('pred')}",
            f"abs.s{bits} ~, {a}", f"neg.s{bits} ~, {a}",
        ]  # fmt: skip
        if bits == 32:
            operations += [f"add.sat.s32 ~, {a}, {b}",
                           f"sub.sat.s32 ~, {a}, {b}"]  # fmt: skip
        self.emit(
            self.guard()
            + self.draw.choice(operations).replace("~", self.pick(kind))
            + ";"
        )

    def bits(self) -> None:
        a, b, c = (self.source("b32") for _ in range(3))
        target = self.pick("b32")
        d = self.source("b64")
        position, length = in_byte(b), in_byte(c)
        draw = self.draw
        modes = ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"]
        kinds = ["u32", "s32"]
        # ptxas of CUDA 13.0 replaces bfe.s32 by -1 if it knows that the
        # position is 32 or more.
        self.emit(f"and.b32 %q32, {b}, 31;")
        text = draw.choice(
            [
                f"popc.b32 ~, {a}", f"clz.b32 ~, {a}", f"brev.b32 ~, {a}",
                f"popc.b64 ~, {d}", f"clz.b64 ~, {d}",
                f"bfind.{draw.choice(kinds)} ~, {a}",
                f"bfind.shiftamt.u32 ~, {a}",
                f"bfe.{draw.choice(kinds)} ~, {a}, %q32, {length}",
                f"bfi.b32 ~, {a}, {b}, {self.pick('b32')}, {length}",
                f"prmt.b32{draw.choice(modes)} ~, {a}, {b}, {c}",
                f"lop3.b32 ~, {a}, {b}, {c}, {draw.randrange(256)}",
                f"shf.{draw.choice(['l', 'r'])}."
                f"{draw.choice(['wrap', 'clamp'])}.b32 ~, {a}, {b}, {c}",
                f"dp4a.{draw.choice(kinds)}.{draw.choice(kinds)} ~, {a}, {b},"
                f" {c}",
                f"slct.b32.s32 ~, {a}, {b}, {c}",
                f"slct.u32.f32 ~, {a}, {b}, {self.pick('f32')}",
            ]
        )  # fmt: skip
        self.emit(f"{self.guard()}{text.replace('~', target)};")
        if draw.random() < 0.3:
            target, e = self.pick("b64"), self.source("b64")
            text = draw.choice(
                [
                    f"brev.b64 ~, {d}",
                    f"bfe.s64 ~, {d}, {in_byte(a)}, {position}",
                    f"bfe.u64 ~, {d}, {in_byte(a)}, {position}",
                    f"bfi.b64 ~, {d}, {e}, {in_byte(a)}, {position}",
                    f"mul.wide.u32 ~, {a}, {b}", f"mul.wide.s32 ~, {a}, {b}",
                    f"mad.wide.s32 ~, {a}, {b}, {d}",
                    f"mad.wide.u32 ~, {a}, {b}, {d}",
                ]
            )  # fmt: skip
            self.emit(f"{self.guard()}{text.replace('~', target)};")

    def division(self) -> None:
        bits = self.draw.choice([32, 64])
        temporary = f"%q{bits}"
        kind = self.draw.choice("us") + str(bits)
        self.emit(f"and.b{bits} {temporary}, {self.pick(f'b{bits}')}, 32767;")
        self.emit(f"or.b{bits} {temporary}, {temporary}, 1;")
        self.emit(
            f"{self.guard()}{self.draw.choice(['div', 'rem'])}.{kind}"
            f" {self.pick(f'b{bits}')}, {self.source(f'b{bits}')},"
            f" {temporary};"
        )

    def carry_chain(self) -> None:
        name = self.draw.choice(["add", "sub", "mad"])
        for i in range(self.draw.randint(2, 4)):
            carry = "c" if i else ""
            a, b, c = (self.source("b32") for _ in range(3))
            half = self.draw.choice([".lo", ".hi"]) if name == "mad" else ""
            third = f", {c}" if name == "mad" else ""
            self.emit(
                f"{name}{carry}{half}.cc.u32 {self.pick('b32')}, {a},"
                f" {b}{third};"
            )

    def float_operation(self) -> None:
        kind = self.draw.choice(["f32", "f32", "f64"])
        a, b, c = (self.source(kind) for _ in range(3))
        draw = self.draw
        mode = draw.choice(["rn", "rn", "rn", "rz", "rm", "rp"])
        extra = ""
        if kind == "f32":
            extra = draw.choice(["", "", ".ftz", ".sat", ".ftz.sat"])
        ftz = ".ftz" if ".ftz" in extra else ""
        if kind == "f64":
            mode = "rn"
        operations = [
            f"add.{mode}{extra}.{kind} ~, {a}, {b}",
            f"sub.{mode}{extra}.{kind} ~, {a}, {b}",
            f"mul.{mode}{extra}.{kind} ~, {a}, {b}",
            f"fma.{mode}{extra}.{kind} ~, {a}, {b}, {c}",
            f"div.rn{ftz}.{kind} ~, {a}, {b}",
            f"rcp.rn{ftz}.{kind} ~, {a}",
            f"sqrt.rn{ftz}.{kind} ~, {a}",
            f"min{ftz}.{kind} ~, {a}, {b}", f"max{ftz}.{kind} ~, {a}, {b}",
            f"abs{ftz}.{kind} ~, {a}", f"neg{ftz}.{kind} ~, {a}",
            f"selp.{kind} ~, {a}, {b}, {self.pick('pred')}",
            f"slct.{kind}.s32 ~, {a}, {b}, {self.pick('b32')}",
        ]  # fmt: skip
        if kind == "f32":
            operations += [f"min.NaN.f32 ~, {a}, {b}",
                           f"max.NaN.f32 ~, {a}, {b}"]  # fmt: skip
        text = draw.choice(operations).replace("~", self.pick(kind))
        self.emit(f"{self.guard()}{text};")

    def conversion(self) -> None:
        draw, pick = self.draw, self.pick
        integer = draw.choice(["u32", "s32", "u64", "s64", "u16", "s16"])
        other = draw.choice(["u32", "s32", "u64", "s64", "u16", "s16"])
        real = draw.choice(["f32", "f64"])
        mode = draw.choice("nzmp")

        def of(kind: str) -> str:
            return pick("b" + kind[1:])

        # .sat is an error where each value of the source fits
        wider = int(integer[1:]) > int(other[1:])
        fits = integer == other or (wider and integer[0] + other[0] != "us")
        clamp = "" if fits else ".sat"
        texts = [
            f"cvt.{integer}.{other} {of(integer)}, {of(other)}",
            f"cvt{clamp}.{integer}.{other} {of(integer)}, {of(other)}",
            f"cvt.s32.s8 {pick('b32')}, {pick('b32')}",
            f"cvt.u32.u8 {pick('b32')}, {pick('b16')}",
            f"cvt.s64.s8 {pick('b64')}, {pick('b32')}",
            f"cvt.u64.u8 {pick('b64')}, {pick('b64')}",
            f"cvt.r{mode}.{real}.{integer} {pick(real)}, {of(integer)}",
            f"cvt.r{mode}i.{integer}.{real} {of(integer)}, {pick(real)}",
            f"cvt.r{mode}i.{real}.{real} {pick(real)}, {pick(real)}",
            f"cvt.rn.f32.f64 {pick('f32')}, {pick('f64')}",
            f"cvt.f64.f32 {pick('f64')}, {pick('f32')}",
            f"cvt.r{mode}.f32.f64 {pick('f32')}, {pick('f64')}",
            f"cvt.rzi.ftz.s32.f32 {pick('b32')}, {pick('f32')}",
        ]
        self.emit(f"{self.guard()}{draw.choice(texts)};")

    def through_half(self) -> None:
        mode = self.draw.choice(["rn", "rz"])
        self.emit(f"cvt.{mode}.f16.f32 %half, {self.pick('f32')};")
        self.emit(f"cvt.f32.f16 {self.pick('f32')}, %half;")

    def float_bits(self) -> None:
        """Move the bits of a float that is no NaN to an integer, or back."""
        if self.draw.random() < 0.4:
            self.emit(f"mov.b32 {self.pick('f32')}, {self.pick('b32')};")
            return
        self.emit(f"mov.f32 %canonical, {self.pick('f32')};")
        self.emit("setp.nan.f32 %is_nan, %canonical, %canonical;")
        self.emit("@%is_nan mov.f32 %canonical, 0f3F800000;")
        self.emit(f"mov.b32 {self.pick('b32')}, %canonical;")

    def packed(self) -> None:
        pick = self.pick
        one, two = self.draw.sample(range(COUNTS["b32"]), 2)
        self.emit(
            self.draw.choice(
                [
                    f"mov.b64 {pick('b64')}, {{%r{one}, %r{two}}};",
                    f"mov.b64 {{%r{one}, %r{two}}}, {pick('b64')};",
                    f"mov.b32 {pick('b32')}, {{%h0, {pick('b16')}}};",
                    f"mov.b32 {{%h0, %h1}}, {pick('b32')};",
                    f"mov.b32 {pick('b32')}, {self.source('b32')};",
                    f"mov.b64 {pick('b64')}, {self.source('b64')};",
                ]
            )
        )

    def comparison(self) -> None:
        draw = self.draw
        kind = draw.choice(["u32", "s32", "f32", "f64", "u64", "s64", "s16",
                            "b32"])  # fmt: skip
        own = kind if kind[0] == "f" else "b" + kind[1:]
        names = FLOAT_COMPARISONS if kind[0] == "f" else INTEGER_COMPARISONS
        names = ["eq", "ne"] if kind[0] == "b" else names
        name = draw.choice(names)
        a, b = self.source(own), self.source(own)
        if draw.random() < 0.2 and kind[1:] == "32":
            to = draw.choice(["u32", "s32", "f32"])
            register = self.pick("f32" if to == "f32" else "b32")
            self.emit(f"set.{name}.{to}.{kind} {register}, {a}, {b};")
            return
        one, two = draw.sample(range(COUNTS["pred"]), 2)
        target = f"%p{one}" + (f"|%p{two}" if draw.random() < 0.3 else "")
        if draw.random() < 0.5:
            self.emit(f"setp.{name}.{kind} {target}, {a}, {b};")
        else:
            third = draw.choice(["", "!"]) + self.pick("pred")
            how = draw.choice(["and", "or", "xor"])
            self.emit(f"setp.{name}.{how}.{kind} {target}, {a}, {b}, {third};")

    def predicate_logic(self) -> None:
        a, b, c = (self.pick("pred") for _ in range(3))
        self.emit(
            self.draw.choice(
                [f"and.pred {a}, {b}, {c};", f"or.pred {a}, {b}, {c};",
                 f"xor.pred {a}, {b}, {c};", f"not.pred {a}, {b};",
                 f"mov.pred {a}, {b};"]
            )
        )  # fmt: skip

    # ---- memory ----

    def place(self, words: int, size: int) -> None:
        """Set %at to a random offset below `words`, aligned to `size`."""
        mask = words * 4 - size
        self.emit(f"mul.lo.u32 %q32, {self.pick('b32')}, {size};")
        self.emit(f"and.b32 %q32, %q32, {mask};")
        self.emit("cvt.u64.u32 %at, %q32;")

    def load_store(self, base: str, space: str, words: int, may_store: bool):
        """Access a random place of an array."""
        draw = self.draw
        kind, register = draw.choice(
            [("u32", "b32"), ("s32", "b32"), ("b64", "b64"), ("f32", "f32"),
             ("u8", "b32"), ("s8", "b32"), ("u16", "b32"), ("s16", "b16"),
             ("s32", "b64"), ("s8", "b16")]
        )  # fmt: skip
        if kind == "f32" and self.draw.random() < 0.5:
            kind, register = "u32", "b32"
        size = int(kind[1:]) // 8
        many = draw.choice([1, 1, 1, 2, 4]) if kind == "u32" else 1
        self.place(words, size * many)
        if base == "%generic" or base.startswith("%"):
            self.emit(f"add.u64 %at, %at, {base};")
        else:
            self.emit(f"mov.u64 %base, {base};")
            self.emit("add.u64 %at, %at, %base;")
        dot = f".{space}" if space else ""
        names = draw.sample(range(COUNTS["b32"]), 4)[:many]
        what = (
            "{" + ", ".join(f"%r{i}" for i in names) + "}"
            if many > 1
            else self.pick(register)
        )
        vector = f".v{many}" if many > 1 else ""
        if may_store and draw.random() < 0.5:
            # no bits of a NaN in memory that is read as integers
            if kind == "f32":
                kind, what = "b32", self.pick("b32")
            if register == "b16" and kind == "s8":
                kind = "u8"
            self.emit(f"{self.guard()}st{dot}{vector}.{kind} [%at], {what};")
        else:
            self.emit(f"{self.guard()}ld{dot}{vector}.{kind} {what}, [%at];")

    def memory(self) -> None:
        choices = [
            ("table", "const", 16, False), ("initial", "global", 16, False),
            ("%stack", "local", 16, True), ("%stack_generic", "", 16, True),
        ]  # fmt: skip
        if self.is_kernel:
            choices += [("%in", "global", INPUT, False),
                        ("%in_generic", "", INPUT, False),
                        ("%mine", "global", 16, True)]  # fmt: skip
        self.load_store(*self.draw.choice(choices))

    def call(self) -> None:
        """Call a device function that was defined before."""
        if not self.module.signatures:
            return self.integer()
        name, style, parameters, result = self.draw.choice(
            self.module.signatures
        )
        guard = self.guard()
        sources = [self.pick(kind) for kind in parameters]
        if style == "reg":
            target = self.pick(result)
            self.emit(
                f"{guard}call ({target}), {name}, ({', '.join(sources)});"
            )
            return None
        self.emit("{")
        for i, (kind, source) in enumerate(
            zip(parameters, sources, strict=True)
        ):
            self.emit(f".param .{kind} arg{i};")
            self.emit(f"st.param.{kind} [arg{i}], {source};")
        self.emit(f".param .{result} got;")
        names = ", ".join(f"arg{i}" for i in range(len(sources)))
        self.emit(f"call (got), {name}, ({names});")
        self.emit(f"ld.param.{result} {self.pick(result)}, [got];")
        self.emit("}")
        return None

    # ---- operations of all threads of a block ----

    def shared_exchange(self) -> None:
        """Each thread writes its words; after a barrier it reads others."""
        self.emit(f"st.shared.b32 [%my_shared], {self.pick('b32')};")
        if self.draw.random() < 0.5:
            self.emit(f"st.shared.b16 [%my_shared+2], {self.pick('b16')};")
        self.emit("bar.sync 0;")
        for _ in range(self.draw.randint(1, 3)):
            base = self.draw.choice(["%shared", "%shared_generic"])
            self.load_store(
                base, "shared" if base == "%shared" else "", 32, False
            )
        self.emit("bar.sync 0;")

    def counters_in_shared(self) -> None:
        """Update a counter atomically; the order does not matter."""
        name = self.module.name("counter")
        self.emit(f".shared .align 8 .b64 {name}[1];")
        self.emit(f"mov.u64 %base, {name};")
        self.emit("st.shared.u64 [%base], 0;")
        self.emit("bar.sync 0;")
        operation, kind = self.draw.choice(
            [("add", "u32"), ("min", "s32"), ("max", "u32"), ("xor", "b32"),
             ("or", "b32"), ("add", "u64"), ("max", "s64")]
        )  # fmt: skip
        source = self.source("b" + kind[1:])
        self.emit(
            f"{self.guard()}red.shared.{operation}.{kind} [%base], {source};"
        )
        self.emit("bar.sync 0;")
        self.emit(f"ld.shared.u64 {self.pick('b64')}, [%base];")
        self.emit("bar.sync 0;")

    def warp_operation(self) -> None:
        draw = self.draw
        one, two = self.source("b32"), self.pick("pred")
        mode = draw.choice(["idx", "up", "down", "bfly"])
        control = draw.choice(
            [0, 0x1000, 0x1800] if mode == "up" else [31, 0x101F, 0x181F]
        )
        target = self.pick("b32")
        both = draw.choice([target, f"{target}|{self.pick('pred')}"])
        kind = draw.choice(["u32", "s32"])
        reduction = draw.choice([f"add.{kind}", f"min.{kind}", f"max.{kind}",
                                 "and.b32", "or.b32", "xor.b32"])  # fmt: skip
        self.emit(
            draw.choice(
                [
                    f"shfl.sync.{mode}.b32 {both}, {self.pick('b32')},"
                    f" {one}, {control}, -1;",
                    f"vote.sync.ballot.b32 {target}, {two}, -1;",
                    f"vote.sync.{draw.choice(['all', 'any', 'uni'])}.pred"
                    f" {self.pick('pred')}, !{two}, -1;",
                    f"match.any.sync.b32 {target}, {self.pick('b32')}, -1;",
                    f"redux.sync.{reduction} {target}, {self.pick('b32')},"
                    " -1;",
                ]
            )
        )

    # ---- control flow ----

    def branch(self, depth: int) -> None:
        """An if with or without else."""
        other, end = self.label(), self.label()
        test = f"@{self.draw.choice(['', '!'])}{self.pick('pred')}"
        self.emit(f"{test} bra {other};")
        self.statements(self.draw.randint(1, 4), depth + 1, False)
        if self.draw.random() < 0.5:
            self.emit(f"bra.uni {end};")
            self.emit(f"{other}:")
            self.statements(self.draw.randint(1, 3), depth + 1, False)
        else:
            self.emit(f"{other}:")
        self.emit(f"{end}:")

    def jumps_forward(self, depth: int) -> None:
        """Parts, each of which may branch to any later one."""
        count = self.draw.randint(2, 4)
        labels = [self.label() for _ in range(count + 1)]
        for i in range(count):
            self.emit(f"{labels[i]}:")
            self.statements(self.draw.randint(1, 2), depth + 1, False)
            to = self.draw.choice(labels[i + 1 :])
            if self.draw.random() < 0.7:
                self.emit(f"@{self.pick('pred')} bra {to};")
        self.emit(f"{labels[-1]}:")

    def switch(self, depth: int) -> None:
        """A branch by a table."""
        table = self.module.name("T")
        count = self.draw.randint(1, 4)
        labels = [self.label() for _ in range(count)]
        end = self.label()
        self.emit(f"rem.u32 %q32, {self.pick('b32')}, {count};")
        self.emit(f"{table}: .branchtargets {', '.join(labels)};")
        self.emit(f"brx.idx %q32, {table};")
        for label in self.draw.sample(labels, count):
            self.emit(f"{label}:")
            self.statements(self.draw.randint(1, 2), depth + 1, False)
            if self.draw.random() < 0.7:
                self.emit(f"bra {end};")
        self.emit(f"{end}:")

    def loop(self, depth: int, uniform: bool) -> None:
        """A loop with a fixed or a data-dependent number of rounds."""
        counter = f"%c{self.counters}"
        self.counters += 1
        start, more, end = self.label(), self.label(), self.label()
        fixed = uniform or self.draw.random() < 0.5
        if fixed:
            self.emit(f"mov.u32 {counter}, {self.draw.randint(1, 4)};")
        else:
            self.emit(f"and.b32 {counter}, {self.pick('b32')}, 3;")
        top_test = self.draw.random() < 0.5
        if not top_test:
            self.emit(f"add.u32 {counter}, {counter}, 1;")
        self.emit(f"{start}:")
        if top_test:
            self.emit(f"setp.eq.u32 %done, {counter}, 0;")
            self.emit(f"@%done bra {end};")
        self.statements(self.draw.randint(1, 4), depth + 1, uniform)
        if not uniform and self.draw.random() < 0.4:
            to = self.draw.choice([more, end])
            self.emit(f"@{self.pick('pred')} bra {to};")
            self.statements(1, depth + 1, False)
        self.emit(f"{more}:")
        self.emit(f"sub.u32 {counter}, {counter}, 1;")
        if top_test:
            self.emit(f"bra.uni {start};")
        else:
            self.emit(f"setp.ne.u32 %done, {counter}, 0;")
            self.emit(f"@%done bra {start};")
        self.emit(f"{end}:")

    def scope(self, depth: int) -> None:
        """Braces with registers that hide others."""
        self.emit("{")
        self.emit(".reg .b32 %r1, %r2;")
        self.emit(f"mov.b32 %r1, {self.draw.getrandbits(16)};")
        self.emit("mov.b32 %r2, %r0;")
        self.statements(self.draw.randint(1, 3), depth + 1, False)
        self.emit("add.s32 %r0, %r1, %r2;")
        self.emit("}")

    def early_exit(self) -> None:
        word = self.draw.choice(["ret", "exit"]) if self.is_kernel else "ret"
        self.emit(f"@{self.pick('pred')} {word};")

    def statement(self, depth: int, uniform: bool) -> None:
        self.budget -= 1
        draw = self.draw
        simple: list[tuple[int, Callable[[], None]]] = [
            (6, self.integer), (3, self.bits), (1, self.division),
            (1, self.carry_chain), (4, self.float_operation),
            (3, self.conversion), (1, self.through_half),
            (1, self.float_bits), (2, self.packed), (4, self.comparison),
            (1, self.predicate_logic), (4, self.memory), (2, self.call),
        ]  # fmt: skip
        if uniform and self.is_kernel:
            simple += [(2, self.shared_exchange), (3, self.warp_operation),
                       (1, self.counters_in_shared)]  # fmt: skip
        if depth < 3 and self.budget > 0:
            simple += [
                (2, lambda: self.branch(depth)),
                (1, lambda: self.jumps_forward(depth)),
                (1, lambda: self.switch(depth)),
                (2, lambda: self.loop(depth, uniform and draw.random() < 0.6)),
                (1, lambda: self.scope(depth)),
            ]
        weights = [weight for weight, _ in simple]
        draw.choices(simple, weights)[0][1]()

    def statements(self, count: int, depth: int, uniform: bool) -> None:
        for _ in range(count):
            self.statement(depth, uniform)

    # ---- a whole function ----

    def declarations(self) -> list[str]:
        lines = [
            f"    .reg .{kind} {REGISTERS[kind]}<{COUNTS[kind]}>;"
            for kind in COUNTS
        ]
        return [
            *lines,
            "    .reg .b32 %q32, %t, %c<64>;",
            "    .reg .b64 %q64, %at, %base, %stack, %stack_generic;",
            "    .reg .b64 %in, %in_generic, %out, %mine;",
            "    .reg .b64 %shared, %shared_generic, %my_shared;",
            "    .reg .b16 %half;",
            "    .reg .f32 %canonical;",
            "    .reg .pred %is_nan, %done;",
        ]

    def clear(self) -> None:
        """Give each register and the local array a value."""
        draw = self.draw
        for i in range(COUNTS["b32"]):
            self.emit(f"mad.lo.u32 %r{i}, %t, {draw.choice([0, 1, i, 77])},"
                      f" {draw.getrandbits(31)};")  # fmt: skip
        for i in range(COUNTS["b64"]):
            self.emit(f"mul.wide.u32 %d{i}, %r{i}, {draw.getrandbits(31)};")
        for i in range(COUNTS["b16"]):
            self.emit(f"cvt.u16.u32 %h{i}, %r{i + 3};")
        for i in range(COUNTS["f32"]):
            self.emit(f"cvt.rn.f32.s32 %f{i}, %r{i};")
        for i in range(COUNTS["f64"]):
            self.emit(f"cvt.rn.f64.s32 %e{i}, %r{i + 2};")
        for i in range(COUNTS["pred"]):
            self.emit(f"setp.lt.s32 %p{i}, %r{i}, %r{i + 2};")
        array = self.module.name("array")
        self.emit(f".local .align 16 .b8 {array}[64];")
        self.emit(f"mov.u64 %stack, {array};")
        self.emit("cvta.local.u64 %stack_generic, %stack;")
        for i in range(4):
            four = ", ".join(f"%r{i + j}" for j in range(4))
            self.emit(f"st.local.v4.b32 [%stack+{16 * i}], {{{four}}};")

    def store_results(self) -> None:
        for i in range(COUNTS["b32"]):
            self.emit(f"st.global.b32 [%mine+{64 + 4 * i}], %r{i};")
        for i in range(2):
            self.emit(f"st.global.b64 [%mine+{96 + 8 * i}], %d{i};")
        self.emit("st.global.v2.b64 [%mine+112], {%d2, %d3};")
        for i in range(COUNTS["f32"]):
            self.emit(f"st.global.f32 [%mine+{128 + 4 * i}], %f{i};")
        for i in range(COUNTS["f64"]):
            self.emit(f"st.global.f64 [%mine+{160 + 8 * i}], %e{i};")
        for i in range(COUNTS["pred"]):
            self.emit(f"selp.u32 %q32, 1, 2, %p{i};")
            self.emit(f"st.global.u8 [%mine+{200 + i}], %q32;")
        for i in range(COUNTS["b16"]):
            self.emit(f"st.global.u16 [%mine+{206 + 2 * i}], %h{i};")


class Module:
    """A module that is being made."""

    def __init__(self, seed: int):
        self.draw = random.Random(seed)
        self.names = 0
        # name, "reg" or "param", types of parameters, type of the result
        self.signatures: list[tuple[str, str, list[str], str]] = []
        self.threads = self.draw.choice([32, 64])
        self.lines = [HEAD]

    def name(self, start: str) -> str:
        self.names += 1
        return f"{start}{self.names}"

    def variables(self) -> None:
        for line in (
            ".const .align 16 .b32 table",
            ".global .align 16 .b32 initial",
        ):
            values = [self.draw.getrandbits(31) for _ in range(16)]
            self.lines.append(
                f"{line}[16] = {{{', '.join(map(str, values))}}};"
            )
        self.lines.append(".shared .align 16 .b8 words[256];")

    def function(self) -> None:
        draw = self.draw
        kinds = ["b32", "b64", "f32", "f64"]
        style = draw.choice(["reg", "param"])
        parameters = [draw.choice(kinds) for _ in range(draw.randint(1, 4))]
        result = draw.choice(kinds)
        name = self.name("function")
        maker = Maker(draw, self, False)
        names = [f"{name}_a{i}" for i in range(len(parameters))]
        listed = ", ".join(
            f".{style} .{kind} {one}"
            for kind, one in zip(parameters, names, strict=True)
        )
        maker.emit("mov.u32 %t, %tid.x;")
        maker.clear()
        for kind, one in zip(parameters, names, strict=True):
            target = maker.pick(kind)
            if style == "reg":
                maker.emit(f"mov.{kind} {target}, {one};")
            else:
                maker.emit(f"ld.param.{kind} {target}, [{one}];")
        end = self.name("L")
        maker.statements(draw.randint(2, 5), 1, False)
        if draw.random() < 0.5:
            maker.emit(f"@{maker.pick('pred')} bra {end};")
            maker.statements(2, 1, False)
        maker.emit(f"{end}:")
        if style == "reg":
            maker.emit(f"mov.{result} {name}_r, {maker.pick(result)};")
        else:
            maker.emit(f"st.param.{result} [{name}_r], {maker.pick(result)};")
        maker.emit("ret;")
        head = f".func (.{style} .{result} {name}_r) {name}({listed})"
        self.lines += [head, "{", *maker.declarations(), *maker.lines, "}"]
        self.signatures.append((name, style, parameters, result))

    def kernel(self) -> None:
        draw = self.draw
        maker = Maker(draw, self, True)
        for text in (
            "ld.param.u64 %out, [k_out];",
            "ld.param.u64 %in_generic, [k_in];",
            "cvta.to.global.u64 %out, %out;",
            "cvta.to.global.u64 %in, %in_generic;",
            "mov.u32 %t, %ctaid.x;",
            "mov.u32 %q32, %ntid.x;",
            "mov.u32 %r0, %tid.x;",
            "mad.lo.u32 %t, %t, %q32, %r0;",
            f"mul.wide.u32 %mine, %t, {4 * WORDS};",
            "add.u64 %mine, %mine, %out;",
            "mov.u64 %shared, words;",
            "cvta.shared.u64 %shared_generic, %shared;",
            "mul.wide.u32 %my_shared, %r0, 4;",
            "add.u64 %my_shared, %my_shared, %shared;",
        ):
            maker.emit(text)
        maker.clear()
        while maker.budget > 0:
            maker.statement(0, True)
        maker.store_results()
        maker.early_exit()
        maker.statements(3, 1, False)
        maker.store_results()
        maker.emit("ret;")
        head = ".visible .entry k(.param .u64 k_out, .param .u64 k_in)"
        self.lines += [head, "{", *maker.declarations(), *maker.lines, "}"]


def make_module(seed: int) -> tuple[str, int]:
    """Return the text of a random module, and its number of threads."""
    module = Module(seed)
    module.variables()
    for _ in range(module.draw.randrange(3)):
        module.function()
    module.kernel()
    return "\n".join(module.lines) + "\n", module.threads
