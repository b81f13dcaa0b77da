"""Errors of gpuarray.load and save name the file and the reason."""

# SPDX-License-Identifier: MIT

import io
import os
import pickle
import zipfile

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

ARRAY = np.arange(100.0)


def npy(array=ARRAY):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def npz(save=np.savez):
    stream = io.BytesIO()
    save(stream, a=ARRAY, b=ARRAY)
    return stream.getvalue()


def archive(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name, content in members.items():
            made.writestr(name, content)
    return stream.getvalue()


def changed(data, at, byte=0xFF):
    return data[:at] + bytes([byte]) + data[at + 1 :]


def header(text):
    data = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(data).to_bytes(2, "little") + data


SHAPE = "{'descr': '<f8', 'fortran_order': False, 'shape': %s}"
DAMAGED = {
    "text": b"1 2 3\n4 5 6\n",
    "one byte": b"\x93",
    "a pickle": pickle.dumps(ARRAY),
    "an image": b"\x89PNG\r\n\x1a\n" + bytes(50),
    "Python objects": npy(np.array([{}])),
    "only the magic": b"\x93NUMPY",
    "magic and junk": b"\x93NUMPY junk",
    "cut in its header": npy()[:40],
    "cut in its data": npy()[:500],
    "a header that is no Python": header("{'descr': ("),
    "a header of a strange type": header(SHAPE.replace("<f8", "<q9") % "(1,)"),
    "a negative size": header(SHAPE % "(-5,)"),
    "a size that overflows": header(SHAPE % f"({1 << 40}, {1 << 40})"),
    "a cut archive": npz()[:700],
    "a cut directory": npz()[:-30],
    "a changed sum": changed(npz(), 300),
    "a changed stream": changed(npz(np.savez_compressed), 160),
    "a member with text": archive(note="not an array"),
    "a member that is cut": archive(**{"a.npy": npy()[:200]}),
    "a member with objects": archive(**{"a.npy": npy(np.array([{}]))}),
    "an unknown method": changed(npz(), npz().index(b"PK\x01\x02") + 10, 99),
    "a password": changed(npz(), npz().index(b"PK\x01\x02") + 8, 1),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_files(kind, tmp_path):
    path = tmp_path / "kept.bin"
    path.write_bytes(DAMAGED[kind])
    with pytest.raises(ValueError, match="kept.bin") as told:
        gpuarray.load(path)
    assert "numpy.save (.npy) or numpy.savez (.npz)" in str(told.value)
    with (
        open(path, "rb") as stream,
        pytest.raises(ValueError, match="kept.bin"),
    ):
        gpuarray.load(stream)
    with pytest.raises(ValueError, match="the file object"):
        gpuarray.load(io.BytesIO(DAMAGED[kind]))


def test_empty_files(tmp_path):
    (tmp_path / "empty.npy").write_bytes(b"")
    with pytest.raises(EOFError, match="empty.npy.* expected"):
        gpuarray.load(tmp_path / "empty.npy")


def test_a_stream_ends_after_its_arrays():
    stream = io.BytesIO(npy() + npy(ARRAY + 1))
    assert gpuarray.load(stream).get()[1] == 1
    assert gpuarray.load(stream).get()[1] == 2
    with pytest.raises(EOFError):
        gpuarray.load(stream)


def test_a_member_is_named():
    with pytest.raises(ValueError, match="'note' in .* is no array"):
        gpuarray.load(io.BytesIO(archive(**{"a.npy": npy(), "note": "x"})))


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.npy"):
        gpuarray.load(tmp_path / "none.npy")
    with pytest.raises(IsADirectoryError):
        gpuarray.load(tmp_path)
    for wrong in (0, 1, None, 1.5, []):
        with pytest.raises(TypeError):
            gpuarray.load(wrong)


def test_a_stream_of_text():
    with pytest.raises(TypeError, match="mode 'rb'"):
        gpuarray.load(io.StringIO("1 2 3"))


def test_a_full_disk():
    """The message names the file, the size and a remedy."""
    array = gpuarray.zeros(100_000, np.float32)
    for function in (gpuarray.save, gpuarray.savez):
        with (
            open("/dev/full", "wb", buffering=0) as stream,
            pytest.raises(OSError, match="No space left") as caught,
        ):
            function(stream, array)
        assert caught.value.errno == 28
        for part in (function.__name__, "400000 bytes", "/dev/full", "room"):
            assert part in str(caught.value)
    with pytest.raises(FileNotFoundError, match="No such.*/no/such/x.npy"):
        gpuarray.save("/no/such/x.npy", array)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop"])
def test_load_reads_regular_files_only(kind, tmp_path):
    path = tmp_path / "a.npy"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(path if kind == "loop" else "/dev/zero")
    with pytest.raises(OSError, match=r"a\.npy"):
        gpuarray.load(path)
