"""Compile CUDA C and load it: `SourceModule` and its relatives.

Compiling goes through the NVRTC API on every device; nvcc runs only when the
caller names one, or once where the source needs it and it is on PATH.
Images are kept on disk (`pycuda._compile.cache`).
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import shutil
from typing import Any

import pycuda.driver as _drv
from pycuda import _driver
from pycuda._compile import cache as _cache
from pycuda._compile import includes as _includes
from pycuda._compile import nvcc as _nvcc
from pycuda._compile import options as _options
from pycuda._compile import source as _source
from pycuda._compile.warn import warn_user

__all__ = [
    "DEFAULT_NVCC_FLAGS",
    "CudaModule",
    "DynamicModule",
    "DynamicSourceModule",
    "SourceModule",
    "compile",
    "compile_plain",
    "get_nvcc_version",
    "preprocess_source",
]

#: Options of every compilation that names none; taken from
#: PYCUDA_DEFAULT_NVCC_FLAGS when the module is imported.
DEFAULT_NVCC_FLAGS: list[str] = os.environ.get(
    "PYCUDA_DEFAULT_NVCC_FLAGS", ""
).split()

_TARGETS = ("cubin", "ptx", "fatbin")
_PRELUDE = "prelude.h"
_HERE = os.path.dirname(os.path.abspath(__file__))


def get_nvcc_version(nvcc: str) -> str:
    """What ``nvcc --version`` says, asked once a path."""
    return _nvcc.version(nvcc)


def preprocess_source(source: str, options: list[str], nvcc: str) -> str:
    """Run nvcc's preprocessor over `source`.

    Raises
    ------
    pycuda.driver.CompileError
        If nvcc fails, or gives back less than half of the source.
    """
    status, text, errors = _nvcc.preprocess(source, options, nvcc)
    words = [nvcc, "--preprocess", *options]
    if status != 0:
        raise _drv.CompileError(
            f"nvcc preprocessing of {_source.FILE_NAME} failed",
            words,
            stderr=errors,
        )
    if len(text) < 0.5 * len(source):
        raise _drv.CompileError(
            "nvcc preprocessing gave a ridiculously small code output",
            words,
            stderr=errors,
        )
    return text


def _on_gpu() -> bool:
    return _driver._device_kind() == "gpu"


def _device_arch() -> str | None:
    """Architecture of the current context's device; None without one."""
    try:
        device = _drv.Context.get_device()
        major, minor = device.compute_capability()
    except _drv.Error:
        return None
    return f"sm_{major}{minor}"


def _report(text: str) -> None:
    """Hand the compiler's words to the user, as PyCUDA does."""
    if not text.strip():
        return
    if "demoted" in text or "demoting" in text:
        warn_user(
            "The CUDA compiler demoted types of lesser precision: "
            "double may have become float."
        )
    warn_user(
        "The CUDA compiler succeeded, but said the following:\n" + text.strip()
    )


def _fail(
    command: list[str], stdout: str, stderr: str, advice: str = ""
) -> None:
    text = f"compilation of {_source.FILE_NAME} failed"
    if advice:
        text = f"{text}. {advice}"
    raise _drv.CompileError(text, command, stdout=stdout, stderr=stderr)


def _compile_by_nvcc(
    source: str, command: list[str], target: str, keep: bool
) -> bytes:
    """Run nvcc; warn of what it says."""
    image, stdout, stderr = _nvcc.run(command, source, target, keep)
    if image is None:
        _fail(command, stdout, stderr)
    _report(stdout + stderr)
    assert image is not None
    return image


class _Job:
    """One compilation through NVRTC: options, headers, key."""

    def __init__(
        self,
        source: str,
        options: list[str],
        no_extern_c: bool,
        arch: str | None,
        code: str | None,
        include_dirs: list[str],
        target: str,
    ) -> None:
        self.target = target
        self.user_source = source
        self.user_options = options
        self.no_extern_c = no_extern_c
        self.on_gpu = _on_gpu()
        plain = _options.translate(options)
        self.arch = _options.choose_arch(
            arch or plain.arch, code or plain.code, _device_arch()
        )
        dirs = [os.fspath(d) for d in include_dirs] + plain.include_dirs
        self.user_dirs = dirs
        search = _includes.search_dirs(dirs, self.on_gpu)
        before = [_PRELUDE, *plain.pre_includes]
        self.scan = _includes.scan(source, before, search)
        self.options = list(plain.options)
        if self.scan.uses_references:
            before.insert(1, _includes.REFERENCES)
            self.options.append("--device-as-default-execution-space")
            self.scan.files += _includes.scan(
                "", [_includes.REFERENCES], search
            ).files
        self.options += [f"--pre-include={name}" for name in before]
        self.options += [f"--include-path={d}" for d in search]

    @property
    def source(self) -> str:
        return _source.wrap(self.user_source, self.no_extern_c)

    def key(self) -> str:
        """Hash of everything the image depends on but the compiler.

        Folders of this package and of the toolkit are left out: what was
        found in them is hashed instead, wherever it lies.
        """
        options = [o for o in self.options if not o.startswith("--include-p")]
        host = "gpu" if self.on_gpu else _cache.host_features()
        words = [*options, *self.user_dirs, str(self.arch), self.target, host]
        parts = [self.source.encode(), *(w.encode() for w in words)]
        for name, content in self.scan.files:
            parts += [name.encode(), content]
        return _cache.digest(parts)

    def run(self, keep: bool) -> bytes:
        """Compile; warn of what the compiler says, raise if it fails."""
        from pycuda._compile import nvrtc

        done = nvrtc.run(
            self.source, self.options, self.arch, self.target, self.on_gpu
        )
        if keep:
            self._keep(done.image, done.log)
        if done.image is not None:
            _report(done.log)
            return done.image
        image = None
        if self.on_gpu and nvrtc.is_host_trouble(done.log):
            image = self._try_nvcc()
        if image is None:
            _fail(
                done.command, "", done.log, nvrtc.advice(done.log, self.on_gpu)
            )
        assert image is not None
        return image

    def _keep(self, image: bytes | None, log: str) -> None:
        import tempfile

        folder = tempfile.mkdtemp(prefix="pycuda-")
        files = {
            _source.FILE_NAME: self.source.encode(),
            "kernel.log": log.encode(),
            f"kernel.{self.target}": image,
        }
        for name, content in files.items():
            if content is not None:
                with open(os.path.join(folder, name), "wb") as stream:
                    stream.write(content)
        print(f"*** compiler output in {folder}")

    def _try_nvcc(self) -> bytes | None:
        """Let nvcc try what NVRTC refused, if it is on PATH."""
        if shutil.which("nvcc") is None:
            return None
        source = self.user_source
        if not self.no_extern_c:
            source = _source.wrap(source, False)
        ours = os.path.join(_HERE, "cuda")
        command = _nvcc.command(
            "nvcc",
            self.user_options,
            self.target,
            self.arch,
            None,
            [*self.user_dirs, ours],
        )
        image, stdout, stderr = _nvcc.run(command, source, self.target, False)
        if image is None:
            return None
        warn_user(
            "NVRTC cannot compile this source (it holds host code or needs "
            "headers of the host); nvcc was used instead."
        )
        _report(stdout + stderr)
        return image


def _cached(
    cache_dir: object, key: str, compiler: str, target: str, make: Any
) -> bytes:
    """Image from the cache, or what `make` gives, which is then kept."""
    folder = _cache.directory(cache_dir)
    if folder is None:
        return make()
    image = _cache.load(folder, key, compiler, target)
    if image is None:
        image = make()
        _cache.store(folder, key, compiler, target, image)
    return image


def compile(
    source: object,
    nvcc: str = "nvcc",
    options: list[str] | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: Any = None,
    include_dirs: list[str] | None = None,
    target: str = "cubin",
) -> bytes:
    """Compile CUDA C to an image for the current context's device.

    Parameters
    ----------
    source
        CUDA C; an object with ``str()``.
    nvcc
        Path of an nvcc to run; with the default none is run.
    options
        nvcc's options, instead of `DEFAULT_NVCC_FLAGS`.
    keep
        Leave source, log and image in a folder, and print its name.
    no_extern_c
        Do not put the source inside ``extern "C"``.
    arch, code
        Architecture, as nvcc's ``-arch`` and ``-code``; default: the
        device's.
    cache_dir
        Folder of compiled images; False: none; None: PYCUDA_CACHE_DIR or
        the user's cache folder.
    include_dirs
        Folders to search for headers.
    target
        "cubin", "ptx" or "fatbin" (through NVRTC: a cubin).

    Returns
    -------
    bytes
        The image, for `pycuda.driver.module_from_buffer`.

    Raises
    ------
    pycuda.driver.CompileError
        If the compiler refuses the source; its text is in ``stderr``.
    """
    assert target in _TARGETS, f"target must be one of {_TARGETS}"
    if isinstance(source, bytes):
        source = source.decode()
    words = list(DEFAULT_NVCC_FLAGS) if options is None else options
    words = _options.as_list(words)
    if getattr(_drv, "CUDA_DEBUGGING", False):
        cache_dir, keep = False, True
        words += ["-g", "-G"]
    dirs = [os.fspath(d) for d in include_dirs or []]
    if nvcc != "nvcc":
        return _compile_named_nvcc(
            str(source), nvcc, words, keep, no_extern_c, arch, code,
            cache_dir, dirs, target,
        )  # fmt: skip
    job = _Job(str(source), words, no_extern_c, arch, code, dirs, target)
    if not job.scan.complete:
        cache_dir = False
    return _cached(
        cache_dir,
        job.key(),
        _cache.compiler_identity(job.on_gpu),
        target,
        lambda: job.run(keep),
    )


def _compile_named_nvcc(
    source: str,
    nvcc: str,
    options: list[str],
    keep: bool,
    no_extern_c: bool,
    arch: str | None,
    code: str | None,
    cache_dir: Any,
    dirs: list[str],
    target: str,
) -> bytes:
    """`compile` with the nvcc that the caller named."""
    arch = arch or _device_arch()
    ours = os.path.join(_HERE, "cuda")
    command = _nvcc.command(nvcc, options, target, arch, code, [*dirs, ours])
    text = _source.wrap(source, no_extern_c)
    return _through_nvcc(text, command, cache_dir, target, keep, dirs)


def _through_nvcc(
    text: str,
    command: list[str],
    cache_dir: Any,
    target: str,
    keep: bool,
    dirs: list[str],
) -> bytes:
    _nvcc.require(command[0])
    scan = _includes.scan(text, [], dirs)
    if not scan.complete:
        cache_dir = False
    parts = [text.encode(), *(w.encode() for w in command)]
    for name, content in scan.files:
        parts += [name.encode(), content]
    identity = ""
    if _cache.directory(cache_dir) is not None:
        identity = _cache.digest([_nvcc.version(command[0]).encode()], 8)
    return _cached(
        cache_dir,
        _cache.digest(parts),
        identity,
        target,
        lambda: _compile_by_nvcc(text, command, target, keep),
    )


def compile_plain(
    source: str,
    options: list[str],
    keep: bool,
    nvcc: str,
    cache_dir: Any,
    target: str = "cubin",
) -> bytes:
    """`compile` without extern "C", architecture and our own headers."""
    assert target in _TARGETS, f"target must be one of {_TARGETS}"
    if nvcc == "nvcc":
        return compile(
            source,
            options=options,
            keep=keep,
            no_extern_c=True,
            cache_dir=cache_dir,
            target=target,
        )
    command = _nvcc.command(nvcc, options, target, None, None, [])
    return _through_nvcc(source, command, cache_dir, target, keep, [])


class CudaModule:
    """What `SourceModule` and `DynamicModule` share."""

    module: Any

    def _check_arch(self, arch: str | None) -> None:
        """Warn if `arch` is beyond the current device (not on the CPU)."""
        wanted = _options.arch_number(arch) if arch else None
        have = _options.arch_number(_device_arch() or "")
        if wanted is None or have is None or not _on_gpu():
            return
        if wanted > have:
            warn_user(
                "trying to compile for a compute capability higher than "
                f"selected GPU: {arch} on sm_{have}"
            )

    def _bind_module(self) -> None:
        self.get_global = self.module.get_global
        self.get_texref = self.module.get_texref
        self.get_surfref = self.module.get_surfref

    def get_function(self, name: str) -> Any:
        """The kernel called `name`, a `pycuda.driver.Function`."""
        return self.module.get_function(name)


class SourceModule(CudaModule):
    """Compile CUDA C for the current context and load it.

    The parameters are those of `compile`.  ``get_function``, ``get_global``,
    ``get_texref`` and ``get_surfref`` look things up in it; ``module`` is
    the `pycuda.driver.Module`.
    """

    def __init__(
        self,
        source: object,
        nvcc: str = "nvcc",
        options: list[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: Any = None,
        include_dirs: list[str] | None = None,
    ) -> None:
        self._check_arch(arch)
        image = compile(
            source, nvcc, options, keep, no_extern_c, arch, code, cache_dir,
            include_dirs,
        )  # fmt: skip
        self.module = _drv.module_from_buffer(image)
        self._bind_module()


class DynamicModule(CudaModule):
    """Link several sources, images and libraries into one module."""

    def __init__(
        self,
        nvcc: str = "nvcc",
        link_options: Any = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: Any = None,
        include_dirs: list[str] | None = None,
        message_handler: Any = None,
        log_verbose: bool = False,
        cuda_libdir: str | None = None,
    ) -> None:
        capability = _drv.Context.get_device().compute_capability()
        if capability < (3, 5):
            raise RuntimeError(
                "Minimum compute capability for dynamic parallelism is 3.5 "
                f"(found: {capability[0]}.{capability[1]})!"
            )
        self.nvcc = nvcc
        self.keep = keep
        self.no_extern_c = no_extern_c
        self.arch = arch
        self.code = code
        self.cache_dir = cache_dir
        self.include_dirs = include_dirs
        self.cuda_libdir = cuda_libdir
        self.libdir: str | None = None
        self.libptn: str | None = None
        self.module = None
        self.linker = _drv.Linker(message_handler, link_options, log_verbose)
        self._check_arch(arch)

    def _locate_cuda_libdir(self) -> str:
        """Folder that holds libcudadevrt.a."""
        places = [self.cuda_libdir]
        for name in ("CUDA_ROOT", "CUDA_PATH", "CUDA_HOME"):
            root = os.environ.get(name)
            places.append(os.path.join(root, "lib64") if root else None)
        places += os.environ.get("LD_LIBRARY_PATH", "").split(":")
        places.append("/usr/lib/x86_64-linux-gnu")
        nvcc = shutil.which(self.nvcc)
        if nvcc:
            root = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
            places.append(os.path.join(root, "lib64"))
        for place in places:
            if place and os.path.isfile(os.path.join(place, "libcudadevrt.a")):
                return place
        raise RuntimeError(
            "Cannot find CUDA's library folder (with libcudadevrt.a): name "
            "it in cuda_libdir= or set CUDA_ROOT"
        )

    def add_source(
        self,
        source: object,
        nvcc_options: list[str] | None = None,
        name: str = "kernel.ptx",
    ) -> DynamicModule:
        """Compile `source` with the stored settings and add it.

        Through NVRTC it is added as a relocatable cubin, through a named
        nvcc as PTX.
        """
        named = self.nvcc != "nvcc"
        image = compile(
            source, self.nvcc, nvcc_options, self.keep, self.no_extern_c,
            self.arch, self.code, self.cache_dir, self.include_dirs,
            "ptx" if named else "cubin",
        )  # fmt: skip
        kinds = _drv.jit_input_type
        self.linker.add_data(image, kinds.PTX if named else kinds.CUBIN, name)
        return self

    def add_data(
        self, data: Any, input_type: Any, name: str = "unknown"
    ) -> DynamicModule:
        """Add an image of the given `pycuda.driver.jit_input_type`."""
        self.linker.add_data(data, input_type, name)
        return self

    def add_file(self, filename: str, input_type: Any) -> DynamicModule:
        """Add a file of the given `pycuda.driver.jit_input_type`."""
        self.linker.add_file(filename, input_type)
        return self

    def add_stdlib(self, libname: str) -> DynamicModule:
        """Add ``lib<libname>.a`` of CUDA's library folder."""
        if self.libdir is None:
            self.libdir = self._locate_cuda_libdir()
            self.libptn = "lib%s.a"
        path = os.path.join(self.libdir, f"lib{libname}.a")
        if not os.path.isfile(path):
            raise OSError(f'CUDA SDK library file "{path}" not found')
        self.linker.add_file(path, _drv.jit_input_type.LIBRARY)
        return self

    def link(self) -> DynamicModule:
        """Link what was added; afterwards functions can be looked up."""
        if self.linker is None:
            raise RuntimeError("this module is linked already")
        self.module = self.linker.link_module()
        self.linker = None
        self._bind_module()
        return self


class DynamicSourceModule(DynamicModule):
    """A source that launches kernels itself (dynamic parallelism)."""

    def __init__(
        self,
        source: object,
        nvcc: str = "nvcc",
        options: list[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: Any = None,
        include_dirs: list[str] | None = None,
        cuda_libdir: str | None = None,
    ) -> None:
        super().__init__(
            nvcc=nvcc,
            keep=keep,
            no_extern_c=no_extern_c,
            arch=arch,
            code=code,
            cache_dir=cache_dir,
            include_dirs=include_dirs,
            cuda_libdir=cuda_libdir,
        )
        words = list(DEFAULT_NVCC_FLAGS) if options is None else options
        words = _options.as_list(words)
        for needed in ("-rdc=true", "-lcudadevrt"):
            if needed not in words:
                words.append(needed)
        self.add_source(source, nvcc_options=words)
        self.add_stdlib("cudadevrt")
        self.link()
