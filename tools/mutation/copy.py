"""A copy of the tree with switches: updated, built, tested.

Used by tools/mutate.py.  The folder holds tree/, build/, site/ (the
installation), cache/ (compiled kernels) and numbers.json (the functions'
numbers, which never change once assigned).
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from mutation import page, switches

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

SECONDS_A_TEST = 60
NO_END = "the tests did not end"

# Files of this folder that are installed next to the package, and their names
# there.
INSTALLED = (
    ("page.py", "pycuda_mutation.py"),
    ("plugin.py", "pycuda_mutation_plugin.py"),
    ("serve.py", "pycuda_mutation_serve.py"),
)

# Only slow tests notice a function that does not free memory.
_SLOW_TOO = ("tests/isolated/test_leaks.py",)

# Functions that need a fresh cache of kernels: a function of the compilers is
# not called if the image is cached.
_COMPILERS = re.compile(
    r"src/jit/|src/cpu/(nvrtc|module)/|src/core/code/(nvrtc|linker|module)"
    r"|src/api/|pycuda/(_compile/|compiler)"
)


def tracked() -> list[str]:
    """Return existing files of the tree that git does not ignore."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = sorted(done.stdout.split("\0"))
    return [name for name in names if name and (ROOT / name).is_file()]


def _write(path: Path, data: bytes, mode: int) -> None:
    """Write a file if its content differs; otherwise keep its date."""
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


class Copy:
    """The tree in a separate folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.tree = self.folder / "tree"
        self.site = self.folder / "site"
        self.numbers: dict[str, int] = {}
        self.functions: dict[str, switches.Function] = {}
        known = self.folder / "numbers.json"
        if known.exists():
            self.numbers = json.loads(known.read_text())
        self.environment = self._environment()
        self._own = threading.local()

    def _environment(self) -> dict[str, str]:
        bin_dir = Path(sys.executable).parent
        made = {
            **os.environ,
            "PATH": f"{bin_dir}:{os.environ['PATH']}",
            "PYTHONPATH": str(self.site),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        made.pop("PYCUDA_CACHE_DIR", None)
        return made

    def _number_of(self, key: str) -> int:
        return self.numbers.setdefault(key, len(self.numbers) + 1)

    def read(self) -> None:
        """Find the functions; writes nothing."""
        for name in tracked():
            if name.startswith(("src/", "pycuda/")):
                self._switched(name, (ROOT / name).read_bytes())

    def _switched(self, name: str, data: bytes) -> bytes:
        if not name.endswith((".c", ".py")):
            return data
        made = switches.switch(name, data.decode(), self._number_of)
        self.functions |= {each.key: each for each in made.functions}
        text = made.text
        if made.functions and name.endswith(".c"):
            header = str(self.folder / "switch.h")
            text = text.replace("switch.h", header, 1)
        return text.encode()

    def lock(self) -> None:
        """Lock the folder for this process; exit if another has it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.held = (self.folder / "lock").open("w")
        try:
            fcntl.flock(self.held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"another process works in {self.folder}: give --work")

    def refresh(self) -> None:
        """Update the tree to the state of the checkout."""
        names = tracked()
        for name in names:
            source = ROOT / name
            data = self._switched(name, source.read_bytes())
            _write(self.tree / name, data, source.stat().st_mode)
        if len(self.numbers) > page.BYTES - page.HEAD - 1:
            sys.exit("more functions than the page holds")
        wanted = {self.tree / name for name in names}
        for path in list(self.tree.rglob("*")):
            if path.is_file() and path not in wanted:
                path.unlink()
        (self.folder / "numbers.json").write_text(json.dumps(self.numbers))

    def build(self) -> None:
        """Build and install the changes; exit if that fails."""
        self.site.mkdir(parents=True, exist_ok=True)
        page.make_page(self.site / "pycuda_mutation.page")
        for name, installed in INSTALLED:
            _write(self.site / installed, (HERE / name).read_bytes(), 0o644)
        header = self.folder / "switch.h"
        text = (
            f'#define MUTATION_PAGE "{self.site}/pycuda_mutation.page"\n'
            + (HERE / "switch.h").read_text()
        )
        _write(header, text.encode(), 0o644)
        if not (self.folder / "build" / "build.ninja").exists():
            self._command(
                "meson", "setup", "../build", "--prefix", str(self.folder),
                f"-Dpython.platlibdir={self.site}",
                f"-Dpython.purelibdir={self.site}", "-Dcpu=enabled",
                "-Dwarning_level=0",
            )  # fmt: skip
        self._command("ninja", "-C", "../build", "--quiet")
        self._command(
            "meson", "install", "-C", "../build", "--no-rebuild",
            "--only-changed", "--quiet",
        )  # fmt: skip
        # the package looks for it in the folder next to its own
        import ziglang

        link = self.site / "ziglang"
        link.unlink(missing_ok=True)
        link.symlink_to(Path(ziglang.__file__).parent)

    def _command(self, *words: str) -> None:
        done = subprocess.run(
            ["nice", "-n", "5", *words],
            cwd=self.tree,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"the copy does not build:\n{done.stdout}{done.stderr}")

    def run_tests(
        self,
        files: list[str],
        off: str = "",
        tests: list[str] | None = None,
        calls: Path | None = None,
        limit: float = 1800,
    ) -> str:
        """Run test files; return the first failure, "" if there was none.

        Parameters
        ----------
        files : list of str
            Files of tests, from the root of the tree.
        off : str
            Key of the function to switch off.
        tests : list of str, optional
            The tests in these files to run, in that order.
        calls : Path, optional
            File in which the plugin records calls; then all tests run.
        limit : float
            Seconds after which the tests are ended.
        """
        path = self.own_page()
        view = page.open_page(path)
        page.switch_off(view, self.numbers[off] if off else 0)
        environment = {**self.environment, "PYCUDA_MUTATION_PAGE": str(path)}
        words = [
            "nice", "-n", "5", sys.executable, "-P", "-m", "pytest", "-q",
            "-p", "pycuda_mutation_plugin", "-p", "no:cacheprovider",
            "-o", f"timeout={SECONDS_A_TEST}",
            "-o", "timeout_method=thread",  # ends a test that a kernel blocks
        ]  # fmt: skip
        if tests is None and not set(files) <= set(_SLOW_TOO):
            words += ["-m", "not slow or sweep"]
        words += [] if calls else ["-x"]
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            cache = self.cache_for(off, scratch, calls is not None)
            environment["XDG_CACHE_HOME"] = str(cache)
            environment["HYPOTHESIS_STORAGE_DIRECTORY"] = scratch
            if calls:
                environment["PYCUDA_MUTATION_CALLS"] = str(calls)
            if tests is not None:
                chosen = Path(scratch) / "tests"
                chosen.write_text("\n".join(tests))
                environment["PYCUDA_MUTATION_TESTS"] = str(chosen)
            try:
                return self._run(words + files, environment, limit)
            finally:
                page.switch_off(view, 0)

    def own_page(self) -> Path:
        """Return the page of switches of this thread.

        The main thread has the page that processes open if their environment
        names none: tests that start processes with another environment see no
        other page.
        """
        if not hasattr(self._own, "page"):
            main = threading.current_thread() is threading.main_thread()
            name = "" if main else f"-{threading.get_ident()}"
            self._own.page = self.site / f"pycuda_mutation{name}.page"
            page.make_page(self._own.page)
        return self._own.page

    @property
    def _known(self) -> Path:
        """Return the folder of compiled kernels, if no compiler is mutated."""
        return self.folder / "cache"

    def cache_for(
        self, off: str, scratch: str, calls_are_noted: bool = False
    ) -> Path:
        """Return the cache of kernels for tests while a function is off.

        Cached kernels would hide calls of the compilers' functions.
        """
        fresh = calls_are_noted or _COMPILERS.match(off) is not None
        keeps = calls_are_noted or off.startswith("src/jit/")
        return self._fresh_cache(scratch, keeps) if fresh else self._known

    def _fresh_cache(self, scratch: str, keeps: bool) -> Path:
        """Return a folder without kernels, for functions of a compiler.

        Files that the front end has precompiled do not depend on `pycuda-jit`,
        and stay.
        """
        headers = self._known / "pycuda-c" / "front"
        if keeps and headers.is_dir():
            own = Path(scratch) / "pycuda-c" / "front"
            shutil.copytree(headers, own, copy_function=os.link)
            own.chmod(0o700)
        return Path(scratch)

    def _run(
        self, words: list[str], environment: dict[str, str], limit: float
    ) -> str:
        """Run pytest in a separate session, so that all of it can be ended."""
        process = subprocess.Popen(
            words,
            cwd=self.tree,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            output = ""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        (self.folder / "last.log").write_text(output)
        ended = process.returncode == -signal.SIGKILL and not output
        if ended or "+++ Timeout +++" in output:
            return NO_END
        if process.returncode in (0, 5):
            return ""
        failed = re.findall(
            r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.M
        )
        return failed[0] if failed else f"exit status {process.returncode}"

    def forget(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
