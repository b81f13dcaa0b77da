"""Files that compilations read or execute: complete, regular, and trusted.

The tests with another user need root, which can change a file's owner.
"""

# SPDX-License-Identifier: MIT

import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda import cpu
from pycuda._compile import cache, files
from pycuda.compiler import SourceModule, compile

KEY, COMPILER = "0" * 40, "c" * 16
STRANGER = 65534

as_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="root alone can give files away"
)


def load(folder):
    return cache.load(str(folder), [KEY], COMPILER, "cubin")


def stored(folder):
    """Store an entry in `folder`; return its path."""
    cache.store(str(folder), KEY, COMPILER, "cubin", b"image")
    assert load(folder) == b"image"
    return folder / f"{KEY}-{COMPILER}.cubin"


@as_root
def test_an_entry_of_another_user_is_a_miss_with_one_warning(tmp_path):
    os.chown(stored(tmp_path), STRANGER, STRANGER)
    with pytest.warns(UserWarning, match="belongs to user 65534") as caught:
        assert load(tmp_path) is None
        assert load(tmp_path) is None
    assert len(caught) == 1


@pytest.mark.parametrize("mode", [0o666, 0o646, 0o602])
def test_an_entry_that_others_can_write_is_a_miss(tmp_path, mode):
    os.chmod(stored(tmp_path), mode)
    with pytest.warns(UserWarning, match="other users can write"):
        assert load(tmp_path) is None


@as_root
def test_a_group_may_write_only_if_it_is_private(tmp_path):
    path = stored(tmp_path)
    os.chmod(path, 0o664)
    assert load(tmp_path) == b"image"
    os.chown(path, 0, 100)
    with pytest.warns(UserWarning, match="other users can write"):
        assert load(tmp_path) is None


@as_root
def test_a_planted_entry_is_replaced(tmp_path):
    """Compiling again replaces it by an entry of the user."""
    os.chown(stored(tmp_path), STRANGER, STRANGER)
    with pytest.warns(UserWarning):
        assert load(tmp_path) is None
    cache.store(str(tmp_path), KEY, COMPILER, "cubin", b"again")
    assert load(tmp_path) == b"again"


@as_root
def test_owners_of_read_only_folders(tmp_path, monkeypatch):
    """The folder's owner is trusted if no one else can write to it."""
    monkeypatch.setenv("PYCUDA_CACHE_READONLY", str(tmp_path))
    own = tmp_path / "own"
    path = stored(tmp_path)
    os.chown(path, STRANGER, STRANGER)
    with pytest.warns(UserWarning):
        assert load(own) is None
    os.chown(tmp_path, STRANGER, STRANGER)
    assert load(own) == b"image"
    os.chmod(tmp_path, 0o777)
    cache._untrusted.clear()
    with pytest.warns(UserWarning):
        assert load(own) is None


def test_root_is_trusted(tmp_path, monkeypatch):
    """A cache that root owns and users share works."""
    stored(tmp_path)
    status = os.stat(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: status.st_uid + 1000)
    if status.st_uid == 0:
        assert load(tmp_path) == b"image"
    else:
        with pytest.warns(UserWarning):
            assert load(tmp_path) is None


@pytest.mark.parametrize("special", ["fifo", "/dev/zero", "folder"])
def test_an_entry_that_is_no_regular_file_is_a_miss(tmp_path, special):
    path = stored(tmp_path)
    path.unlink()
    if special == "fifo":
        os.mkfifo(path)
    elif special == "folder":
        path.mkdir()
    else:
        path.symlink_to(special)
    assert load(tmp_path) is None


@as_root
def test_a_folder_that_cannot_be_written_is_one_warning():
    """Another user's entries in a sticky folder cannot be replaced."""
    program = f"""
import os, warnings
from pycuda._compile import cache
os.setresgid({STRANGER}, {STRANGER}, {STRANGER})
os.setresuid({STRANGER}, {STRANGER}, {STRANGER})
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for key in ("1" * 40, "2" * 40):
        cache.store(os.environ["SHARED"], key, {COMPILER!r}, "cubin", b"mine")
assert len(caught) == 1, [str(w.message) for w in caught]
assert "not kept" in str(caught[0].message), caught[0]
"""
    with tempfile.TemporaryDirectory() as shared:
        os.chmod(shared, 0o1777)
        for key in ("1" * 40, "2" * 40):
            cache.store(shared, key, COMPILER, "cubin", b"image")
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            cwd="/",
            env={**os.environ, "SHARED": shared},
        )


@pytest.mark.parametrize("long", ["a/" * 3000, "b" * 6000, "c\0d"])
def test_a_folder_whose_path_is_too_long_is_one_warning(
    monkeypatch, tmp_path, long
):
    """Neither OSError nor RecursionError reaches the program."""
    folder = f"{tmp_path}/{long}"
    with pytest.warns(UserWarning, match="not kept") as caught:
        cache.store(folder, KEY, COMPILER, "cubin", b"image")
    assert len(caught) == 1
    assert load(folder) is None


def test_folders_are_made_as_makedirs_makes_them(tmp_path):
    deep = tmp_path.joinpath(*["x"] * 300)
    files.make_folder(str(deep))
    assert deep.is_dir()
    files.make_folder(str(deep))
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        files.make_folder(str(tmp_path / "file" / "below"))


# ---- files that programs name ----


def special_file(tmp_path, kind):
    path = tmp_path / kind
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    return path


@pytest.mark.parametrize("kind", ["fifo", "zero"])
@pytest.mark.parametrize("quotes", ['""', "<>"])
def test_a_special_file_as_a_header(tmp_path, kind, quotes):
    special_file(tmp_path, kind)
    source = f"#include {quotes[0]}{kind}{quotes[1]}\n__global__ void k() {{}}"
    with pytest.raises(drv.CompileError, match="no regular file"):
        compile(source, include_dirs=[str(tmp_path)])


@pytest.mark.parametrize("kind", ["fifo", "zero"])
@pytest.mark.parametrize("where", ["source", "header", "option"])
def test_a_special_file_that_a_macro_includes(tmp_path, kind, where):
    special_file(tmp_path, kind)
    define, options = f'#define H "{kind}"\n', []
    if where == "header":
        (tmp_path / "names.h").write_text(define)
        define = '#include "names.h"\n'
    elif where == "option":
        define, options = "", [f'-DH="{kind}"']
    source = define + "#include H\n__global__ void k() {}"
    with pytest.raises(drv.CompileError, match="no regular file"):
        compile(source, include_dirs=[str(tmp_path)], options=options)


def test_a_file_that_a_macro_includes(tmp_path):
    (tmp_path / "h.h").write_text("#define VALUE 1\n")
    source = (
        '#define H "h.h"\n#include H\n__device__ int x = VALUE;'
        '__device__ const char *text = "/dev/null";'
    )
    assert compile(source, include_dirs=[str(tmp_path)])


@pytest.mark.parametrize("kind", ["fifo", "zero"])
def test_a_special_file_as_a_module(tmp_path, kind):
    path = special_file(tmp_path, kind)
    with pytest.raises(drv.Error, match="not a regular file"):
        drv.module_from_file(str(path))


@pytest.mark.parametrize("kind", ["fifo", "zero"])
def test_a_special_file_as_an_input_of_the_linker(tmp_path, kind):
    path = special_file(tmp_path, kind)
    linker = drv._Linker() if hasattr(drv, "_Linker") else None
    if linker is None:
        from pycuda.compiler import DynamicModule

        linker = DynamicModule()
        with pytest.raises(drv.Error, match="not a regular file"):
            linker.add_file(str(path), drv.jit_input_type.CUBIN)
            linker.link()


@pytest.mark.parametrize("kind", ["fifo", "zero"])
def test_a_special_file_of_options(tmp_path, kind):
    path = special_file(tmp_path, kind)
    with pytest.raises(drv.CompileError, match="not a regular file"):
        compile("__global__ void k() {}", options=[f"--options-file={path}"])


@pytest.mark.parametrize("wrong", [0, 1, True, None, 1.5, [], np.int32(1)])
def test_numbers_are_no_file_names(wrong):
    """A number would name a descriptor of the process, and close it."""
    with pytest.raises(TypeError):
        drv.module_from_file(wrong)
    os.fstat(1)


def test_a_module_that_is_not_there_names_the_path_and_the_reason(tmp_path):
    with pytest.raises(drv.Error, match=r"gone\.cubin: No such file"):
        drv.module_from_file(tmp_path / "gone.cubin")
    with pytest.raises(drv.Error, match="Is a directory"):
        drv.module_from_file(str(tmp_path))


# ---- precompiled headers of the CPU device ----

PROGRAM = """
import warnings
import pycuda.autoinit, numpy as np, pycuda.driver as drv
from pycuda.compiler import SourceModule
k = SourceModule(
    '__global__ void k(int *a) {{ a[threadIdx.x] = threadIdx.x * {factor}; }}'
).get_function("k")
a = np.zeros(4, np.int32)
k(drv.InOut(a), block=(4, 1, 1))
assert list(a) == [0, {factor}, 2 * {factor}, 3 * {factor}], a
"""
FACTORS = iter(range(2, 1000))


def run_program(folder, warned=0, **limits):
    """Compile and run a new kernel in a process; return its warnings."""
    environment = dict(os.environ, PYCUDA_CACHE_DIR=str(folder))
    environment["PYCUDA_DEVICE"] = "cpu"
    environment["PYTHONWARNINGS"] = "always"
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM.format(factor=next(FACTORS))],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        **limits,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Warning") == warned, done.stderr
    return done.stderr


def precompiled(folder):
    return sorted((folder / "front").glob("*.pch"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache with the headers in precompiled form."""
    folder = tmp_path_factory.mktemp("filled")
    os.chmod(folder, 0o700)
    run_program(folder)
    assert precompiled(folder)
    return folder


@pytest.fixture
def own(filled, tmp_path):
    """Return a private copy of the folder."""
    folder = tmp_path / "cache"
    shutil.copytree(
        filled,
        folder,
        ignore=lambda _, names: [
            name for name in names if name.endswith(".cubin")
        ],
    )
    return folder


def zeros_in(content, start, end):
    return content[:start] + bytes(end - start) + content[end:]


DAMAGE = {
    "the second half is zeros": lambda c: zeros_in(c, len(c) // 2, len(c)),
    "the first half is zeros": lambda c: zeros_in(c, 0, len(c) // 2),
    "a page is zeros": lambda c: zeros_in(c, 1 << 16, (1 << 16) + 4096),
    "cut off": lambda c: c[: len(c) // 3],
    "empty": lambda c: b"",
    "a bit": lambda c: c[:5000] + bytes([c[5000] ^ 4]) + c[5001:],
    "text": lambda c: b"no header at all\n" * 1000,
    "longer": lambda c: c + c,
}


@pytest.mark.cpu
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_precompiled_header_is_replaced(own, damage):
    path = precompiled(own)[0]
    whole = path.read_bytes()
    path.write_bytes(DAMAGE[damage](whole))
    run_program(own)
    assert len(path.read_bytes()) == len(whole)


@pytest.mark.cpu
def test_a_pipe_as_a_precompiled_header(own):
    path = precompiled(own)[0]
    path.unlink()
    os.mkfifo(path)
    run_program(own)
    assert path.is_file()


@pytest.mark.cpu
@as_root
def test_precompiled_headers_of_another_user_are_not_read(own):
    path = precompiled(own)[0]
    planted = path.read_bytes()
    os.chown(path, STRANGER, STRANGER)
    found = run_program(own, warned=1)
    assert f"{path} is not used, because it belongs to user 65534" in found
    assert path.stat().st_uid == 0
    assert len(path.read_bytes()) == len(planted)
    run_program(own)


def plant(path, kind):
    """Put something of another user in the place of a file."""
    content = path.read_bytes()
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            here = os.getcwd()
            os.chdir(path.parent)  # a socket's path must be short
            server.bind(path.name)
            os.chdir(here)
    elif kind == "link":
        path.symlink_to(path.parent / "nowhere")
    else:
        path.write_bytes(content)
        os.chmod(path, 0o666 if kind == "writable" else 0o644)
    if kind != "writable":
        os.lchown(path, STRANGER, STRANGER)


@as_root
@pytest.mark.parametrize(
    "kind", ["file", "pipe", "socket", "link", "writable"]
)
def test_planted_images_are_one_warning(tmp_path, kind):
    plant(stored(tmp_path), kind)
    with pytest.warns(UserWarning, match="is not used") as caught:
        assert load(tmp_path) is None
        assert load(tmp_path) is None
    assert len(caught) == 1
    cache.store(str(tmp_path), KEY, COMPILER, "cubin", b"mine")
    assert load(tmp_path) == b"mine"


@pytest.mark.cpu
@as_root
@pytest.mark.parametrize("kind", ["pipe", "socket", "link", "writable"])
def test_planted_precompiled_headers_are_one_warning(own, kind):
    path = precompiled(own)[0]
    plant(path, kind)
    assert "is not used, because" in run_program(own, warned=1)
    assert path.is_file() and path.stat().st_uid == 0


def test_a_folder_that_others_can_write_has_no_images(tmp_path):
    """Not even the user's own, as its folder's writers choose the files."""
    folder = tmp_path / "cache"
    folder.mkdir()
    path = stored(folder)
    for which, text in ((folder, "cache"), (tmp_path, "")):
        os.chmod(which, 0o777)
        cache._untrusted.clear()
        cache._folder_trouble.cache_clear()
        with pytest.warns(UserWarning, match="users can write") as caught:
            assert load(folder) is None
            assert load(folder) is None
        assert len(caught) == 1
        assert text in str(caught[0].message)
        os.chmod(which, 0o1777)
        cache._folder_trouble.cache_clear()
        assert load(folder) == b"image"
        os.chmod(which, 0o755)
    assert path.is_file()


def test_new_folders_are_private(tmp_path):
    """Whatever the umask is."""
    before = os.umask(0)
    try:
        files.make_folder(str(tmp_path / "new" / "cache"))
    finally:
        os.umask(before)
    assert (tmp_path / "new" / "cache").stat().st_mode & 0o777 == 0o755


@pytest.mark.cpu
@as_root
@pytest.mark.parametrize("which", ["folder", "front", "above"])
def test_folders_that_others_can_write(own, which):
    """Headers are read as text there, with one warning."""
    folder = {"folder": own, "front": own / "front", "above": own.parent}
    before = precompiled(own)[0].stat().st_mtime_ns
    os.chmod(folder[which], 0o777)
    # Compiled images are not kept in two of them, either.
    warned = 1 if which == "front" else 2
    assert "not precompiled" in run_program(own, warned=warned)
    assert precompiled(own)[0].stat().st_mtime_ns == before


@pytest.mark.cpu
@as_root
def test_a_sticky_folder_above_is_fine(own):
    os.chmod(own.parent, 0o1777)
    run_program(own)


# ---- messages when the system lacks something ----


@pytest.mark.cpu
def test_too_many_open_files(filled):
    """The message is about files, not about a missing compiler."""
    held = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    SourceModule("__global__ void warm() {}", cache_dir=False)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
    try:
        with pytest.raises(OSError):
            while True:
                held.append(os.open("/dev/null", os.O_RDONLY))
        with (
            warnings.catch_warnings(),
            pytest.raises(
                drv.CompileError, match="Too many open files"
            ) as caught,
        ):
            warnings.simplefilter("ignore")
            SourceModule("__global__ void cold() {}", cache_dir=False)
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert "pip install" not in str(caught.value)
    SourceModule("__global__ void cold() {}", cache_dir=False)


# ---- stubs of the driver's library, which programs load ----


@pytest.mark.cpu
def test_stubs_are_not_put_where_others_can_write(tmp_path, monkeypatch):
    private = tmp_path / "private"
    shared = tmp_path / "shared"
    private.mkdir(mode=0o700)
    shared.mkdir()
    os.chmod(shared, 0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(shared))
    assert cpu.stub_dir().is_relative_to(private)
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(private))
    assert cpu.stub_dir().is_relative_to(private)
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(shared))
    with pytest.raises(PermissionError, match="other users can write"):
        cpu.stub_dir()
