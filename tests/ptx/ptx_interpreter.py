"""A simple interpreter of PTX, for test_random_modules.

It executes the text of a module, one thread after the other, as NVIDIA's
document of the PTX ISA describes it.  Registers contain bits; each instruction
converts them to integers or floats by its type.  Warp operations and barriers
need all threads of the warp or the block.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ptx_arithmetic import (
    SIMPLE,
    as_bits,
    as_float,
    combine,
    compare,
    converted,
    flushed,
    signed,
    width,
)
from ptx_program import REGION, Function, Instruction, Operand, Program

WARP = 32


class Frame:
    """A call of a function: position, registers, parameters."""

    def __init__(self, function: Function):
        self.function = function
        self.at = 0
        self.registers: dict[str, int] = {}
        self.parameters: dict[str, bytearray] = {}


class Thread:
    """One thread: its frames, its carry flag, its local memory."""

    def __init__(self, machine: Machine, index: int, block: int):
        self.machine = machine
        self.index = index
        self.block = block
        self.frames: list[Frame] = []
        self.carry = 0
        self.local: dict[int, bytearray] = {}

    # registers and memory

    def bits(self, operand: Operand, kind: str) -> int:
        mask = (1 << width(kind)) - 1
        match operand.kind:
            case "r":
                return self.frames[-1].registers.get(operand.value, 0) & mask
            case "i" | "f":
                return operand.value & mask
            case "!":
                return self.bits(operand.value, kind) ^ 1
            case "v":  # a mov that packs registers
                part = width(kind) // len(operand.value)
                return sum(
                    self.bits(o, f"b{part}") << part * i
                    for i, o in enumerate(operand.value)
                )
            case "n":
                return self.machine.program.variables[operand.value].address
        values = {
            "%tid.x": self.index,
            "%ntid.x": self.machine.threads,
            "%ctaid.x": self.block,
            "%nctaid.x": self.machine.blocks,
            "%laneid": self.index % WARP,
            "%tid.y": 0,
            "%tid.z": 0,
        }
        return values[operand.value] & mask

    def value(self, operand: Operand, kind: str) -> Any:
        raw = self.bits(operand, kind)
        if kind[0] == "f":
            return as_float(raw, width(kind))
        return signed(raw, width(kind)) if kind[0] == "s" else raw

    def write(self, operand: Operand, kind: str, value: Any) -> None:
        """Write a value; a wider register gets it extended by its type."""
        if operand.value == "_":
            return
        if kind[0] == "f":
            value = as_bits(value, width(kind))
        elif kind[0] == "s":
            value = signed(value, width(kind)) & (1 << 64) - 1
        else:
            value &= (1 << width(kind)) - 1
        self.frames[-1].registers[operand.value] = value

    def memory(self, operand: Operand) -> tuple[bytearray, int]:
        """Return the memory and the offset of [base + offset]."""
        base, offset = operand.value
        if base.kind == "n" and base.value in self.frames[-1].parameters:
            return self.frames[-1].parameters[base.value], offset
        address = self.bits(base, "u64") + offset
        region, place = divmod(address, REGION)
        machine = self.machine
        return (
            machine.locals_of(self, region)
            if region in machine.local_regions
            else machine.regions[region]
        ), place

    def load(self, memory: bytearray, place: int, kind: str) -> int:
        size = width(kind) // 8
        assert 0 <= place <= len(memory) - size
        raw = int.from_bytes(memory[place : place + size], "little")
        return signed(raw, width(kind)) if kind[0] == "s" else raw

    def store(self, memory: bytearray, place: int, kind: str, raw: int):
        size = width(kind) // 8
        assert 0 <= place <= len(memory) - size
        raw &= (1 << width(kind)) - 1
        memory[place : place + size] = raw.to_bytes(size, "little")

    # control flow

    def run(self) -> Iterator[Instruction]:
        """Execute the thread; yield the instructions of warps and blocks."""
        while self.frames:
            frame = self.frames[-1]
            if frame.at >= len(frame.function.code):
                self.leave()
                continue
            ins = frame.function.code[frame.at]
            frame.at += 1
            if ins.predicate and not self.bits(ins.predicate, "pred"):
                continue
            if ins.operation in ("bar", "shfl", "vote", "match", "redux"):
                yield ins
            else:
                self.execute(ins)

    def leave(self) -> None:
        """Return from a function; its results go to the caller."""
        done = self.frames.pop()
        if not self.frames:
            return
        ins = self.frames[-1].function.code[self.frames[-1].at - 1]
        results = ins.operands[0].value if len(ins.operands) == 3 else ()
        for target, (kind, of, name) in zip(
            results, done.function.results, strict=True
        ):
            if kind == "reg":
                bits = done.registers.get(name, 0)
                self.write(target, f"b{width(of)}", bits)
            else:
                self.frames[-1].parameters[target.value][:] = done.parameters[
                    name
                ]

    def call(self, ins: Instruction) -> None:
        name, arguments = ins.operands[-2:]
        function = self.machine.program.functions[name.value]
        frame = Frame(function)
        for kind, of, slot in function.results:
            if kind == "param":
                frame.parameters[slot] = bytearray(width(of) // 8)
        for given, (kind, of, slot) in zip(
            arguments.value, function.parameters, strict=True
        ):
            if kind == "reg":
                frame.registers[slot] = self.bits(given, of)
            else:
                frame.parameters[slot] = bytearray(
                    self.frames[-1].parameters[given.value]
                )
        self.frames.append(frame)

    def execute(self, ins: Instruction) -> None:
        name, operands, frame = ins.operation, ins.operands, self.frames[-1]
        match name:
            case "bra":
                frame.at = frame.function.labels[operands[0].value]
            case "brx":
                table = frame.function.tables[operands[1].value]
                index = self.bits(operands[0], "u32")
                frame.at = frame.function.labels[table[index]]
            case "ret":
                self.leave()
            case "exit":
                self.frames.clear()
            case "call":
                self.call(ins)
            case ".param":
                frame.parameters[operands[0].value] = bytearray(
                    width(ins.types[0]) // 8
                )
            case "ld" | "st":
                self.move_memory(ins)
            case "atom" | "red":
                self.atomic(ins)
            case _:
                self.compute(ins)

    def move_memory(self, ins: Instruction) -> None:
        kind = ins.types[-1]
        is_load = ins.operation == "ld"
        registers, address = ins.operands[:: 1 if is_load else -1]
        memory, place = self.memory(address)
        many = registers.value if registers.kind == "v" else (registers,)
        for i, register in enumerate(many):
            at = place + i * width(kind) // 8
            if is_load:
                # bits of a float; an integer is extended
                as_kind = "b" + kind[1:] if kind[0] == "f" else kind
                raw = self.load(memory, at, as_kind)
                self.write(register, as_kind, raw)
            else:
                self.store(memory, at, kind, self.bits(register, kind))

    def atomic(self, ins: Instruction) -> None:
        kind = ins.types[-1]
        operands = list(ins.operands)
        target = operands.pop(0) if ins.operation == "atom" else None
        memory, place = self.memory(operands[0])
        old = self.load(memory, place, kind)
        given = self.value(operands[1], kind)
        for word, result in (
            ("add", old + given),
            ("min", min(old, given)),
            ("max", max(old, given)),
            ("and", old & given),
            ("or", old | given),
            ("xor", old ^ given),
        ):
            if word in ins.modifiers:
                self.store(memory, place, kind, result)
        if target:
            self.write(target, kind, old)

    def compute(self, ins: Instruction) -> None:
        name, operands = ins.operation, ins.operands
        target, kind = operands[0], ins.types[-1]
        if name in ("mov", "cvta"):
            if name == "mov" and target.kind == "v":
                part = width(kind) // len(target.value)
                raw = self.bits(operands[1], kind)
                for i, one in enumerate(target.value):
                    self.write(one, f"b{part}", raw >> part * i)
            else:
                bits = "b" + kind[1:] if kind != "pred" else kind
                self.write(target, bits, self.bits(operands[1], kind))
        elif name in ("setp", "set"):
            self.set_predicate(ins)
        elif name == "cvt":
            value = self.value(operands[1], kind)
            self.write(target, ins.types[0], converted(ins, value))
        elif "cc" in ins.modifiers or name in ("addc", "subc", "madc"):
            self.carries(ins)
        else:
            self.write(target, *self.simple_result(ins))

    def simple_result(self, ins: Instruction) -> tuple[str, Any]:
        """Return the type and the value of the result."""
        name, kind = ins.operation, ins.types[-1]
        kinds = [kind] * (len(ins.operands) - 1)
        result = kind
        if name in ("mul", "mad") and "wide" in ins.modifiers:
            result = f"{kind[0]}{2 * width(kind)}"
            kinds[2:] = [result] * (name == "mad")
        elif name in ("popc", "clz", "bfind"):
            result = "u32"
        elif name in ("shl", "shr"):
            kinds[1] = "u32"
        elif name in ("bfe", "bfi"):
            kinds[-2:] = ["u32", "u32"]
        elif name == "selp":
            kinds[2] = "pred"
        elif name == "slct":
            kinds, result = [ins.types[0]] * 2 + [kind], ins.types[0]
        elif name == "dp4a":
            is_signed = "s32" in ins.types
            result = "s32" if is_signed else "u32"
            kinds = ["u32", "u32", result]
        elif name == "not" or name in ("and", "or", "xor", "cnot"):
            kinds = [kind.replace("s", "b")] * len(kinds)
        values = [
            self.value(operand, of)
            for operand, of in zip(ins.operands[1:], kinds, strict=True)
        ]
        return result, SIMPLE[name](ins, *values)

    def set_predicate(self, ins: Instruction) -> None:
        target, x, y, *more = ins.operands
        words = ins.modifiers
        kind = ins.types[-1]
        values = [self.value(o, kind) for o in (x, y)]
        if "ftz" in words:
            values = list(map(flushed, values))
        result = other = compare(words[0], *values)
        if more:
            given = bool(self.bits(more[0], "pred"))
            result = combine(words[1], result, given)
            other = combine(words[1], not other, given)
        else:
            other = not other
        if ins.operation == "set":
            of = ins.types[0]
            self.write(target, of, float(result) if of[0] == "f" else -result)
        elif target.kind == "|":
            self.write(target.value[0], "pred", int(result))
            self.write(target.value[1], "pred", int(other))
        else:
            self.write(target, "pred", int(result))

    def carries(self, ins: Instruction) -> None:
        kind = "u" + ins.types[-1][1:]
        bits, name = width(kind), ins.operation
        values = [self.value(operand, kind) for operand in ins.operands[1:]]
        carry = self.carry if name.endswith("c") else 0
        if name.startswith("mad"):
            source = ins.types[-1]
            x, y = (self.value(o, source) for o in ins.operands[1:3])
            product = x * y >> (bits if "hi" in ins.modifiers else 0)
            total = (product & (1 << bits) - 1) + values[2] + carry
        elif name.startswith("add"):
            total = values[0] + values[1] + carry
        else:
            total = values[0] - values[1] - carry
        if "cc" in ins.modifiers:
            self.carry = total >> bits & 1
        self.write(ins.operands[0], kind, total)


class Machine:
    """Memory of a launch, and its threads."""

    def __init__(self, program: Program, blocks: int, threads: int):
        self.program = program
        self.blocks, self.threads = blocks, threads
        self.regions: dict[int, bytearray] = {}
        self.local_regions: dict[int, int] = {}
        for variable in program.variables.values():
            region = variable.address // REGION
            if variable.space == "local":
                self.local_regions[region] = len(variable.bytes)
            else:
                self.regions[region] = bytearray(variable.bytes)

    def locals_of(self, thread: Thread, region: int) -> bytearray:
        size = self.local_regions[region]
        return thread.local.setdefault(region, bytearray(size))

    def launch(self, name: str, buffers: list[bytearray]) -> None:
        """Run the kernel, whose parameters are addresses of buffers."""
        function = self.program.functions[name]
        for i, buffer in enumerate(buffers):
            self.regions[i + 1] = buffer
        for block in range(self.blocks):
            for variable in self.program.variables.values():
                if variable.space == "shared":
                    self.regions[variable.address // REGION][:] = bytes(
                        len(variable.bytes)
                    )
            threads = [Thread(self, i, block) for i in range(self.threads)]
            for thread in threads:
                frame = Frame(function)
                for i, (_, _, slot) in enumerate(function.parameters):
                    frame.parameters[slot] = bytearray(
                        ((i + 1) * REGION).to_bytes(8, "little")
                    )
                thread.frames.append(frame)
            self.run_block(threads)

    def run_block(self, threads: list[Thread]) -> None:
        running = {thread: thread.run() for thread in threads}
        waiting: dict[Thread, Instruction] = {}
        while running:
            for thread in list(running):
                if thread not in waiting:
                    ins = next(running[thread], None)
                    if ins is None:
                        del running[thread]
                    else:
                        waiting[thread] = ins
            for first in range(0, len(threads), WARP):
                self.run_warp(threads[first : first + WARP], waiting)
            left = [ins for ins in waiting.values() if ins.operation == "bar"]
            if left and len(left) == len(running):
                waiting.clear()

    def run_warp(
        self, warp: list[Thread], waiting: dict[Thread, Instruction]
    ) -> None:
        """Execute the operation that all threads of the warp wait for."""
        found = {waiting.get(thread) for thread in warp}
        ins = found.pop()
        if found or ins is None or ins.operation == "bar":
            return
        for thread, (operand, kind, value) in zip(
            warp, list(warp_results(ins, warp)), strict=True
        ):
            if operand.kind == "|":
                thread.write(operand.value[0], kind, value[0])
                thread.write(operand.value[1], "pred", value[1])
            else:
                thread.write(operand, kind, value)
            del waiting[thread]


def warp_results(
    ins: Instruction, warp: list[Thread]
) -> Iterator[tuple[Operand, str, Any]]:
    """Return the register, the type and the value of each lane's result."""
    kind = ins.types[-1]
    target = ins.operands[0]
    if ins.operation == "vote":
        ballots = [t.bits(ins.operands[1], "pred") for t in warp]
        results = {
            "ballot": sum(b << i for i, b in enumerate(ballots)),
            "all": int(all(ballots)),
            "any": int(any(ballots)),
            "uni": int(len(set(ballots)) == 1),
        }
        for word, result in results.items():
            if word in ins.modifiers:
                yield from ((target, kind, result) for _ in warp)
        return
    values = [t.value(ins.operands[1], kind) for t in warp]
    if ins.operation == "match":
        for x in values:
            equal = sum((y == x) << i for i, y in enumerate(values))
            yield target, "b32", equal
    elif ins.operation == "redux":
        result = values[0]
        for x in values[1:]:
            result = {
                "add": result + x, "min": min(result, x),
                "max": max(result, x), "and": result & x,
                "or": result | x, "xor": result ^ x,
            }[ins.modifiers[1]]  # fmt: skip
        yield from ((target, kind, result) for _ in warp)
    else:
        for lane, thread in enumerate(warp):
            other = thread.bits(ins.operands[2], "u32") & 31
            control = thread.bits(ins.operands[3], "u32")
            clamp, segment = control & 31, control >> 8 & 31
            most = (lane & segment) | (clamp & ~segment & 31)
            least = lane & segment
            match ins.modifiers[1]:
                case "up":
                    source = lane - other
                    inside = source >= most
                case "down":
                    source = lane + other
                    inside = source <= most
                case "bfly":
                    source = lane ^ other
                    inside = source <= most
                case _:
                    source = least | (other & ~segment & 31)
                    inside = source <= most
            chosen = values[source if inside else lane]
            result = (chosen, int(inside))
            yield target, kind, result if target.kind == "|" else chosen
