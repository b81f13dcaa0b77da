"""The declarations in src/api agree with an installed CUDA toolkit."""

import re
from pathlib import Path

import declarations as decl
import pytest

FOLDERS = [Path("/usr/local/cuda/include"), Path("/usr/include")]
TOOLKIT = next((f for f in FOLDERS if (f / "cudaTypedefs.h").exists()), None)
NVRTC = next((f for f in FOLDERS if (f / "nvrtc.h").exists()), TOOLKIT)

needs_toolkit = pytest.mark.skipif(
    TOOLKIT is None, reason="no CUDA toolkit to compare with"
)

# A macro in cuda.h gives this function the signature of another one.
RENAMED = {
    ("cuGraphInstantiate", "12000"): "cuGraphInstantiateWithFlags_v11040",
}
# Functions of cudaProfiler.h; their PFN types are in other headers.
PROFILER = "cuProfiler"


def type_texts() -> list[str]:
    return [decl.read(name) for name in decl.TYPE_HEADERS]


def facts(include: str, folder: Path, texts: list[str], *options: str):
    program = decl.facts_program(include, texts)
    return decl.compile_and_run(program, folder, *options).splitlines()


def theirs(folder: Path, texts: list[str]) -> list[str]:
    both = folder / "both.h"
    both.write_text("#include <cuda.h>\n#include <cudaProfiler.h>\n")
    return facts(str(both), folder, texts, f"-I{TOOLKIT}")


@needs_toolkit
def test_sizes_offsets_and_values_are_the_toolkits(tmp_path):
    texts = type_texts()
    ours = facts("api/cuda_types.h", tmp_path, texts, f"-I{decl.ROOT}/src")
    assert ours == theirs(tmp_path, texts)
    assert len(ours) > 1500


@needs_toolkit
def test_a_wrong_value_or_field_is_seen(tmp_path):
    copy = tmp_path / "src" / "api"
    copy.mkdir(parents=True)
    for path in decl.API.glob("*.h"):
        copy.joinpath(path.name).write_text(path.read_text())
    codes = copy / "cuda_codes.h"
    codes.write_text(
        codes.read_text().replace("INVALID_CONTEXT, 201", "INVALID_CONTEXT, 7")
    )
    structs = copy / "cuda_structs_memory.h"
    swapped, n = re.subn(
        r"( +size_t +srcXInBytes;\n)( +size_t +srcY;\n)",
        r"\2\1",
        structs.read_text(),
        count=1,
    )
    assert n == 1
    structs.write_text(swapped)
    texts = type_texts()
    ours = facts("api/cuda_types.h", tmp_path, texts, f"-I{tmp_path}/src")
    wrong = set(ours) - set(theirs(tmp_path, texts))
    assert wrong == {
        "CUDA_ERROR_INVALID_CONTEXT 7",
        "offset CUDA_MEMCPY2D.srcXInBytes 8",
        "offset CUDA_MEMCPY2D.srcY 0",
    }


def row_checks(rows: list[list[str]]) -> str:
    """Return C source that names rows with types unlike the toolkit's."""
    lines = [
        "#define __CUDA_API_VERSION_INTERNAL",  # for superseded functions
        "#include <cuda.h>",
        "#include <cudaProfiler.h>",
        "#include <cudaTypedefs.h>",
        "#include <cudaProfilerTypedefs.h>",
        "#include <stdio.h>",
        "#define SAME(a, b) __builtin_types_compatible_p(a, b)",
        "int main(void) {",
    ]
    for base, _symbol, since, _per_thread, parameters, _names in rows:
        known = RENAMED.get((base, since), f"{base}_v{since}")
        lines.append(
            f"if (!SAME(CUresult (*){parameters}, PFN_{known})) "
            f'puts("{base} {since}");'
        )
    return "\n".join([*lines, "return 0; }"])


@needs_toolkit
def test_rows_have_the_toolkits_types(tmp_path):
    rows = decl.driver_rows()
    assert len(rows) > 300
    assert (
        decl.compile_and_run(row_checks(rows), tmp_path, f"-I{TOOLKIT}") == ""
    )


@needs_toolkit
def test_a_planted_wrong_row_is_seen(tmp_path):
    rows = decl.driver_rows()
    wrong = next(row for row in rows if row[0] == "cuMemcpyHtoD")
    wrong[4] = wrong[4].replace("const void *", "void *")
    said = decl.compile_and_run(row_checks(rows), tmp_path, f"-I{TOOLKIT}")
    assert said == "cuMemcpyHtoD 3020\n"


@needs_toolkit
def test_symbols_are_those_of_the_toolkit():
    known = set()
    for name in ("cuda.h", "cudaProfiler.h"):
        text = (TOOLKIT / name).read_text()
        known |= set(re.findall(r"\b(cu[A-Z]\w+)", text))
    for (
        base,
        symbol,
        since,
        per_thread,
        _parameters,
        _names,
    ) in decl.driver_rows():
        assert symbol in known, (base, since)
        plain = re.sub(r"_pt[ds][sz]$", "", per_thread)
        assert plain == symbol, (base, since)


@needs_toolkit
def test_per_thread_variants_are_those_of_the_toolkit():
    text = (TOOLKIT / "cuda.h").read_text()
    kinds = {"PTDS": "_ptds", "PTSZ": "_ptsz"}
    marked = {
        symbol: kinds[kind]
        for kind, symbol in re.findall(
            r"__CUDA_API_(PTDS|PTSZ)\((\w+)\)", text
        )
    }
    for base, symbol, _since, per_thread, *_ in decl.driver_rows():
        if symbol in marked:
            assert per_thread == symbol + marked[symbol], base


def test_argument_names_are_those_of_the_parameters():
    for (
        base,
        _symbol,
        since,
        _per_thread,
        parameters,
        names,
    ) in decl.driver_rows():
        inner = parameters[1:-1]
        parts = [] if inner == "void" else decl.arguments(inner)
        declared = [re.search(r"(\w+)$", piece)[1] for piece in parts]
        given = [n for n in decl.arguments(names[1:-1]) if n]
        assert given == declared, (base, since)


def test_each_base_name_has_one_row_in_use():
    bases = []
    for name in decl.ROW_HEADERS:
        bases += [row[0] for row in decl.rows(decl.read(name), "DRIVER_ROW")]
    assert len(bases) == len(set(bases))
    pairs = [(row[0], row[2]) for row in decl.driver_rows()]
    assert len(pairs) == len(set(pairs))


@pytest.mark.skipif(
    NVRTC is None or not (NVRTC / "nvrtc.h").exists(),
    reason="no nvrtc.h to compare with",
)
def test_nvrtc_is_that_of_the_toolkit(tmp_path):
    rows = decl.rows(decl.read("nvrtc_rows.h"), "NVRTC_ROW")
    assert len(rows) > 20
    text = decl.read("nvrtc_types.h")
    codes = re.findall(r"ROW\((\w+), (\d+),", text)
    lines = ["#include <nvrtc.h>", "#include <stdio.h>"]
    lines.append("#define SAME(a, b) __builtin_types_compatible_p(a, b)")
    lines.append("int main(void) {")
    for base, _symbol, _since, parameters, _names in rows:
        lines.append(
            f"if (!SAME(nvrtcResult (*){parameters}, __typeof__(&{base}))) "
            f'puts("{base}");'
        )
    for name, value in codes:
        lines.append(f'if ({name} != {value}) puts("{name}");')
    source = "\n".join([*lines, "return 0; }"])
    assert decl.compile_and_run(source, tmp_path, f"-I{NVRTC}") == ""
    wrong = source.replace("size_t *bytes", "int *bytes", 1)
    assert decl.compile_and_run(wrong, tmp_path, f"-I{NVRTC}") != ""


@pytest.mark.skipif(
    TOOLKIT is None or not (TOOLKIT / "cublas_v2.h").exists(),
    reason="no cublas_v2.h to compare with",
)
def test_cublas_is_that_of_the_toolkit(tmp_path):
    text = decl.read("cublas_rows.h")
    rows = decl.rows(text, "CUBLAS_ROW")
    values = re.findall(r"^    (CU\w+) = (-?\d+),", text, flags=re.M)
    assert len(rows) > 5 and len(values) > 20
    lines = ["#include <cublas_v2.h>", "#include <stdio.h>"]
    lines.append("#define SAME(a, b) __builtin_types_compatible_p(a, b)")
    lines.append("int main(void) {")
    for _base, symbol, parameters, _names in rows:
        given = parameters.replace("CUstream", "cudaStream_t")
        lines.append(
            f"if (!SAME(cublasStatus_t (*){given}, __typeof__(&{symbol}))) "
            f'puts("{symbol}");'
        )
    for name, value in values:
        lines.append(f'if ({name} != {value}) puts("{name}");')
    source = "\n".join([*lines, "return 0; }"])
    assert decl.compile_and_run(source, tmp_path, f"-I{TOOLKIT}") == ""
    wrong = source.replace("long long c_step", "int c_step", 1)
    said = decl.compile_and_run(wrong, tmp_path, f"-I{TOOLKIT}")
    assert said == "cublasGemmStridedBatchedEx\n"


@pytest.mark.skipif(
    TOOLKIT is None or not (TOOLKIT / "nccl.h").exists(),
    reason="no nccl.h to compare with",
)
def test_nccl_is_that_of_the_toolkit(tmp_path):
    text = decl.read("nccl_rows.h")
    rows = re.findall(
        r"^NCCL_ROW\((\w+), \d+,\s*(\(.*?\)),\s*\(", text,
        flags=re.M | re.S,
    )  # fmt: skip
    values = re.findall(r"^    (nccl\w+) = (\d+),", text, flags=re.M)
    assert len(rows) > 25 and len(values) > 25
    lines = ["#include <nccl.h>", "#include <stdio.h>"]
    lines.append("#define SAME(a, b) __builtin_types_compatible_p(a, b)")
    lines.append("int main(void) {")
    for name, parameters in rows:
        given = parameters.replace("CUstream", "cudaStream_t")
        given = given.replace("void *config", "ncclConfig_t *config")
        lines.append(
            f"if (!SAME(ncclResult_t (*){given}, __typeof__(&{name}))) "
            f'puts("{name}");'
        )
    for name, value in values:
        lines.append(f'if ({name} != {value}) puts("{name}");')
    lines.append('if (sizeof(ncclUniqueId) != 128) puts("id");')
    source = "\n".join([*lines, "return 0; }"])
    assert decl.compile_and_run(source, tmp_path, f"-I{TOOLKIT}") == ""
    wrong = source.replace("size_t count", "int count", 1)
    said = decl.compile_and_run(wrong, tmp_path, f"-I{TOOLKIT}")
    assert said == "ncclReduce\n"


@pytest.mark.skipif(
    TOOLKIT is None or not (TOOLKIT / "cublas_v2.h").exists(),
    reason="no cublas_v2.h to compare with",
)
def test_typed_cublas_products_are_those_of_the_toolkit(tmp_path):
    """The header's declarations are compatible with those of the toolkit."""
    text = (decl.API / "pycuda_cpu.h").read_text()
    macro = re.search(
        r"#define CUBLAS_TYPED_ROW.*?c_step, int count\);\n", text, flags=re.S
    )
    symbols, count = re.subn(r"\s*\\?\s*__asm__\([^)]*\)", "", macro[0])
    assert count == 1
    lines = ["#include <cublas_v2.h>", symbols.replace("gemm(", "gemm_v2(")]
    lines += [
        f"CUBLAS_TYPED_ROW({letter}, {kind}, , )"
        for letter, kind in (
            ("S", "float"),
            ("D", "double"),
            ("C", "cuComplex"),
            ("Z", "cuDoubleComplex"),
        )
    ]
    source = "\n".join([*lines, "int main(void) { return 0; }\n"])
    assert decl.compile_and_run(source, tmp_path, f"-I{TOOLKIT}") == ""


@needs_toolkit
def test_no_signature_of_a_function_is_left_out():
    # Otherwise cuGetProcAddress would return an older one.
    text = (TOOLKIT / "cudaTypedefs.h").read_text()
    have = {(row[0], row[2]) for row in decl.driver_rows()}
    bases = {base for base, _ in have}
    signatures = re.findall(r"\*PFN_(cu\w+?)_v(\d+)\)", text)
    missing = {
        (base, since)
        for base, since in signatures
        if base in bases and int(since) >= 3020
    } - have
    assert missing == set()
    assert len(signatures) > 400
