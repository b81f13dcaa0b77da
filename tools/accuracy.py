"""Greatest error of each mathematical function of a device.

Usage: ``python tools/accuracy.py [--device cpu|gpu] [--samples N] [--json
[FILE]] [NAME...]`` measures, and ``python tools/accuracy.py --page`` writes
docs/accuracy.md from earlier measurements in docs/accuracy-cpu.json and
docs/accuracy-gpu.json.  With names, the records of other functions in FILE
stay unchanged.

Each function is evaluated on the device, in float and in double, for random
bit patterns and for an interval of everyday arguments, and compared with
mpmath.  A record holds the greatest error in units in the last place, the
argument with that error, and the greatest error that the CUDA C++ Programming
Guide documents.  The documented error is relative to the correctly rounded
result, so an error below bound + 1/2 satisfies it.

Needs numpy and mpmath in addition to the package itself.
"""

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

ANY = (-np.inf, np.inf)


@dataclass(frozen=True)
class Row:
    """A function: its exact value, and the allowed error.

    Attributes
    ----------
    exact
        The function in mpmath.
    interval
        Everyday arguments: half of the samples.
    bounds
        The documented greatest error in ulp, of float and double.
    domain
        Interval of the random bit patterns.
    """

    exact: Callable[..., mpmath.mpf]
    interval: tuple[float, float]
    bounds: tuple[int, int]
    domain: tuple[float, float] = ANY


def normal_below(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def scaled_erfc(x: mpmath.mpf) -> mpmath.mpf:
    if x < 1000:
        return mpmath.exp(x * x) * mpmath.erfc(x)
    rest = 1 / (2 * x * x)
    return (1 - rest * (1 - 3 * rest)) / (x * mpmath.sqrt(mpmath.pi))


def inverse_erfc(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.erfinv(1 - x)


ROWS = {
    "sin": Row(mpmath.sin, (-30, 30), (2, 2)),
    "cos": Row(mpmath.cos, (-30, 30), (2, 2)),
    "tan": Row(mpmath.tan, (-30, 30), (4, 2)),
    "sinpi": Row(mpmath.sinpi, (-9, 9), (1, 2)),
    "cospi": Row(mpmath.cospi, (-9, 9), (1, 2)),
    "asin": Row(mpmath.asin, (-1, 1), (2, 2), (-1, 1)),
    "acos": Row(mpmath.acos, (-1, 1), (2, 2), (-1, 1)),
    "atan": Row(mpmath.atan, (-9, 9), (2, 2)),
    "sinh": Row(mpmath.sinh, (-9, 9), (3, 2), (-700, 700)),
    "cosh": Row(mpmath.cosh, (-9, 9), (2, 1), (-700, 700)),
    "tanh": Row(mpmath.tanh, (-9, 9), (2, 1)),
    "asinh": Row(mpmath.asinh, (-9, 9), (3, 3)),
    "acosh": Row(mpmath.acosh, (1, 9), (4, 3), (1, np.inf)),
    "atanh": Row(mpmath.atanh, (-1, 1), (3, 2), (-1, 1)),
    "exp": Row(mpmath.exp, (-20, 20), (2, 1), (-760, 720)),
    "exp2": Row(
        lambda x: mpmath.mpf(2) ** x, (-20, 20), (2, 1), (-1100, 1030)
    ),
    "exp10": Row(lambda x: mpmath.mpf(10) ** x, (-9, 9), (2, 1), (-330, 310)),
    "expm1": Row(mpmath.expm1, (-9, 9), (1, 1), (-800, 720)),
    "log": Row(mpmath.log, (0, 9), (1, 1), (0, np.inf)),
    "log2": Row(lambda x: mpmath.log(x, 2), (0, 9), (1, 1), (0, np.inf)),
    "log10": Row(mpmath.log10, (0, 9), (2, 1), (0, np.inf)),
    "log1p": Row(mpmath.log1p, (-1, 9), (1, 1), (-1, np.inf)),
    "sqrt": Row(mpmath.sqrt, (0, 9), (0, 0), (0, np.inf)),
    "rsqrt": Row(lambda x: 1 / mpmath.sqrt(x), (0, 9), (2, 1), (0, np.inf)),
    "cbrt": Row(mpmath.cbrt, (0, 9), (1, 1), (0, np.inf)),
    "rcbrt": Row(lambda x: 1 / mpmath.cbrt(x), (0, 9), (1, 1), (0, np.inf)),
    "erf": Row(mpmath.erf, (-4, 4), (2, 2)),
    "erfc": Row(mpmath.erfc, (-4, 9), (4, 5), (-np.inf, 27)),
    "erfcx": Row(scaled_erfc, (-4, 9), (4, 4), (-9, np.inf)),
    "erfinv": Row(mpmath.erfinv, (-1, 1), (2, 5), (-1, 1)),
    "erfcinv": Row(inverse_erfc, (0, 2), (4, 6), (1e-30, 2)),
    "normcdf": Row(normal_below, (-9, 9), (5, 5), (-38, 38)),
    "tgamma": Row(mpmath.gamma, (0.1, 9), (5, 10), (1e-30, 170)),
    "lgamma": Row(mpmath.loggamma, (0.1, 9), (6, 4), (1e-30, 1e30)),
    "j0": Row(lambda x: mpmath.besselj(0, x), (-8, 8), (9, 7), (-8, 8)),
    "j1": Row(lambda x: mpmath.besselj(1, x), (-8, 8), (9, 7), (-8, 8)),
    "y0": Row(lambda x: mpmath.bessely(0, x), (0.1, 8), (9, 7), (0.1, 8)),
    "y1": Row(lambda x: mpmath.bessely(1, x), (0.1, 8), (9, 7), (0.1, 8)),
    "cyl_bessel_i0": Row(
        lambda x: mpmath.besseli(0, x), (-20, 20), (6, 6), (-720, 720)
    ),
    "cyl_bessel_i1": Row(
        lambda x: mpmath.besseli(1, x), (-20, 20), (6, 6), (-720, 720)
    ),
    "pow": Row(mpmath.power, (0, 30), (4, 2), (0, np.inf)),
    "atan2": Row(mpmath.atan2, (-9, 9), (3, 2)),
    "hypot": Row(mpmath.hypot, (-9, 9), (3, 2)),
}
TWO_ARGUMENTS = ("pow", "atan2", "hypot")
TYPES = {"float": np.float32, "double": np.float64}
SLOW = ("erfinv", "erfcinv", "j0", "j1", "y0", "y1", "cyl_bessel_i0",
        "cyl_bessel_i1", "tgamma", "lgamma")  # fmt: skip


def samples(row: Row, dtype: type, count: int, seed: int) -> np.ndarray:
    """Return `count` arguments: bit patterns, and the everyday interval."""
    rng = np.random.default_rng(seed)
    bits = np.uint32 if dtype is np.float32 else np.uint64
    wild = rng.integers(0, np.iinfo(bits).max, 4 * count, bits)
    x = wild.view(dtype)
    low, high = row.domain
    x = x[np.isfinite(x) & (x >= low) & (x <= high) & (x != 0)]
    rest = count - min(len(x), count // 2)
    typical = rng.uniform(*row.interval, rest).astype(dtype)
    joined = np.concatenate([x[: count // 2], typical])
    return np.clip(joined, dtype(low), dtype(high))


def evaluate(name: str, dtype: type, *arguments: np.ndarray) -> np.ndarray:
    """Return the device's values."""
    import pycuda.driver as cuda
    from pycuda.compiler import SourceModule

    kind = "float" if dtype is np.float32 else "double"
    names = "ab"[: len(arguments)]
    source = f"""
    __global__ void run(
        {kind} *out, {", ".join(f"const {kind} *{n}" for n in names)}, int n)
    {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            out[i] = {name}({", ".join(f"{n}[i]" for n in names)});
    }}
    """
    out = np.empty(arguments[0].shape, dtype)
    run = SourceModule(source).get_function("run")
    run(
        cuda.Out(out),
        *map(cuda.In, arguments),
        np.int32(out.size),
        block=(128, 1, 1),
        grid=((out.size + 127) // 128, 1),
    )
    return out


def step(value: mpmath.mpf, dtype: type) -> mpmath.mpf:
    """Return one unit in the last place at `value`."""
    info = np.finfo(dtype)
    exponent = mpmath.frexp(value)[1] if value else -10000
    return mpmath.mpf(2) ** (max(exponent, info.minexp + 1) - info.nmant - 1)


def error_of(got: float, exact: mpmath.mpf, dtype: type) -> float:
    """Return the distance in ulp; a result that overflows may be infinite."""
    largest = mpmath.mpf(float(np.finfo(dtype).max))
    if abs(exact) > largest:
        return 0.0 if abs(got) >= largest else np.inf
    if not np.isfinite(got):
        exact_limit = largest + step(largest, dtype) / 2
        return 1.0 if abs(exact) * (1 + mpmath.eps) >= exact_limit else np.inf
    return float(abs(mpmath.mpf(float(got)) - exact) / step(exact, dtype))


def prepare(name: str, kind: str, count: int, seed: int = 1) -> tuple:
    """Return (arguments, the device's values) of the samples.

    There are fewer than `count` samples if mpmath is slow for the function.
    """
    row, dtype = ROWS[name], TYPES[kind]
    count = count // 8 if name in SLOW else count
    arguments = [
        samples(row, dtype, count, seed + i)
        for i in range(1 + (name in TWO_ARGUMENTS))
    ]
    if name == "pow":
        # Choose an exponent for which the result is likely to be finite.
        with np.errstate(all="ignore"):
            most = np.log2(np.finfo(dtype).max) / np.log2(arguments[0])
            arguments[1] = (
                np.random.default_rng(seed).uniform(-1, 1, count) * most
            ).astype(dtype)
        right = np.isfinite(arguments[1])
        arguments = [x[right] for x in arguments]
    return arguments, evaluate(name, dtype, *arguments)


def compare(name: str, kind: str, arguments: list, got: np.ndarray) -> dict:
    """Return the greatest error among samples, compared with mpmath."""
    worst, where = -1.0, (0.0,)
    with mpmath.workdps(80 if name == "erfcinv" else 40):
        for value, *at in zip(got, *arguments, strict=True):
            at = [float(x) for x in at]
            exact = mpmath.mpf(ROWS[name].exact(*map(mpmath.mpf, at)))
            error = error_of(value, exact, TYPES[kind])
            if not error <= worst:
                worst, where = error, tuple(at)
    bound = ROWS[name].bounds[kind == "double"]
    return {
        "name": name,
        "type": kind,
        "error": worst,
        "at": [x.hex() for x in where],
        "bound": bound,
        "kept": worst < bound + 0.5 + 1e-6,
        "samples": len(got),
    }


def measure(name: str, kind: str, count: int, seed: int = 1) -> dict:
    """Return the record of one function and type."""
    return compare(name, kind, *prepare(name, kind, count, seed))


def measure_all(names: list[str], count: int) -> list[dict]:
    """Return a record for each function and type; mpmath runs on all cores."""
    tasks = [(name, kind) for name in names for kind in TYPES]
    done = [prepare(*task, count) for task in tasks]
    # Spawn the processes: a process with a context must not be forked.
    spawn = multiprocessing.get_context("spawn")
    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores, mp_context=spawn) as pool:
        waiting = [
            pool.submit(compare, *task, *values)
            for task, values in zip(tasks, done, strict=True)
        ]
        return [each.result() for each in waiting]


# --- the page ------------------------------------------------------------

DOCS = Path(__file__).resolve().parents[1] / "docs"

HEAD = """\
# Accuracy

Greatest errors in units in the last place (ulp), against mpmath: half of the
arguments are random bit patterns, half everyday ones. "Goal" is the maximum
that the CUDA C++ Programming Guide gives, against the correctly rounded
result: an error below goal + 1/2 keeps it. What misses its goal is **bold**.

"""

FOOT = """
`pow` is measured at exponents with finite results; `erfcx`, `j0` and the
others that have no bound on the whole line, where the guide gives one.
`tests/kernels/test_device_math.py` looks at far more floats (2^22 each) and at
special values on whatever device runs the tests.

`tools/accuracy.py --device cpu --json docs/accuracy-cpu.json` measures the CPU
device, `--device gpu --json docs/accuracy-gpu.json` a GPU (less than a minute
on 16 cores; it needs numpy and mpmath), and `tools/accuracy.py --page` writes
this page from both.
"""


def table(records: dict[str, dict]) -> list[str]:
    """Return the page's table from the records of devices."""
    heads = ["function"]
    for kind in TYPES:
        heads += [*(f"{kind}, {device}" for device in records), "goal"]
    found = {
        (device, row["name"], row["type"]): row
        for device, record in records.items()
        for row in record["functions"]
    }
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name, row in ROWS.items():
        if not any(name == key[1] for key in found):
            continue
        cells = [f"`{name}`"]
        for kind, goal in zip(TYPES, row.bounds, strict=True):
            for device in records:
                cells.append(cell(found.get((device, name, kind))))
            cells.append(str(goal))
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def cell(row: dict[str, Any] | None) -> str:
    """Return an error; bold if it exceeds its goal."""
    if row is None:
        return ""
    text = f"{row['error']:.2f}"
    return text if row["kept"] else f"**{text}**"


def page(folder: Path) -> str:
    """Return docs/accuracy.md, from the records in a folder."""
    records, notes = {}, []
    for device, title in (("cpu", "CPU device"), ("gpu", "GPU")):
        path = folder / f"accuracy-{device}.json"
        if path.exists():
            records[title] = json.loads(path.read_text())
            notes.append(f"{title}: {records[title]['device']}.")
        else:
            notes.append(f"{title}: not measured yet.")
    lines = [" ".join(notes), "", *table(records)]
    return HEAD + "\n".join(lines) + "\n" + FOOT


def write_record(path: Path, record: dict) -> None:
    """Write a record; functions that it lacks stay unchanged."""
    if path.exists():
        new = {(row["name"], row["type"]) for row in record["functions"]}
        record["functions"] += [
            row
            for row in json.loads(path.read_text())["functions"]
            if (row["name"], row["type"]) not in new
        ]
    order = list(ROWS)
    record["functions"].sort(key=lambda row: order.index(row["name"]))
    path.write_text(json.dumps(record, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", choices=["cpu", "gpu"])
    parser.add_argument("--samples", type=int, default=16000)
    parser.add_argument(
        "--json", nargs="?", const="-", metavar="FILE",
        help="print records, or write them to a file",
    )  # fmt: skip
    parser.add_argument(
        "--page", action="store_true", help="write docs/accuracy.md"
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.page:
        (DOCS / "accuracy.md").write_text(page(DOCS))
        return
    unknown = set(options.names) - set(ROWS)
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)} (of {', '.join(ROWS)})")
    if options.device:
        os.environ["PYCUDA_DEVICE"] = options.device
    import pycuda.autoinit

    found = measure_all(options.names or list(ROWS), options.samples)
    record = {"device": pycuda.autoinit.device.name(), "functions": found}
    if options.json == "-":
        print(json.dumps(record, indent=1))
    elif options.json:
        write_record(Path(options.json), record)
    else:
        print("\n".join(table({record["device"]: record})))


if __name__ == "__main__":
    main()
