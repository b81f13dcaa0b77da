"""One compilation through the NVRTC API: options, headers, key, cache.

`pycuda.compiler` creates a job for every source that is not compiled by a
named nvcc.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pycuda.driver as _drv
from pycuda import _driver
from pycuda._compile import (
    arch,
    cache,
    cache_lock,
    cccl,
    files,
    identity,
    includes,
    nvcc,
    nvrtc,
    options,
    overloads,
    report,
    source,
)
from pycuda._compile.warn import warn_user

_PRELUDE = "prelude.h"
# Options with which the image contains the paths of the source files.
_DEBUG = {"--generate-line-info", "--device-debug"}


class Compiled(NamedTuple):
    """An image, its symbols by name expression, and whether it was cached."""

    image: bytes
    names: dict[str, str]
    cached: bool


@dataclass
class Request:
    """The source and its settings, as `pycuda.compiler.compile` takes them."""

    source: str
    options: list[str]
    no_extern_c: bool = False
    arch: str | None = None
    code: str | None = None
    include_dirs: list[str] = field(default_factory=list)
    target: str = "cubin"
    names: list[str] = field(default_factory=list)
    #: Further parts of the cache's key.
    key_parts: list[str] = field(default_factory=list)


def on_gpu() -> bool:
    """Return whether the device is a GPU."""
    return _driver._device_kind() == "gpu"


def device_arch() -> str | None:
    """Return the architecture of the current device.

    Without a context it is that of the first device, without `init()` None.
    """
    for find in (_drv.Context.get_device, lambda: _drv.Device(0)):
        try:
            major, minor = find().compute_capability()
        except _drv.Error:
            continue
        return f"sm_{major}{minor}"
    return None


def cached(
    cache_dir: object,
    keys: list[str],
    compiler: str,
    kind: str,
    make: Callable[[], bytes],
    refresh: bool = False,
) -> tuple[bytes, bool]:
    """Return (content, whether it was cached); store the result of `make`.

    Of several processes that miss the same entry at the same time, one calls
    `make` and the others wait for it; see `cache_lock`.
    """
    folder = cache.directory(cache_dir)
    if folder is None:
        return make(), False

    def load() -> bytes | None:
        return cache.load(folder, keys, compiler, kind)

    content = None if refresh else load()
    if content is not None:
        return content, True
    if refresh or not cache.is_trusted(folder):
        content = make()
        cache.store(folder, keys[0], compiler, kind, content)
        return content, False
    entry = f"{keys[0]}-{compiler}.{kind}"
    with cache_lock.only_one(folder, entry, load) as found:
        if found is not None:
            return found, True
        content = make()
        cache.store(folder, keys[0], compiler, kind, content)
    return content, False


class Job:
    """A `Request`, translated for NVRTC."""

    def __init__(self, request: Request) -> None:
        for name in ("arch", "code"):
            given = getattr(request, name)
            if not isinstance(given, (str, type(None))):
                raise TypeError(f"{name} must be a string, not {given!r}")
        self.request = request
        self.on_gpu = on_gpu()
        plain = self._translate(request.options)
        self.warnings_are_errors = plain.warnings_are_errors
        self.arch = arch.choose_arch(
            request.arch or plain.arch,
            request.code or plain.code,
            device_arch(),
        )
        self.user_dirs = request.include_dirs + plain.include_dirs
        self.folders = includes.Folders(
            lambda: includes.search_dirs(self.user_dirs, self.on_gpu)
        )
        before = [includes.ours(_PRELUDE), *plain.pre_includes]
        self.scan = self._scan(request, before)
        #: All options except the folders.
        self.words = list(plain.options)
        if self.scan.uses_references:
            references = includes.ours(includes.REFERENCES)
            before.insert(1, references)
            self.words.append("--device-as-default-execution-space")
            more = includes.scan("", [references], self.folders)
            self.scan.files += more.files
        self.words += [f"--pre-include={name}" for name in before]
        self.text = source.wrap(request.source, request.no_extern_c)

    def _scan(self, request: Request, before: list[str]) -> includes.Scan:
        try:
            return includes.scan(
                request.source, before, self.folders,
                "\n".join(request.options),
            )  # fmt: skip
        except includes.SpecialFile as error:
            report.failed(
                [self.compiler, *request.options], "", "", str(error)
            )

    def _translate(self, words: list[str]) -> options.Translated:
        try:
            return options.translate(options.with_environment(words))
        except options.OptionError as error:
            report.failed([self.compiler, *words], "", "", str(error))

    @property
    def compiler(self) -> str:
        """Return the compiler's name, for error messages."""
        return "nvrtc" if self.on_gpu else "clang"

    @property
    def kind(self) -> str:
        """Return the cache entry's kind, "named-..." if it holds names."""
        target = self.request.target
        return f"named-{target}" if self.request.names else target

    def keys(self) -> list[str]:
        """Return hashes of all inputs of the image except the compiler.

        There is one hash per instruction set that this host can run, its own
        first. Folders are left out unless the image may hold a path: instead,
        the names and contents of the files found in them are hashed.
        """
        ours = includes.ours("")
        words = [word.replace(ours, "pycuda:") for word in self.words]
        words += [str(self.arch), self.request.target, *self.request.names]
        words += [str(self.warnings_are_errors), *self.request.key_parts]
        if self.scan.names_files or not _DEBUG.isdisjoint(words):
            words += self.user_dirs
        parts = [files.encode(word) for word in (self.text, *words)]
        for name, content in self.scan.files:
            parts += [files.encode(name), content]
        if not self.on_gpu:
            parts.append(cccl.identity(name for name, _ in self.scan.files))
        hosts = ["gpu"] if self.on_gpu else identity.levels()
        return [identity.digest([*parts, host.encode()]) for host in hosts]

    def obtain(self, cache_dir: Any, keep: bool, refresh: bool) -> Compiled:
        """Return the image, from the cache unless `refresh`, else compiled."""
        if not self.scan.complete:
            cache_dir = False
        content, was_kept = cached(
            cache_dir,
            self.keys(),
            identity.compiler(self.on_gpu),
            self.kind,
            lambda: self.run(keep),
            refresh,
        )
        names: dict[str, str] = {}
        if self.request.names:
            import json

            head, _, content = content.partition(b"\n")
            names = json.loads(head)
        return Compiled(content, names, was_kept)

    def run(self, keep: bool) -> bytes:
        """Compile and return the content of the cache entry.

        Warns of the compiler's messages; raises `CompileError` on failure.
        """
        folders = [f"--include-path={d}" for d in self.folders.all]
        done = nvrtc.run(
            self.text,
            [*self.words, *folders],
            self.arch,
            self.request.target,
            self.on_gpu,
            self.request.names,
        )
        if keep:
            self._keep(done.image, done.log)
        if done.image is not None:
            self._accept(done)
            if self.request.names:
                import json

                return json.dumps(done.names).encode() + b"\n" + done.image
            return done.image
        image = None
        if self.on_gpu and nvrtc.is_host_trouble(done.log):
            image = self._try_nvcc()
        if image is None:
            advice = nvrtc.advice(done.log, self.on_gpu)
            if source.is_file_name(self.request.source):
                advice = (
                    "The source is the text itself, not the name of a file: "
                    "open(name).read() gives it."
                )
            if self.request.names:
                names = ", ".join(self.request.names)
                advice = f"{advice} (name expressions: {names})".strip()
            from pycuda._compile import habits  # needed after failures only

            log = overloads.shorten(done.log)
            hint = habits.hint(log, self.request.source)
            report.failed(
                self._command(done), "", f"{log}\n{hint}".rstrip(), advice
            )
        return image

    def _command(self, done: nvrtc.Result) -> list[str]:
        """Return the compiler's command for an error message.

        For the CPU device it has only the options that the program gave.
        """
        if self.on_gpu:
            return done.command
        ours = includes.package_dir()
        own = ("--gpu-architecture=", "--include-path=")
        return [
            self.compiler,
            *(
                word
                for word in done.command[1:]
                if ours not in word and not word.startswith(own)
            ),
        ]

    def _accept(self, done: nvrtc.Result) -> None:
        from pycuda._compile import habits  # needed after compilations only

        command = self._command(done)
        if self.warnings_are_errors and "warning" in done.log:
            report.failed(command, "", done.log, "-Werror is in force.")
        missing = [n for n in self.request.names if n not in done.names]
        if missing:
            text = f"The source has no {', '.join(missing)}."
            report.failed(command, "", done.log, text)
        hint = habits.hint_about_warnings(done.log)
        report.succeeded(f"{done.log}\n{hint}".rstrip())
        if "--disable-warnings" not in self.words:
            for text in habits.truncated_quotients(self.request.source):
                warn_user(text)

    def _keep(self, image: bytes | None, log: str) -> None:
        import tempfile

        folder = tempfile.mkdtemp(prefix="pycuda-")
        contents = {
            source.FILE_NAME: files.encode(self.text),
            "kernel.log": files.encode(log),
            f"kernel.{self.request.target}": image,
        }
        for name, content in contents.items():
            if content is not None:
                with open(os.path.join(folder, name), "wb") as stream:
                    stream.write(content)
        print(f"*** compiler output in {folder}")

    def _try_nvcc(self) -> bytes | None:
        """Let nvcc compile a source that NVRTC refused, if nvcc is on PATH."""
        if self.request.names or includes.find_program("nvcc") is None:
            return None
        ours = os.path.join(includes.package_dir(), "cuda")
        command = nvcc.command(
            "nvcc",
            self.request.options,
            self.request.target,
            self.arch,
            None,
            [*self.user_dirs, ours],
        )
        done = nvcc.run(command, self.text, self.request.target, False)
        if done.image is None:
            return None
        warn_user(
            "NVRTC cannot compile this source (it holds host code or needs "
            "headers of the host); nvcc was used instead."
        )
        report.succeeded(done.stdout + done.stderr)
        return done.image
