"""Compile CUDA C and load it: `SourceModule`, `DynamicModule`, `compile`.

Compiling goes through the NVRTC API on every device.  nvcc runs only if the
caller names one, or if it is on PATH and NVRTC cannot compile the source.
Compiled images are cached on disk (`pycuda._compile.cache`).
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pycuda.driver as _drv
from pycuda import _driver
from pycuda._compile import arch as _arch
from pycuda._compile import cache as _cache
from pycuda._compile import files as _files
from pycuda._compile import identity as _identity
from pycuda._compile import includes as _includes
from pycuda._compile import nvcc as _nvcc
from pycuda._compile import options as _options
from pycuda._compile import report as _report
from pycuda._compile import source as _source
from pycuda._compile.job import Compiled, Job, Request, cached
from pycuda._compile.job import device_arch as _device_arch
from pycuda._compile.job import on_gpu as _on_gpu
from pycuda._compile.warn import warn_user
from pycuda._launch.declarations import describe_missing_kernel, renames

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

#: Options of a compilation whose call has no options. Taken from
#: PYCUDA_DEFAULT_NVCC_FLAGS when the module is imported.
DEFAULT_NVCC_FLAGS: list[str] = os.environ.get(
    "PYCUDA_DEFAULT_NVCC_FLAGS", ""
).split()

_TARGETS = ("cubin", "ptx", "fatbin")
_HEADERS = os.path.join(_includes.package_dir(), "cuda")


def _find_pycuda_include_path() -> str:
    """Return the folder of this package's headers for kernels."""
    return _HEADERS


def get_nvcc_version(nvcc: str) -> str:
    """Return the output of ``nvcc --version``, cached by path."""
    return _nvcc.version(nvcc)


def preprocess_source(source: str, options: list[str], nvcc: str) -> str:
    """Run nvcc's preprocessor over `source`.

    Raises
    ------
    FileNotFoundError
        If there is no such nvcc: NVRTC offers no preprocessor.
    pycuda.driver.CompileError
        If nvcc fails, or returns less than half of the source.
    """
    _nvcc.require(nvcc, "preprocess_source() needs nvcc")
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


def _compile_with_nvrtc(
    source: object,
    options: Sequence[str] | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: Any = None,
    include_dirs: Sequence[str | os.PathLike[str]] | None = None,
    target: str = "cubin",
    names: Sequence[str] = (),
    refresh: bool = False,
) -> Compiled:
    """Compile with NVRTC; `refresh` compiles even if the image is cached.

    The other parameters are those of `compile`; `names` are name expressions.
    """
    assert target in _TARGETS, f"target must be one of {_TARGETS}"
    if isinstance(source, bytes):
        source = source.decode()
    words, cache_dir, keep = _settings(options, cache_dir, keep)
    folders = _folders(include_dirs)
    if _is_replaced("_find_pycuda_include_path"):
        folders.append(os.fspath(_find_pycuda_include_path()))
    no_extern_c = no_extern_c or bool(names)
    parts = []
    is_replaced = any(
        _is_replaced(name)
        for name in ("preprocess_source", "get_nvcc_version")
    )
    if is_replaced and _cache.directory(cache_dir) is not None:
        text = _source.wrap(str(source), no_extern_c)
        plain = _plain_words(words, arch, code, folders)
        parts = _replaced_key_parts(text, plain)
    request = Request(
        str(source),
        words,
        no_extern_c,
        arch,
        code,
        folders,
        target,
        list(names),
        parts,
    )
    try:
        return Job(request).obtain(cache_dir, keep, refresh)
    except _drv.CompileError as error:
        # The error is about the source: the frames below this one, which
        # would be most of the traceback, are of no use to the program.
        raise error.with_traceback(None) from error.__cause__


def _plain_words(
    words: list[str], arch: str | None, code: str | None, folders: list[str]
) -> list[str]:
    """Return the options that the original PyCUDA gives `compile_plain`."""
    plain = list(words)
    for name, value in (("-arch", arch or _device_arch()), ("-code", code)):
        if value is not None:
            plain += [name, value]
    own = _find_pycuda_include_path()
    return [*plain, *(f"-I{d}" for d in dict.fromkeys([*folders, own]))]


def _replaced_key_parts(text: str, options: list[str]) -> list[str]:
    """Return the parts of the cache key that replaced functions compute.

    A program may have replaced `preprocess_source` or `get_nvcc_version`.  As
    in the original PyCUDA, their results for the source are part of the key.
    If there is no nvcc, a replacement that calls the replaced function fails,
    and adds nothing to the key.
    """
    parts = []
    try:
        if _is_replaced("preprocess_source") and "#include" in text:
            parts.append(str(preprocess_source(text, options, "nvcc")))
        if _is_replaced("get_nvcc_version"):
            parts.append(str(get_nvcc_version("nvcc")))
    except FileNotFoundError:
        if _nvcc.find_program("nvcc") is not None:
            raise
    return parts


def _folders(include_dirs: Sequence[Any] | None) -> list[str]:
    """Return `include_dirs` as a list of paths."""
    if isinstance(include_dirs, (str, os.PathLike)):
        raise TypeError(
            "include_dirs must be a list of folders, not "
            f"{type(include_dirs).__name__}"
        )
    return [os.fspath(d) for d in include_dirs or ()]


def _settings(
    options: list[str] | None, cache_dir: Any, keep: bool
) -> tuple[list[str], Any, bool]:
    """Return options, cache folder and `keep`, changed for debugging.

    The options are a new list.  With `set_debugging`, they include ``-g -G``,
    and images are kept in a folder and not cached.
    """
    words = list(DEFAULT_NVCC_FLAGS) if options is None else options
    words = _options.as_list(words)
    if _drv.CUDA_DEBUGGING:
        return [*words, "-g", "-G"], False, True
    return words, cache_dir, keep


def compile(
    source: object,
    nvcc: str = "nvcc",
    options: Sequence[str] | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: Any = None,
    include_dirs: Sequence[str | os.PathLike[str]] | None = None,
    target: str = "cubin",
) -> bytes:
    """Compile CUDA C to an image for the current context's device.

    Parameters
    ----------
    source
        CUDA C; an object with ``str()``.
    nvcc
        Path of an nvcc to run; by default NVRTC compiles.
    options
        nvcc's options, in place of `DEFAULT_NVCC_FLAGS`.
    keep
        Keep source, log and image in a folder, and print its name.
    no_extern_c
        Do not put the source inside ``extern "C"``.
    arch, code
        Architecture, as nvcc's ``-arch`` and ``-code``; default: the
        device's.
    cache_dir
        Folder of compiled images; False: no cache; None: PYCUDA_CACHE_DIR or
        the user's cache folder.
    include_dirs
        Folders to search for headers.
    target
        "cubin", "ptx" or "fatbin" (a cubin, if NVRTC compiles).

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
    if _is_replaced("compile_plain"):
        return _compile_with_theirs(
            source, nvcc, options, keep, no_extern_c, arch, code, cache_dir,
            include_dirs, target,
        )  # fmt: skip
    if nvcc == "nvcc":
        return _compile_with_nvrtc(
            source, options, keep, no_extern_c, arch, code, cache_dir,
            include_dirs, target,
        ).image  # fmt: skip
    if isinstance(source, bytes):
        source = source.decode()
    words, cache_dir, keep = _settings(options, cache_dir, keep)
    dirs = [*_folders(include_dirs), _find_pycuda_include_path()]
    arch = arch or _device_arch()
    command = _nvcc.command(nvcc, words, target, arch, code, dirs)
    text = _source.wrap(str(source), no_extern_c)
    return _compile_with_nvcc(text, command, cache_dir, target, keep, dirs)


def _compile_with_theirs(
    source: object,
    nvcc: str,
    options: list[str] | None,
    keep: bool,
    no_extern_c: bool,
    arch: str | None,
    code: str | None,
    cache_dir: Any,
    include_dirs: Sequence[str | os.PathLike[str]] | None,
    target: str,
) -> bytes:
    """Compile with the function by which a program replaced compile_plain.

    The parameters are those of `compile`.
    """
    if isinstance(source, bytes):
        source = source.decode()
    words, cache_dir, keep = _settings(options, cache_dir, keep)
    words = _plain_words(words, arch, code, _folders(include_dirs))
    text = _source.wrap(str(source), no_extern_c)
    return compile_plain(text, words, keep, nvcc, cache_dir, target)


def _compile_with_nvcc(
    text: str,
    command: list[str],
    cache_dir: Any,
    target: str,
    keep: bool,
    dirs: list[str],
) -> bytes:
    """Compile with the nvcc that the caller named, or load from the cache."""
    _nvcc.require(command[0], "leave nvcc= out to compile without nvcc")
    scan = _includes.scan(text, [], _includes.Folders(lambda: dirs))
    if not scan.complete:
        cache_dir = False
    parts = [_files.encode(word) for word in (text, *command)]
    for name, content in scan.files:
        parts += [_files.encode(name), content]
    version = ""
    if _cache.directory(cache_dir) is not None:
        said = get_nvcc_version(command[0])
        version = _identity.digest([str(said).encode()], 8)
        if _is_replaced("preprocess_source") and "#include" in text:
            parts.append(
                preprocess_source(text, command[1:-1], command[0]).encode()
            )
    return cached(
        cache_dir,
        [_identity.digest(parts)],
        version,
        target,
        lambda: _run_nvcc(text, command, target, keep),
    )[0]


def _run_nvcc(
    source: str, command: list[str], target: str, keep: bool
) -> bytes:
    """Run nvcc and return the image; issue its messages as warnings."""
    done = _nvcc.run(command, source, target, keep)
    if done.image is None:
        if done.status == 0:
            warn_user(
                "PyCUDA: nvcc exited with status 0, but appears to have "
                "encountered an error"
            )
        _report.failed(command, done.stdout, done.stderr, path=done.path)
    _report.succeeded(done.stdout + done.stderr)
    return done.image


def compile_plain(
    source: str,
    options: list[str],
    keep: bool,
    nvcc: str,
    cache_dir: Any,
    target: str = "cubin",
) -> bytes:
    """Compile `source` as it is: no extern "C", -arch or -I is added.

    NVRTC compiles for the device's architecture, unless `options` name one.
    """
    assert target in _TARGETS, f"target must be one of {_TARGETS}"
    if nvcc == "nvcc":
        return _compile_with_nvrtc(
            source,
            options,
            keep,
            no_extern_c=True,
            cache_dir=cache_dir,
            target=target,
        ).image
    words = _options.as_list(options)
    command = _nvcc.command(nvcc, words, target, None, None, [])
    return _compile_with_nvcc(source, command, cache_dir, target, keep, [])


#: The functions of this module that programs may replace by their own.
_OWN = {
    function.__name__: function
    for function in (
        compile,
        compile_plain,
        get_nvcc_version,
        preprocess_source,
        _find_pycuda_include_path,
    )
}


def _is_replaced(name: str) -> bool:
    """Return whether a program has replaced a function of this module."""
    return globals()[name] is not _OWN[name]


class CudaModule:
    """Common base of `SourceModule` and `DynamicModule`."""

    module: Any
    # `_bind_module` sets get_global, get_texref and get_surfref of each
    # object.
    get_global: Callable[[str], tuple[int, int]]
    get_texref: Callable[[str], _drv.TextureReference]
    get_surfref: Callable[[str], _drv.SurfaceReference]
    _names: Mapping[str, str] = MappingProxyType({})

    def _check_arch(self, arch: str | None) -> None:
        """Warn if `arch` is newer than the current device (not on the CPU)."""
        wanted = _arch.arch_number(arch) if arch else None
        have = _arch.arch_number(_device_arch() or "")
        if wanted is None or have is None or not _on_gpu():
            return
        if wanted > have:
            warn_user(
                "trying to compile for a compute capability higher than "
                f"selected GPU: {arch} on sm_{have}"
            )

    def _bind_module(self) -> None:
        self.get_global = self._by_symbol(self.module.get_global)
        self.get_texref = self._by_symbol(self.module.get_texref)
        self.get_surfref = self._by_symbol(self.module.get_surfref)

    def _by_symbol(self, look_up: Any) -> Any:
        """Return the function `look_up`, extended to name expressions."""
        if not self._names:
            return look_up
        return lambda name: look_up(self._symbol(name))

    def _symbol(self, name: str) -> str:
        """Return the symbol in the image for a name or name expression."""
        known = self._names
        if not known or not isinstance(name, str):
            return name
        name = _squeeze(name)
        return known.get(name) or known.get(f"&{name}") or name

    def get_function(self, name: str) -> _drv.Function:
        """Return the kernel called `name`, a `pycuda.driver.Function`."""
        function: _drv.Function = self.module.get_function(self._symbol(name))
        return function


class SourceModule(CudaModule):
    """Compile CUDA C for the current context and load it.

    The parameters are those of `compile`.  ``get_function``, ``get_global``,
    ``get_texref`` and ``get_surfref`` look up the module's objects; ``module``
    is the `pycuda.driver.Module`.

    Parameters
    ----------
    name_expressions
        Kernels and variables in C++'s terms, such as ``"scale<float>"`` or
        ``"&space::table"``, by which they can then be looked up.  Naming a
        template here instantiates it.  The source is then not put inside
        ``extern "C"``.
    """

    # None in classes that load a module in another way than from a source.
    _source: object = None
    _options: Sequence[str] = ()

    def __init__(
        self,
        source: object,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: Any = None,
        include_dirs: Sequence[str | os.PathLike[str]] | None = None,
        name_expressions: Sequence[str] = (),
    ) -> None:
        self._check_arch(arch)
        names = _expressions(name_expressions)
        self._source = source
        self._options = DEFAULT_NVCC_FLAGS if options is None else options
        replaced = not names and (
            _is_replaced("compile") or _is_replaced("compile_plain")
        )
        if nvcc != "nvcc" and not (names or replaced or _on_gpu()):
            warn_user(
                f"nvcc={nvcc!r} makes images for GPUs: the CPU device "
                "compiles with its own compiler"
            )
            nvcc = "nvcc"
        if nvcc == "nvcc" and not replaced:
            arguments = (
                source, options, keep, no_extern_c, arch, code, cache_dir,
                include_dirs, "cubin", names,
            )  # fmt: skip
            try:
                self._load(arguments)
            except _drv.CompileError as error:
                raise error.with_traceback(None) from error.__cause__
        elif names:
            raise ValueError("name_expressions need NVRTC: leave nvcc= out")
        else:
            image = compile(
                source, nvcc, options, keep, no_extern_c, arch, code,
                cache_dir, include_dirs,
            )  # fmt: skip
            self.module: Any = _drv.module_from_buffer(image)
        self._bind_module()

    def get_function(self, name: str) -> _drv.Function:
        """Return the kernel called `name`, a `pycuda.driver.Function`.

        The function has the source, so that launches can check arguments
        against the declared types (`pycuda._launch.declarations`).

        Raises
        ------
        pycuda.driver.LogicError
            If the module has no kernel of this name.
        """
        try:
            function = super().get_function(name)
        except _drv.LogicError as error:
            mistake = describe_missing_kernel(self._source, name)
            if not mistake:
                raise
            raise _drv.LogicError(f"{error}; {mistake}") from None
        if isinstance(self._source, str) and not renames(self._options):
            function._source = self._source
        return function

    def _load(self, arguments: tuple[Any, ...]) -> None:
        """Compile and load; recompile if the driver refuses a cached image."""
        made = _compile_with_nvrtc(*arguments)
        try:
            self.module = _drv.module_from_buffer(made.image)
        except _drv.Error:
            if not made.cached:
                raise
            made = _compile_with_nvrtc(*arguments, refresh=True)
            self.module = _drv.module_from_buffer(made.image)
        self._names = {_squeeze(k): v for k, v in made.names.items()}


def _expressions(names: Sequence[str]) -> list[str]:
    if isinstance(names, str) or not all(isinstance(n, str) for n in names):
        raise TypeError("name_expressions must be a list of strings")
    return list(dict.fromkeys(names))


def _squeeze(expression: str) -> str:
    """Remove all spaces, so that equal name expressions compare equal."""
    return "".join(expression.split())


class DynamicModule(CudaModule):
    """Links several sources, images and libraries into one module."""

    def __init__(
        self,
        nvcc: str = "nvcc",
        link_options: Any = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: Any = None,
        include_dirs: Sequence[str | os.PathLike[str]] | None = None,
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
        self.module: Any = None
        self.linker: _drv.Linker | None = _drv.Linker(
            message_handler, link_options, log_verbose
        )
        self._check_arch(arch)

    def _locate_cuda_libdir(self) -> str:
        """Return the folder that holds libcudadevrt.a."""
        environment = os.environ.get
        cuda = _driver._nvrtc_info()[1]
        nvcc = _includes.find_program(self.nvcc)
        roots = [environment("CUDA_PATH"), environment("CUDA_HOME")]
        if nvcc:
            home = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
            roots.insert(0, home)
        places = [
            self.cuda_libdir,
            os.path.join(environment("CUDA_ROOT", ""), "lib64"),
            *environment("LD_LIBRARY_PATH", "").split(":"),
            "/usr/lib/x86_64-linux-gnu",
            *(os.path.join(root, "lib64") for root in roots if root),
            *sorted(
                _includes.wheel_lib_dirs(),
                key=lambda folder: ("cu13" in folder) != (cuda >= 13),
            ),
            "/usr/local/cuda/lib64",
        ]
        for folder in places:
            if folder and os.path.isfile(
                os.path.join(folder, "libcudadevrt.a")
            ):
                return folder
        wheel = _includes.package_for("cuda_runtime.h", cuda)
        raise RuntimeError(
            "Cannot find CUDA's library folder (with libcudadevrt.a): name "
            f"it in cuda_libdir=, set CUDA_ROOT or pip install {wheel}"
        )

    def add_source(
        self,
        source: object,
        nvcc_options: list[str] | None = None,
        name: str = "kernel.ptx",
    ) -> DynamicModule:
        """Compile `source` with the stored settings and add it.

        NVRTC compiles to a relocatable cubin, a named nvcc to PTX.
        """
        named = self.nvcc != "nvcc" or _is_replaced("compile")
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
        """Add ``lib<libname>.a`` of CUDA's library folder.

        The CPU device needs no libcudadevrt.a: the functions of it that
        kernels call are built in.

        Raises
        ------
        OSError
            If the folder has no such file.
        """
        if libname == "cudadevrt" and not _on_gpu():
            return self
        if self.libdir is None:
            self.libdir = self._locate_cuda_libdir()
            self.libptn = "lib%s.a"
        path = os.path.join(self.libdir, f"lib{libname}.a")
        if not os.path.isfile(path):
            raise OSError(f'CUDA SDK library file "{path}" not found')
        self.linker.add_file(path, _drv.jit_input_type.LIBRARY)
        return self

    def link(self) -> DynamicModule:
        """Link all added parts; afterwards functions can be looked up.

        Raises
        ------
        RuntimeError
            If `link` was called before.
        """
        if self.linker is None:
            raise RuntimeError("link() was called before")
        self.module = self.linker.link_module()
        self.linker = None
        self._bind_module()
        return self

    def get_function(self, name: str) -> _drv.Function:
        """Return the kernel called `name`, a `pycuda.driver.Function`.

        Raises
        ------
        RuntimeError
            Before `link`.
        """
        if self.module is None:
            raise RuntimeError("call link() before you look a function up")
        return super().get_function(name)


class DynamicSourceModule(DynamicModule):
    """A source whose kernels launch kernels (dynamic parallelism)."""

    def __init__(
        self,
        source: object,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: Any = None,
        include_dirs: Sequence[str | os.PathLike[str]] | None = None,
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


if __name__ == "__main__":
    import sys

    from pycuda._command_line import run
    from pycuda._compile.commands import main

    sys.exit(run("pycuda.compiler", main))
