"""pycuda-jit and the image loader, without the rest of the CPU device.

Sources in this folder are compiled by clang 19 with a small header of the
tests, converted to images by pycuda-jit, loaded by the loader of ``src/cpu``
and run on the harness's fibers.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CLANG_FLAGS = shlex.split(
    "-cc1 -triple nvptx64-nvidia-cuda -aux-triple x86_64-unknown-linux-gnu"
    " -fcuda-is-device -target-cpu sm_70 -target-feature +ptx63"
    " -nostdsysteminc -nobuiltininc -nostdinc++ -std=c++17 -fdeclspec"
    " -ffp-contract=fast -fgnuc-version=4.2.1 -fdeprecated-macro"
    " -fcuda-allow-variadic-functions -O3 -disable-llvm-passes"
    " -debug-info-kind=line-tables-only -dwarf-version=4 -emit-llvm-bc -x cuda"
)


def find_jit() -> str | None:
    """Return the path of the newest built or installed pycuda-jit."""
    if os.environ.get("PYCUDA_JIT"):
        return os.environ["PYCUDA_JIT"]
    installed = Path(sysconfig.get_path("platlib")) / "pycuda/bin/pycuda-jit"
    built = list(ROOT.glob("build/*/src/jit/pycuda-jit"))
    found = [path for path in [installed, *built] if path.exists()]
    newest = max(found, key=lambda path: path.stat().st_mtime, default=None)
    return str(newest) if newest else None


def find_clang() -> list[str] | None:
    """Return the command of a clang 19: Debian's, or the ziglang wheel's."""
    for name in ("clang-19", "/usr/lib/llvm-19/bin/clang"):
        if shutil.which(name):
            return [name]
    zig = Path(sysconfig.get_path("platlib")) / "ziglang/zig"
    return [str(zig), "clang"] if zig.exists() else None


JIT = find_jit()
CLANG = find_clang()
pytestmark = pytest.mark.skipif(
    not (JIT and CLANG and shutil.which("gcc")),
    reason="needs pycuda-jit, clang 19 and gcc",
)


def bitcode(name: str, folder: Path) -> bytes:
    """Compile a source of this folder to nvptx bitcode."""
    out = folder / (name + ".bc")
    subprocess.run(
        [*CLANG, *CLANG_FLAGS, "-include", HERE / "device.h", "-o", out, name],
        check=True,
        cwd=HERE,
    )
    return out.read_bytes()


def jit(code: bytes, *options: str) -> subprocess.CompletedProcess:
    """Run pycuda-jit on `code`."""
    return subprocess.run(
        [JIT, *options], input=code, capture_output=True, timeout=60
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The folder of this module's programs and images."""
    return tmp_path_factory.mktemp("jit")


def program(name: str, folder: Path, *options: str) -> Path:
    """Build a C program of the tests with the harness and the loader."""
    out = folder / name
    if not out.exists():
        module = ROOT / "src/cpu/module"
        subprocess.run(
            ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra"]
            + ["-Werror", *options, f"-I{ROOT / 'src'}", f"-I{HERE}"]
            + [HERE / f"{name}.c", HERE / "harness.c"]
            + [HERE / "harness_absent.c", module / "image.c"]
            + [module / "image_elf.c", module / "image_debug.c"]
            + [module / "image_symbols.c", module.parent / "run/complex.c"]
            + [module.parent / "run/kernel_memory.c"]
            + [module.parent / "arch" / platform.machine() / "image.c", "-lm"]
            + ["-o", out],
            check=True,
        )
    return out


def host_runs(target: str) -> bool:
    """Return whether this CPU has the target's instructions."""
    flags = Path("/proc/cpuinfo").read_text()
    needed = {"x86-64-v3": ["avx2", "fma"], "x86-64-v4": ["avx512vl"]}
    return all(flag in flags for flag in needed[target])


def test_relocations_of_aarch64(tmp_path):
    """The relocation code is plain C, which runs on any processor."""
    arch = ROOT / "src/cpu/arch"
    subprocess.run(
        ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
        + [f"-I{ROOT / 'src'}", HERE / "test_aarch64.c"]
        + [arch / "aarch64/image.c", "-o", tmp_path / "relocations"],
        check=True,
    )
    done = subprocess.run(
        [tmp_path / "relocations"], capture_output=True, text=True
    )
    assert done.stdout == "right\n"


@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_kernels(folder, target, level):
    if not host_runs(target):
        pytest.skip(f"this CPU is no {target}")
    done = jit(bitcode("kernels.cu", folder), f"--target={target}", level)
    assert done.returncode == 0, done.stderr.decode()
    image = folder / f"kernels{target}{level}.image"
    image.write_bytes(done.stdout)
    run = subprocess.run(
        [program("test_jit", folder), image], capture_output=True, timeout=120
    )
    assert run.returncode == 0, run.stdout.decode() + run.stderr.decode()
    assert b" 0 failures" in run.stdout


def test_damaged_images(folder):
    images = []
    for name in ("saxpy.cu", "kernels.cu"):  # these call the runtime
        done = jit(bitcode(name, folder), "--target=x86-64-v3")
        images.append(folder / f"damaged-{name}.image")
        images[-1].write_bytes(done.stdout)
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover")
    run = subprocess.run(
        [program("test_loader", folder, *flags), *images],
        capture_output=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout.decode() + run.stderr.decode()


def test_linking(folder):
    parts = [
        jit(bitcode(name, folder), "--kind=bitcode").stdout
        for name in ("link_a.cu", "link_b.cu")
    ]
    alone = jit(parts[0])
    assert alone.returncode == 1
    assert b"unresolved extern function 'triple'" in alone.stderr
    done = jit(b"".join(parts))
    assert done.returncode == 0, done.stderr.decode()
    image = folder / "linked.image"
    image.write_bytes(done.stdout)
    subprocess.run([program("test_link", folder), image], check=True)


def test_inline_ptx_names_the_line(folder):
    done = jit(bitcode("ptx.cu", folder))
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 1
    assert lines[0].startswith("ptx.cu:7: error: inline PTX")
    assert lines[1] == "ptx.cu:8: error: unresolved extern function 'nowhere'"


def test_products_are_fused_where_they_may_be(folder):
    code = bitcode("saxpy.cu", folder)
    fused = jit(code, "--show=ir").stdout
    assert b"@llvm.fma." in fused and b" contract " not in fused
    apart = jit(code, "--show=ir", "--fmad=0").stdout
    assert b" fmul " in apart and b" contract " not in apart


def test_verbose_speaks_like_ptxas(folder):
    done = jit(bitcode("saxpy.cu", folder), "--verbose", "--max-registers=20")
    text = done.stderr.decode()
    assert "Compiling entry function 'saxpy' for" in text
    assert "Used 20 registers, 0 bytes smem, 24 bytes cmem[0]" in text


@pytest.mark.parametrize(
    "code, status",
    [(b"", 1), (b"nonsense", 1), (b"BC\xc0\xde" + bytes(40), 1)]
    + [(bytes.fromhex("0c594355494d4700") + bytes(8), 1)],
)
def test_bad_input(code, status):
    done = jit(code)
    assert done.returncode == status
    assert done.stderr and not done.stdout


def test_truncated_bitcode(folder):
    code = bitcode("saxpy.cu", folder)
    for length in range(0, len(code), 97):
        done = jit(code[:length])
        assert done.returncode in (1, 2)
        assert done.stderr


def test_unknown_option():
    done = jit(b"", "--nonsense")
    assert done.returncode == 2
    assert b"unknown option '--nonsense'" in done.stderr
