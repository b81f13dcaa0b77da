"""Builds the package for glibc 2.28 and one Python, with zig's clang."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("PYCUDA_WHEEL_BUILD", ROOT / "build" / "wheels"))
GLIBC = (2, 28)
DEBUGGER_SYMBOLS = ("__jit_debug_register_code", "__jit_debug_descriptor")
_REQUIREMENTS = ["meson>=1.3", "ninja", "numpy>=2.0", "ziglang==0.14.*"]
_DESCRIBE = """
import json, sys, sysconfig
abi = f"cp{sys.version_info[0]}{sys.version_info[1]}"
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
try:
    import ziglang
    zig = ziglang.__path__[0] + "/zig"
except ImportError:
    zig = ""
print(json.dumps({
    "tag": f"{abi}-{abi}{free}",
    "include": sysconfig.get_path("include"),
    "zig": zig,
}))
"""


@dataclass
class Environment:
    """A Python with the build tools.

    Attributes
    ----------
    python
        The interpreter.
    tag
        Its tags of wheels, such as ``cp311-cp311``.
    include
        Folder of Python.h.
    zig
        The compiler.
    cross
        Folder of tools/aarch64, if the interpreter runs in an emulator.
    """

    python: Path
    tag: str
    include: Path
    zig: Path
    cross: Path | None = None

    @property
    def own_python(self) -> Path:
        """An interpreter that runs on this machine without an emulator."""
        return Path(sys.executable) if self.cross else self.python


def run(words: list[str], log: Path, **environment: str) -> None:
    """Run a command with its output in a file; on failure print it."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as file:
        done = subprocess.run(
            words,
            stdout=file,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env=os.environ | environment,
        )
    if done.returncode:
        print(log.read_text()[-4000:], file=sys.stderr)
        raise SystemExit(f"wheels: {words[0]} failed; see {log}")


def _described(python: Path | str, **environment: str) -> dict[str, str]:
    """Run `_DESCRIBE` with an interpreter; return what it prints."""
    done = subprocess.run(
        [python, "-c", _DESCRIBE],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
    return json.loads(done.stdout)


def cross_environment(folder: Path) -> Environment:
    """Return the aarch64 Python that tools/aarch64 has unpacked.

    This Python must have meson, ninja and ziglang.
    """
    python = folder / "bin" / "python3"
    found = _described(python, PYTHONPATH=str(folder / "packages"))
    include = Path(found["include"])
    if not include.is_relative_to(folder):
        include = folder / "root" / include.relative_to("/")
    zig = Path(_described(sys.executable)["zig"])
    return Environment(python, found["tag"], include, zig, folder)


def environment(python: str) -> Environment:
    """Make an environment with the build tools, unless there is one."""
    probe = "import sys; print(sys.implementation.cache_tag, sys.abiflags)"
    name = subprocess.run(
        [python, "-c", probe], check=True, capture_output=True, text=True
    ).stdout
    folder = BUILD / f"env-{name.replace(' ', '').strip()}"
    own = folder / "bin" / "python"
    if not (folder / "complete").exists():
        run([python, "-m", "venv", "--clear", str(folder)], BUILD / "venv.log")
        words = [str(own), "-m", "pip", "install", "-q", *_REQUIREMENTS]
        run(words, BUILD / "pip.log")
        (folder / "complete").touch()
    found = _described(own)
    include = Path(found["include"])
    if not (include / "Python.h").exists():
        raise SystemExit(
            f"wheels: {python} has no {include}/Python.h; on Debian install "
            "python3-dev"
        )
    return Environment(own, found["tag"], include, Path(found["zig"]))


_COMPILER = """#!/bin/sh
# zig spells the processor's levels with underscores.
for word; do
    shift
    case $word in
    -march=x86-64-v*) word=-march=x86_64_v${{word##*v}} ;;
    esac
    set -- "$@" "$word"
done
exec '{zig}' cc -target {target} "$@"
"""


def _write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _debian_headers(include: Path, folder: Path) -> list[str]:
    """Return options by which zig finds Debian's multiarch pyconfig.h."""
    if include.parent.parts[-2:] != ("usr", "include"):
        return []
    for triple in include.parent.glob("*-linux-gnu"):
        part = triple / include.name
        if part.is_dir():
            link = folder / triple.name / include.name
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.is_symlink():
                link.symlink_to(part)
            return [f"-isystem{folder}"]
    return []


def _native_file(used: Environment, machine: str, with_cpu: bool) -> Path:
    """Write the programs and the description of them for meson."""
    folder = BUILD / "tools" / used.tag
    folder.mkdir(parents=True, exist_ok=True)
    target = f"{machine}-linux-gnu.{GLIBC[0]}.{GLIBC[1]}"
    _write_program(
        folder / "cc", _COMPILER.format(zig=used.zig, target=target)
    )
    _write_program(folder / "ar", f"#!/bin/sh\nexec '{used.zig}' ar \"$@\"\n")
    options = _debian_headers(used.include, folder / "include")
    link = []
    if with_cpu and machine == "x86_64":
        # __builtin_cpu_supports needs a function that zig's runtime lacks.
        words = ["gcc", "-print-libgcc-file-name"]
        link.append(subprocess.check_output(words, text=True).strip())
    path = folder / f"native-{'cpu' if with_cpu else 'extension'}.ini"
    text = (
        "[binaries]\n"
        f"c = '{folder}/cc'\nar = '{folder}/ar'\npython = '{used.python}'\n"
        f"[built-in options]\nc_args = {options}\nc_link_args = {link}\n"
    )
    if used.cross:
        text = text.replace("[built-in", "strip = 'true'\n[built-in")
        text += _HOST_MACHINE
    path.write_text(text)
    return path


_HOST_MACHINE = """
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'generic'
endian = 'little'
"""


def _meson(used: Environment) -> list[str]:
    return [str(used.own_python), "-m", "mesonbuild.mesonmain"]


def _variables(used: Environment) -> dict[str, str]:
    """Return the variables of meson and of the programs that it runs."""
    variables = {"PATH": f"{used.own_python.parent}:{os.environ['PATH']}"}
    if used.cross:
        # NumPy's headers, which the emulated Python is asked for.
        variables["PYTHONPATH"] = str(used.cross / "packages")
        variables["PYTHONDONTWRITEBYTECODE"] = "1"
    return variables


def _strip(used: Environment) -> str:
    """Return the program that strips files for the wheels' machine."""
    if used.cross:
        return str(used.cross / "bin" / "strip")
    found = shutil.which("strip")
    if not found:
        raise SystemExit("wheels: no strip; on Debian install binutils")
    return found


def _stripped(used: Environment, folder: Path) -> None:
    """Remove symbols that no program needs from the libraries.

    GDB looks up `DEBUGGER_SYMBOLS` to set breakpoints in kernels.
    """
    strip = _strip(used)
    keep_options = [f"--keep-symbol={name}" for name in DEBUGGER_SYMBOLS]
    for path in folder.rglob("*.so"):
        words = [strip, "--strip-unneeded", *keep_options, path]
        subprocess.run(words, check=True)


def install(used: Environment, machine: str, with_cpu: bool) -> Path:
    """Build and install into a folder that holds nothing else; return it."""
    kind = "cpu" if with_cpu else "extension"
    folder = BUILD / f"{kind}-{used.tag}-{machine}"
    description = _native_file(used, machine, with_cpu)
    if not (folder / "build.ninja").exists():
        shutil.rmtree(folder, ignore_errors=True)
        words = [*_meson(used), "setup", str(folder)]
        option = "--cross-file" if used.cross else "--native-file"
        words += [option, str(description), "--prefix", "/"]
        words += ["-Dpython.purelibdir=/site", "-Dpython.platlibdir=/site"]
        words += [f"-Dcpu={'auto' if with_cpu else 'disabled'}"]
        words += ["-Dpython.bytecompile=-1", "-Dlto=true"]
        run(words, BUILD / f"{folder.name}.setup.log", **_variables(used))
    log = BUILD / f"{folder.name}.log"
    run([*_meson(used), "compile", "-C", str(folder)], log, **_variables(used))
    stage = BUILD / "stage" / folder.name
    shutil.rmtree(stage, ignore_errors=True)
    words = [*_meson(used), "install", "-C", str(folder), "--no-rebuild"]
    run(
        [*words, "--destdir", str(stage)],
        BUILD / f"{folder.name}.install.log",
        **_variables(used),
    )
    _stripped(used, stage)
    return stage / "site"


def add_jit(used: Environment, stage: Path) -> None:
    """Build pycuda-jit with gcc and LLVM 19; copy it to `stage`.

    For another machine, with the cross compiler and the LLVM of tools/aarch64.
    """
    folder = BUILD / ("jit-aarch64" if used.cross else "jit")
    venv = ROOT / ".venv" / "bin"
    meson = str(venv / "meson") if venv.exists() else "meson"
    variables = _variables(used)
    variables["PATH"] = f"{venv}:{variables['PATH']}"
    if not (folder / "build.ninja").exists():
        words = [meson, "setup", str(folder), "-Dcpu=enabled"]
        if used.cross:
            words += ["--cross-file", str(used.cross / "cross.ini")]
            words += ["--cross-file", str(used.cross / "llvm.ini")]
        run(words, BUILD / f"{folder.name}.setup.log", **variables)
    words = ["ninja", "-C", str(folder), "src/jit/pycuda-jit"]
    run(words, BUILD / f"{folder.name}.log", **variables)
    target = stage / "pycuda" / "bin" / "pycuda-jit"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / "src" / "jit" / "pycuda-jit", target)
    subprocess.run([_strip(used) or "strip", target], check=True)


def pip_settings(root: Path) -> dict[str, str]:
    """Copy this machine's settings of pip into a system, if it has any.

    Return the variables among them.
    """
    settings = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") and name != "PIP_FIND_LINKS"
    }
    certificates = os.environ.get("PIP_CERT", "")
    for name in ("/etc/pip.conf", "/etc/resolv.conf", certificates):
        if name and Path(name).exists():
            (root / name[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, root / name[1:])
    return settings


@contextlib.contextmanager
def mounted(root: Path, folders: dict[str, Path]) -> Iterator[None]:
    """Make folders of this system visible in another one; needs root."""
    done: list[Path] = []
    try:
        for name, source in {**folders, "proc": Path("/proc")}.items():
            target = root / name
            target.mkdir(exist_ok=True)
            subprocess.run(["mount", "--bind", source, target], check=True)
            done.append(target)
        yield
    finally:
        for target in reversed(done):
            subprocess.run(["umount", target], check=False)
