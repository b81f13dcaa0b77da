"""Plants one fault after the other and sees whether the package survives.

Run under LD_PRELOAD with the interposing library (`main` does that).  A
server has NumPy and the package loaded, but has started no device; it forks a
process for each fault.  The process runs a program in which one call fails,
then twice the same program without a fault, and ends as any program does.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import bisect
import ctypes
import errno
import functools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import fault_programs
import fault_python

HERE = Path(__file__).resolve().parent
JIT = 2  # a limit under which pycuda-jit runs, which is linked statically
PYTHON = 3  # the "library" of calls in the package's Python code
LIBRARIES = ["_driver", "libpycuda_cpu", "", "python"]
SECONDS = 60  # that one process may take where it has a processor

# Errors that each function may have; 0 is a transfer of one byte.
_FILES = [errno.EMFILE, errno.EACCES, errno.ENOSPC]
_MEMORY = [errno.ENOMEM]
ERRORS: dict[str, list[int]] = {
    "mmap": [errno.ENOMEM, errno.EAGAIN],
    "memfd_create": [errno.EMFILE, errno.ENOMEM],
    "pipe2": [errno.EMFILE, errno.ENFILE],
    "socketpair": [errno.EMFILE, errno.ENOBUFS],
    "open": _FILES,
    "openat": _FILES,
    "fopen": _FILES,
    "fdopen": _MEMORY,
    "opendir": [errno.EMFILE, errno.EACCES],
    "scandir": [errno.EMFILE, errno.EACCES],
    "fstat": [errno.EIO],
    "stat": [errno.EACCES],
    "fstatat": [errno.EACCES],
    "ftruncate": [errno.ENOSPC, errno.EINTR],
    "fcntl": [errno.EINVAL],
    "read": [errno.EIO, errno.EINTR, 0],
    "write": [errno.ENOSPC, errno.EINTR, 0],
    "fread": [errno.EIO],
    "fwrite": [errno.ENOSPC],
    "send": [errno.EINTR, errno.ECONNRESET, errno.EPIPE, errno.ENOBUFS, 0],
    "fsync": [errno.EIO],
    "rename": [errno.EACCES, errno.ENOSPC],
    "unlink": [errno.EACCES],
    "mkdir": [errno.EROFS, errno.ENOSPC],
    "mkdtemp": [errno.EROFS, errno.ENOSPC],
    "realpath": [errno.EACCES],
    "futimens": [errno.EACCES],
    "access": [errno.EACCES],
    "close": [errno.EINTR, errno.EIO],
    "posix_spawn": [errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENOENT],
    "waitpid": [errno.EINTR, errno.ECHILD],
    "poll": [errno.EINTR, errno.ENOMEM, errno.EINVAL],
    "pthread_create": [errno.EAGAIN],
    "pthread_key_create": [errno.EAGAIN],
    "sched_getaffinity": [errno.EINVAL],
    "sysconf": [errno.EINVAL],
    "getrlimit": [errno.EPERM],
    "process_vm_readv": [errno.EPERM],
    "dlopen": [errno.ENOENT],
    "listdir": [errno.EACCES],
    "utime": [errno.EACCES],
    "madvise": [errno.EAGAIN, errno.ENOMEM],
}

# Errors after which a call is repeated, and how many calls in a row fail.
STORMS = {errno.EINTR: 200, 0: 5000}
# Functions that must not be repeated without end.
FOR_GOOD = {"poll": 1 << 30}

# Program, what the caches hold, variables.  A site belongs to the first in
# which it is reached.
PLANS: list[tuple[str, str, dict[str, str]]] = [
    ("small", "warm", {}),
    ("memory", "warm", {}),
    ("streams", "warm", {}),
    ("textures", "warm", {}),
    ("failing", "warm", {}),
    ("arrays", "warm", {}),
    ("kernels", "warm", {}),
    ("refused", "headers", {}),
    ("linked", "headers", {}),
    ("kernels", "headers", {}),
    ("rewritten", "headers", {}),
    ("start", "warm", {}),
    ("checked", "checked", {"PYCUDA_CPU_CHECK": "memory,race,init,sync"}),
    ("ordered", "checked", {"PYCUDA_CPU_CHECK": "streams,bank"}),
    ("ptx", "warm", {}),
    ("ptx", "headers", {}),
    ("children", "warm", {}),
    ("quick", "full", {"PYCUDA_CPU_QUICK": "always"}),
    ("quick", "quick", {"PYCUDA_CPU_QUICK": "always"}),
    ("cub", "headers", {}),
    ("kernels", "cold", {}),
    ("cub", "cold", {}),
]


# What a cache holds: a copy of a template, from which some files are removed.
# "quick" lacks the full versions of kernels.
TEMPLATES = {"headers": "warm", "cold": "warm", "quick": "full"}

# Blocks that the device's threads make as they take part in launches.
PER_THREAD = {
    "cpu_worker_new": 24,
    "cpu_block_prepare": 24,
    "cpu_fibers_prepare": 48,
    # the table of last errors
    "__pycuda_device_error": 24,
    "__pycuda_child_launch": 24,
}

# Limits (KiB, files, 512 bytes) under which the compiler lacks something.
JIT_LIMITS = [
    *[("ulimit -v", at) for at in range(16000, 120000, 4000)],
    *[("ulimit -n", at) for at in range(1, 6)],
    ("ulimit -f", 0),
    ("ulimit -s", 64),
    ("ulimit -s", 256),
]
COMPILES = [plan[0] for plan in PLANS].index("refused")
# Plans in which the compiler also runs under these limits.
JIT_PLANS = [("kernels", "headers"), ("ptx", "headers"), ("quick", "quick")]
# The first bytes of a precompiled header; images lie in the same folder.
HEADERS = b"CPCH"


def library() -> ctypes.CDLL:
    """The interposing library, which is loaded already."""
    faults = ctypes.CDLL(None)
    faults.fault_name.restype = ctypes.c_char_p
    faults.fault_arm.argtypes = [
        ctypes.c_int,
        ctypes.c_ulong,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.c_uint,
        ctypes.c_int,
    ]
    return faults


@dataclass(frozen=True)
class Site:
    """A place in the package that makes a call that can fail."""

    library: int
    offset: int  # bytes in the library, or the number of a line
    call: int  # a function of the interposing library; -1: see `name`
    name: str  # the function that is called
    file: str = ""  # of Python code; for pycuda-jit, the program

    def __str__(self) -> str:
        """Readable text."""
        if self.library == JIT:
            return f"pycuda-jit under {self.name} {self.offset}"
        where = self.file or symbol(self.library, self.offset)
        return f"{LIBRARIES[self.library]} {where}: {self.name}"


@dataclass(frozen=True)
class Fault:
    """One call that fails, or several in a row."""

    plan: int
    site: Site
    nth: int  # the first call that fails
    error: int
    last: int = 0  # the last call that fails; 0: `nth`

    def __str__(self) -> str:
        """Readable text."""
        name, cache, _ = PLANS[self.plan]
        error = errno.errorcode.get(self.error, "short")
        which = f"call {self.nth}"
        if self.last:
            which = f"calls {self.nth} to {self.last}"
        return f"{name}/{cache}: {self.site}, {which}, {error}"


@functools.cache
def _symbols(number: int) -> tuple[list[int], list[str]]:
    package = Path(fault_python.PACKAGE)
    path = {
        0: next(package.glob("_driver.*.so"), None),
        1: package / "lib" / "libpycuda_cpu.so",
    }[number]
    text = subprocess.run(
        ["nm", "-C", "--defined-only", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LD_PRELOAD": ""},
    ).stdout
    rows = [line.split(" ", 2) for line in text.splitlines()]
    rows = [row for row in rows if len(row) == 3 and row[1] in "tTwW"]
    table = sorted((int(row[0], 16), row[2]) for row in rows)
    return [at for at, _ in table], [name for _, name in table]


def symbol(number: int, offset: int) -> str:
    """Function that an offset lies in, as ``name+bytes``."""
    starts, names = _symbols(number)
    at = bisect.bisect_right(starts, offset) - 1
    if at < 0:
        return hex(offset)
    return f"{names[at]}+{offset - starts[at]:#x}"


# ---- in the process that has the fault ----


def _describe(error: BaseException) -> dict[str, Any]:
    kinds = [f"{k.__module__}.{k.__name__}" for k in type(error).__mro__]
    lines = traceback.format_exception(error)
    return {"kinds": kinds, "text": str(error), "trace": "".join(lines)}


def _attempt(name: str) -> dict[str, Any] | None:
    try:
        fault_programs.PROGRAMS[name]()
    except BaseException as error:
        return _describe(error)
    return None


def _settle(threads: int) -> None:
    """Wait until threads that are about to end have ended."""
    for _ in range(50):
        if fault_programs.counts()["threads"] <= threads:
            return
        time.sleep(0.01)


JIT_SCRIPT = """#!/bin/sh
if rm {folder}/armed 2>/dev/null; then {name} {offset}; fi
exec {jit} "$@"
"""


def limit_jit(site: Site, folder: Path) -> None:
    """Let pycuda-jit run once under a limit."""
    jit = Path(fault_python.PACKAGE) / "bin" / "pycuda-jit"
    script = folder / "jit"
    script.write_text(
        JIT_SCRIPT.format(
            folder=folder, jit=jit, name=site.name, offset=site.offset
        )
    )
    script.chmod(0o700)
    (folder / "armed").touch()
    os.environ["PYCUDA_JIT"] = str(script)


def child(
    faults: ctypes.CDLL, plan: int, fault: Fault | None, folder: Path
) -> None:
    """Run the plan's program with a fault, then twice without.

    Writes what happened to `folder`.
    """
    name = PLANS[plan][0]
    result: dict[str, Any] = {"warnings": []}

    def note(message: Any, *_: Any, **__: Any) -> None:
        result["warnings"].append(str(message))

    warnings.showwarning = note
    faults.fault_count_blocks()
    python = fault and fault.site.library >= JIT
    if fault and fault.site.library == JIT:
        limit_jit(fault.site, folder)
    fault_python.arm(
        (fault.site.file, fault.site.offset, fault.site.name)
        if fault and python
        else None,
        fault.nth if fault else 0,
        fault.error if fault else 0,
    )
    if fault and not python:
        site = fault.site
        faults.fault_arm(
            site.library,
            site.offset,
            site.call,
            fault.nth,
            fault.last or fault.nth,
            fault.error,
        )
    else:
        faults.fault_arm(0, 0, -1, 0, 0, 0)
    fault_programs.may_miss = fault is not None
    result["first"] = _attempt(name)
    fault_programs.may_miss = False
    result["fired"] = faults.fault_disarm()
    result["fired"] += fault_python.disarm()
    if fault and fault.site.library == JIT:
        result["fired"] += not (folder / "armed").exists()
    faults.fault_dump(os.fsencode(folder / "sites"))
    result["python"] = fault_python.sites()
    result["then"] = _attempt(name) or _attempt(name)
    _settle(result.get("threads", 0))
    result["counts"] = fault_programs.counts()
    faults.fault_dump(os.fsencode(folder / "blocks"))
    (folder / "result").write_text(json.dumps(result))


# ---- the server ----


class Server:
    """Forks a process for each fault."""

    def __init__(self, folder: Path, both: int = 2) -> None:
        self.folder = folder
        self.both = both
        self.faults = library()
        self.number = 0

    def template(self, cache: str) -> Path:
        """Folder of what a cache holds; empty at first."""
        path = self.folder / f"template-{cache}"
        path.mkdir(exist_ok=True)
        return path

    def _cache(self, cache: str, work: Path) -> Path:
        folder = work / "cache"
        if cache == "cold":
            folder.mkdir()
            return folder
        source = TEMPLATES.get(cache, cache)
        shutil.copytree(self.template(source), folder, copy_function=os.link)
        if cache == "headers":
            for path in folder.rglob("*.cubin"):
                path.unlink()
        if cache == "quick":
            for path in folder.rglob("*.pch"):
                if not path.read_bytes().startswith(HEADERS):
                    path.unlink()
        return folder

    def start(
        self, plan: int, fault: Fault | None, fill: bool = False
    ) -> tuple[int, Path]:
        """Fork a process; its number and its folder."""
        name, cache, variables = PLANS[plan]
        self.number += 1
        work = self.folder / f"run-{self.number}"
        work.mkdir()
        folder = (
            self.template(TEMPLATES.get(cache, cache))
            if fill
            else self._cache(cache, work)
        )
        sys.stdout.flush()
        pid = os.fork()
        if pid:
            return pid, work
        try:
            out = os.open(work / "output", os.O_WRONLY | os.O_CREAT, 0o600)
            os.dup2(out, 1)
            os.dup2(out, 2)
            os.close(out)
            os.environ.update(variables)
            os.environ["PYCUDA_CACHE_DIR"] = str(folder)
            child(self.faults, plan, fault, work)
        except BaseException:
            traceback.print_exc()
            os._exit(70)
        raise SystemExit(0)  # the usual end of a program

    def wait(self, pid: int) -> int | None:
        """Exit status (negative: the signal) or None: it hung."""
        descriptor = os.pidfd_open(pid)
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        limit = SECONDS * max(1.0, load)
        ready, _, _ = select.select([descriptor], [], [], limit)
        os.close(descriptor)
        if not ready:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status) if ready else None

    def outcome(self, pid: int, work: Path) -> dict[str, Any]:
        """What a process left."""
        status = self.wait(pid)
        result: dict[str, Any] = {"first": None, "then": None, "fired": -1}
        if (work / "result").exists():
            result = json.loads((work / "result").read_text())
        result["status"] = status
        result["output"] = (work / "output").read_text(errors="replace")
        for name in ("sites", "blocks"):
            if (work / name).exists():
                result[name] = _read_sites(work / name)
        shutil.rmtree(work, ignore_errors=True)
        return result


def _read_sites(path: Path) -> dict[tuple[int, int, int], tuple[int, int]]:
    rows = [line.split() for line in path.read_text().splitlines()]
    return {
        (int(a), int(b), int(c)): (int(d), int(e)) for a, b, c, d, e in rows
    }


# ---- judgement ----

_MEMORY_CALLS = {"malloc", "calloc", "realloc", "aligned_alloc", "strdup"}
# RuntimeErrors of Python's and NumPy's own, where they lack memory.
NO_MEMORY_TEXTS = (
    "default ndarray.__repr__",
    "can't allocate lock",
    "can't start new thread",
)
# What a user may get; the first is what an allocation of Python raises.
_RIGHT = ("builtins.MemoryError", "pycuda.driver.Error", "builtins.OSError")


def judge(
    fault: Fault, result: dict[str, Any], clean: dict[str, Any]
) -> str | None:
    """What is wrong with a process, or None."""
    if result["status"] is None:
        return "hang"
    if result["status"] != 0:
        return f"ended with {result['status']}: {result['output'][-3000:]}"
    first = result["first"]
    if first and not _is_right(fault, first):
        return "wrong exception: " + first["trace"]
    if first and not _names_cause(fault, first):
        return "the message lacks the cause: " + first["text"]
    if result["then"]:
        return "the next call fails: " + result["then"]["trace"]
    return left_over(result, clean) or _complaint(fault, result["output"])


def left_over(result: dict[str, Any], clean: dict[str, Any]) -> str | None:
    """What a process that succeeded holds beyond a clean one, or None."""
    for name in ("descriptors", "threads"):
        if result["counts"][name] > clean["counts"][name]:
            return (
                f"{name}: {result['counts'][name]}, not "
                f"{clean['counts'][name]}"
            )
    if result["counts"]["mappings"] > clean["counts"]["mappings"] + 12:
        return (
            f"mappings: {result['counts']['mappings']}, not "
            f"{clean['counts']['mappings']}"
        )
    # A free list, or what each thread has, may be a little longer; a block
    # where otherwise none is left has been lost.
    lost = []
    now, before = _by_function(result["blocks"]), _by_function(clean["blocks"])
    for name, blocks in now.items():
        most = before[name] + (2 + before[name] // 2 if before[name] else 0)
        most = max(most, PER_THREAD.get(name, 0))
        if blocks > most:
            lost.append(f"{name}: {blocks} blocks, not {before[name]}")
    return "lost memory: " + "; ".join(lost) if lost else None


def _by_function(
    sites: dict[tuple[int, int, int], tuple[int, int]],
) -> Counter[str]:
    """Blocks that each function has allocated."""
    found: Counter[str] = Counter()
    for key, (_, blocks) in sites.items():
        found[symbol(key[0], key[1]).partition("+")[0]] += blocks
    return found


def _complaint(fault: Fault, output: str) -> str | None:
    """What is wrong with a process's output, or None.

    Where Python code that ends an object lacks memory, Python says so.
    """
    if "Traceback" not in output and "ignored in" not in output:
        return None
    if fault.site.name == "python" and "\nMemoryError" in output:
        return None
    return "on stderr: " + output[-3000:]


def _is_right(fault: Fault, error: dict[str, Any]) -> bool:
    kinds = error["kinds"]
    if fault.site.name == "python":
        if any(text in error["text"] for text in NO_MEMORY_TEXTS):
            return True
        return "builtins.MemoryError" in kinds or (
            fault.plan == _start() and "builtins.ImportError" in kinds
        )
    if fault.site.name in _MEMORY_CALLS:
        return (
            "builtins.MemoryError" in kinds
            or "pycuda.driver.MemoryError" in kinds
            or (
                "pycuda.driver.Error" in kinds
                and "memory" in error["text"].lower()
            )
        )
    return any(kind in kinds for kind in _RIGHT) or (
        fault.plan == _start() and "builtins.ImportError" in kinds
    )


def _names_cause(fault: Fault, error: dict[str, Any]) -> bool:
    """Whether a message has the text of the errno, where that is no memory.

    dlopen() has texts of its own.
    """
    kinds = error["kinds"]
    if (
        fault.error == 0
        or fault.site.library >= JIT
        or fault.site.name in {"python", "dlopen", *_MEMORY_CALLS}
        or "pycuda.driver.MemoryError" in kinds
        or "builtins.MemoryError" in kinds
        or "builtins.ImportError" in kinds
    ):
        return True
    return os.strerror(fault.error) in error["text"]


def _start() -> int:
    return next(i for i, plan in enumerate(PLANS) if plan[0] == "start")


# ---- the whole ----


def record(server: Server, plan: int) -> dict[str, Any]:
    """Run a plan without a fault: its sites and what it leaves."""
    pid, work = server.start(plan, None)
    result = server.outcome(pid, work)
    if result["status"] != 0 or result["first"] or result["then"]:
        wrong = result["first"] or result["then"] or {"trace": ""}
        raise RuntimeError(
            f"{PLANS[plan]} fails without a fault: status "
            f"{result['status']}\n{wrong['trace']}{result['output']}"
        )
    return result


def faults_of(
    server: Server, plan: int, clean: dict[str, Any], seen: set[Site]
) -> Iterator[Fault]:
    """Faults of the sites that no earlier plan has reached."""
    sites = [
        (Site(key[0], key[1], key[2], _name(server, key[2])), calls)
        for key, (calls, _) in clean["sites"].items()
    ]
    sites += [
        (Site(PYTHON, line, -1, name, file), calls)
        for file, line, name, calls in clean["python"]
    ]
    if PLANS[plan][:2] in JIT_PLANS:
        sites += [
            (Site(JIT, at, -1, name, PLANS[plan][0]), 1)
            for name, at in JIT_LIMITS
        ]
    for site, calls in sorted(sites, key=str):
        if site in seen or calls == 0:
            continue
        seen.add(site)
        for error in ERRORS.get(site.name, _MEMORY):
            yield Fault(plan, site, 1, error)
            if error in STORMS and site.library < JIT:
                yield Fault(plan, site, 1, error, STORMS[error])
            elif site.name in FOR_GOOD:
                yield Fault(plan, site, 1, error, FOR_GOOD[site.name])
        for nth in sorted({2, calls} - {1}):
            if nth <= calls:
                error = ERRORS.get(site.name, _MEMORY)[0]
                yield Fault(plan, site, nth, error)


def _name(server: Server, call: int) -> str:
    return str(server.faults.fault_name(call).decode())


def preload() -> None:
    """Load what the programs use, and start no device."""
    import pycuda.compiler
    import pycuda.cumath
    import pycuda.curandom
    import pycuda.driver
    import pycuda.elementwise
    import pycuda.gpuarray
    import pycuda.reduction
    import pycuda.scan  # noqa: F401


def run(arguments: argparse.Namespace, folder: Path) -> int:
    """Plant the faults; how many were not survived."""
    server = Server(folder, arguments.jobs)
    seen: set[Site] = set()
    totals: Counter[str] = Counter()
    server.faults.fault_hook_python(0)
    loaded = False
    plans = list(range(len(PLANS)))
    plans.sort(key=lambda i: PLANS[i][0] != "start")  # needs a bare server
    clean: dict[int, dict[str, Any]] = {}
    faults: list[Fault] = []
    for plan in plans:
        name = PLANS[plan][0]
        if arguments.program and name not in arguments.program:
            continue
        if name != "start" and not loaded:
            preload()
            loaded = True
        pid, work = server.start(plan, None, fill=True)
        server.outcome(pid, work)
        clean[plan] = record(server, plan)
        mine = list(faults_of(server, plan, clean[plan], seen))
        if arguments.quick:
            mine = list({fault.site: fault for fault in mine[::-1]}.values())
        faults += mine
        if name == "start":
            _run_all(server, mine, clean, totals, arguments)
            faults = []
    _allow_first_uses(clean, record(server, COMPILES))
    _run_all(server, faults, clean, totals, arguments)
    print(f"{len(seen)} call sites, {sum(totals.values())} faults:", end=" ")
    print(", ".join(f"{n} {what}" for what, n in sorted(totals.items())))
    return totals["NOT SURVIVED"]


def _allow_first_uses(
    clean: dict[int, dict[str, Any]], compiled: dict[str, Any]
) -> None:
    """Let each program keep what any of them keeps for good.

    A fault can lead where the program itself does not go: to the compiler
    when the cache fails.  `compiled` is a run that compiles.
    """
    most: dict[tuple[int, int, int], tuple[int, int]] = {}
    for result in (compiled, *clean.values()):
        for key, (_, blocks) in result["blocks"].items():
            most[key] = (0, max(blocks, most.get(key, (0, 0))[1]))
    for result in clean.values():
        result["blocks"] = most


def _run_all(
    server: Server,
    faults: list[Fault],
    clean: dict[int, dict[str, Any]],
    totals: Counter[str],
    arguments: argparse.Namespace,
) -> None:
    faults = [
        fault
        for fault in faults
        if not arguments.only
        or any(text in str(fault) for text in arguments.only)
    ][arguments.first :: arguments.step]
    running: list[tuple[Fault, int, Path]] = []
    for fault in [*faults, None, None]:
        if fault:
            running.append((fault, *server.start(fault.plan, fault)))
        if running and (fault is None or len(running) >= server.both):
            done, pid, work = running.pop(0)
            result = server.outcome(pid, work)
            mine = clean[done.plan]
            for _ in range(2):
                if result["status"] == 0 and left_over(result, mine):
                    result = repeat(server, done, mine)
            _report(done, result, mine, totals, arguments)


def repeat(
    server: Server, fault: Fault, clean: dict[str, Any]
) -> dict[str, Any]:
    """Plant a fault again, after one more clean run; the result.

    Free lists and mappings depend on how far the device's threads are
    behind the program.  What a fault loses is lost each time.
    """
    other = server.outcome(*server.start(fault.plan, None))
    for name, count in other["counts"].items():
        clean["counts"][name] = max(clean["counts"][name], count)
    for key, (_, blocks) in other["blocks"].items():
        most = max(blocks, clean["blocks"].get(key, (0, 0))[1])
        clean["blocks"][key] = (0, most)
    return server.outcome(*server.start(fault.plan, fault))


def _report(
    fault: Fault,
    result: dict[str, Any],
    clean: dict[str, Any],
    totals: Counter[str],
    arguments: argparse.Namespace,
) -> None:
    wrong = judge(fault, result, clean)
    if wrong:
        totals["NOT SURVIVED"] += 1
        print(f"--- {fault}\n{wrong}", flush=True)
    elif result["fired"] == 0:
        totals["not reached"] += 1
    elif result["first"]:
        totals["raised the right exception"] += 1
    else:
        totals["left the results right"] += 1
    if arguments.log:
        row = {
            "fault": str(fault),
            "wrong": wrong,
            "error": result["first"] and result["first"]["text"],
            "kind": result["first"] and result["first"]["kinds"][0],
            "warnings": result.get("warnings"),
            "output": result["output"][-2000:],
            "fired": result["fired"],
            "site": asdict(fault.site),
        }
        with open(arguments.log, "a") as stream:
            stream.write(json.dumps(row) + "\n")


def build(folder: Path) -> Path:
    """Compile the interposing library."""
    path = folder / "libfaults.so"
    sources = [str(HERE / name) for name in ("sites.c", "calls.c")]
    subprocess.run(
        [
            os.environ.get("FAULT_CC", "gcc"),
            *["-std=gnu11", "-O1", "-g", "-shared", "-fPIC"],
            "-fno-optimize-sibling-calls",
            *["-o", str(path), *sources, "-ldl", "-pthread"],
        ],
        check=True,
    )
    return path


def main(words: list[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="*", help="only these programs")
    parser.add_argument(
        "--only",
        action="append",
        help="part of a fault's text; may be given several times",
    )
    parser.add_argument(
        "--quick", action="store_true", help="one error, one call a site"
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--step", type=int, default=1, help="of all faults")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--log", help="file for one JSON line a fault")
    arguments = parser.parse_args(words)
    # The folder is removed by a process that forks none.
    if "FAULT_FOLDER" in os.environ:
        return min(run(arguments, Path(os.environ["FAULT_FOLDER"])), 100)
    with tempfile.TemporaryDirectory(prefix="pycuda-faults-") as name:
        environment = {
            **os.environ,
            "LD_PRELOAD": str(build(Path(name))),
            "FAULT_FOLDER": name,
            "PYCUDA_DEVICE": "cpu",
            "PYCUDA_CPU_MEMORY": "4G",
            "PYCUDA_CPU_THREADS": "3",
            "PYTHONFAULTHANDLER": "1",
            # Threads that wait for malloc's lock would make more arenas, so
            # the number of mappings would depend on timing.
            "MALLOC_ARENA_MAX": "1",
        }
        command = [sys.executable, __file__, *(words or sys.argv[1:])]
        return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    raise SystemExit(main())
