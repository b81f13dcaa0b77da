"""Table of the options of nvcc 13.0 and NVRTC 13.0, one row each.

Read by `pycuda._compile.options`.  A row has the option's spellings, the kind
of its value and the action to take.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import NamedTuple

# Kinds of values.
NONE, TEXT, LIST, BOOL, NUMBER = "none", "text", "list", "bool", "number"

# Actions for an option. For HAND and HINT the row's text is NVRTC's option.
HAND = "hand"  # pass NVRTC's option
HINT = "hint"  # pass NVRTC's option if this version of NVRTC knows it
DROP = "drop"  # ignore the option, on which no image depends; text: the reason
REFUSE = "refuse"  # raise an error; text: the reason, and advice
# Each of the following actions has a function in `options`.
DEFINE, UNDEFINE, INCLUDE, SYSTEM, BEFORE = "-D", "-U", "-I", "-isystem", "-i"
ARCH, CODE, GENCODE, ENTRIES = "arch", "code", "gencode", "entries"
PTXAS, HOST, CUDAFE, ERRORS = "ptxas", "host", "cudafe", "errors"
STREAM, TRACE, LANGUAGE, FILES = "stream", "trace", "language", "files"
FORWARD = "forward"


class Row(NamedTuple):
    """One option."""

    names: tuple[str, ...]  # long name, short name, then any further names
    value: str
    action: str
    text: str = ""
    allowed: tuple[str, ...] = ()  # permitted values; (): any value


_DRIVER = "concerns nvcc's own work"
_HOST = "concerns the host's code"
_LINK = "concerns the host's linker"
_WINDOWS = "concerns Windows"
_WARNING = "asks for a warning about host code"
_FATBIN = "concerns fat binaries; one image is made"
_DEPENDENCIES = (
    "writes the list of included files; nvcc can make it, and `compile` makes "
    "images only"
)
_NO_IMAGE = "asks nvcc for something else than a compiled image; leave it out"
_LTO = (
    "makes code that only NVIDIA's link-time optimiser can finish; compile "
    "with -rdc=true and link with DynamicModule"
)
_HOST_CPP = "makes C++ for the host's compiler; leave it out"
_OPTIX = "makes code that only OptiX can load; leave it out"
_STANDARDS = ("c++03", "c++11", "c++14", "c++17", "c++20")
_KINDS_OF_ERRORS = (
    "all-warnings", "cross-execution-space-call", "default-stream-launch",
    "deprecated-declarations", "ext-lambda-captures-this",
    "missing-launch-bounds", "reorder",
)  # fmt: skip
_SANITIZE = (
    "needs the run time of compute-sanitizer; run the program under "
    "compute-sanitizer, or on the CPU device with PYCUDA_CPU_CHECK set"
)


def _row(
    names: str,
    value: str,
    action: str,
    text: str = "",
    allowed: tuple[str, ...] = (),
) -> Row:
    return Row(tuple(names.split()), value, action, text, allowed)


#: The options of ``nvcc --help``, in the same order.
NVCC = (
    _row("--cuda -cuda", NONE, REFUSE, _HOST_CPP),
    _row("--cubin -cubin", NONE, DROP, "target= says what is made"),
    _row("--fatbin -fatbin", NONE, DROP, "target= says what is made"),
    _row("--ptx -ptx", NONE, DROP, "target= says what is made"),
    _row("--optix-ir -optix-ir", NONE, REFUSE, _OPTIX),
    _row("--ltoir -ltoir", NONE, REFUSE, _LTO),
    _row("--preprocess -E", NONE, REFUSE, _NO_IMAGE),
    _row("--generate-dependencies -M", NONE, REFUSE, _DEPENDENCIES),
    _row("--generate-nonsystem-dependencies -MM", NONE, REFUSE, _DEPENDENCIES),
    _row("--generate-dependencies-with-compile -MD", NONE, DROP, _DRIVER),
    _row(
        "--generate-nonsystem-dependencies-with-compile -MMD",
        NONE, DROP, _DRIVER,
    ),
    _row("--dependency-output -MF", TEXT, DROP, _DRIVER),
    _row("--generate-dependency-targets -MP", NONE, DROP, _DRIVER),
    _row("--compile -c", NONE, DROP, "target= says what is made"),
    _row("--device-c -dc", NONE, HAND, "--relocatable-device-code=true"),
    _row("--device-w -dw", NONE, HAND, "--device-w"),
    _row("--device-link -dlink", NONE, REFUSE, _NO_IMAGE),
    _row("--link -link", NONE, REFUSE, _NO_IMAGE),
    _row("--lib -lib", NONE, REFUSE, _NO_IMAGE),
    _row("--run -run", NONE, REFUSE, _NO_IMAGE),
    _row("--output-file -o", TEXT, DROP, _DRIVER),
    _row("--pre-include -include", LIST, BEFORE),
    _row("--objdir-as-tempdir -objtemp", NONE, DROP, _DRIVER),
    _row("--library -l", LIST, DROP, _LINK),
    _row("--define-macro -D", LIST, DEFINE),
    _row("--undefine-macro -U", LIST, UNDEFINE),
    _row("--include-path -I", LIST, INCLUDE),
    _row("--system-include -isystem", LIST, SYSTEM),
    _row("--library-path -L", LIST, DROP, _LINK),
    _row("--output-directory -odir", TEXT, DROP, _DRIVER),
    _row("--compiler-bindir -ccbin", TEXT, DROP, _HOST),
    _row(
        "--allow-unsupported-compiler -allow-unsupported-compiler",
        NONE, DROP, _HOST,
    ),
    _row("--archiver-binary -arbin", TEXT, DROP, _LINK),
    _row(
        "--cudart -cudart", TEXT, DROP, _LINK, ("none", "shared", "static")
    ),
    _row("--cudadevrt -cudadevrt", TEXT, DROP, _LINK, ("none", "static")),
    _row("--libdevice-directory -ldir", TEXT, DROP, "NVRTC has its own"),
    _row("--target-directory -target-dir", TEXT, DROP, _DRIVER),
    _row("--use-local-env -use-local-env", NONE, DROP, _WINDOWS),
    _row("--force-cl-env-setup -force-cl-env-setup", NONE, DROP, _WINDOWS),
    _row("--profile -pg", NONE, DROP, _HOST),
    _row("--debug -g", NONE, DROP, _HOST),
    _row("--device-debug -G", NONE, HAND, "--device-debug"),
    _row("--generate-line-info -lineinfo", NONE, HAND, "--generate-line-info"),
    _row(
        "--optimization-info -opt-info",
        LIST, HINT, "--optimization-info", ("inline",),
    ),
    _row("--optimize -O", TEXT, DROP, _HOST),
    _row(
        "--Ofast-compile -Ofc",
        TEXT, HINT, "--Ofast-compile", ("0", "max", "mid", "min"),
    ),
    _row("--dopt -dopt", TEXT, HINT, "--dopt", ("on",)),
    _row("--dlink-time-opt -dlto", NONE, REFUSE, _LTO),
    _row("--lto -lto", NONE, REFUSE, _LTO),
    _row("--gen-opt-lto -gen-opt-lto", NONE, DROP, "needs -dlto"),
    _row(
        "--ftemplate-backtrace-limit -ftemplate-backtrace-limit",
        NUMBER, DROP, "NVRTC has no such limit",
    ),
    _row(
        "--ftemplate-depth -ftemplate-depth",
        NUMBER, DROP, "NVRTC has its own limit",
    ),
    _row("--no-exceptions -noeh", NONE, DROP, _HOST),
    _row("--shared -shared", NONE, DROP, _LINK),
    _row("--x -x", TEXT, LANGUAGE, "", ("c", "c++", "cu")),
    _row("--std -std", TEXT, HAND, "--std", _STANDARDS),
    _row(
        "--no-host-device-initializer-list -nohdinitlist",
        NONE, DROP, "NVRTC's std::initializer_list is the device's",
    ),
    _row(
        "--no-host-device-move-forward -nohdmoveforward",
        NONE, DROP, "NVRTC's std::move and std::forward are the device's",
    ),
    # NVRTC considers constexpr functions to be host functions and has only
    # this option to let kernels call them.
    _row(
        "--expt-relaxed-constexpr -expt-relaxed-constexpr",
        NONE, HAND, "--device-as-default-execution-space",
    ),
    _row("--extended-lambda -extended-lambda", NONE, DROP, _HOST),
    _row("--expt-extended-lambda -expt-extended-lambda", NONE, DROP, _HOST),
    _row("--machine -m", TEXT, DROP, "all images are 64-bit", ("64",)),
    _row("--m64 -m64", NONE, DROP, "all images are 64-bit"),
    _row("--compiler-options -Xcompiler", LIST, HOST),
    _row("--linker-options -Xlinker", LIST, DROP, _LINK),
    _row("--archive-options -Xarchive", LIST, DROP, _LINK),
    _row("--ptxas-options -Xptxas", LIST, PTXAS),
    _row("--nvlink-options -Xnvlink", LIST, DROP, "concerns linking"),
    _row(
        "--static-global-template-stub -static-global-template-stub",
        BOOL, DROP, _HOST,
    ),
    _row(
        "--device-entity-has-hidden-visibility "
        "-device-entity-has-hidden-visibility",
        BOOL, DROP, _HOST,
    ),
    _row(
        "--forward-unknown-to-host-compiler -forward-unknown-to-host-compiler",
        NONE, FORWARD,
    ),
    _row(
        "--forward-unknown-to-host-linker -forward-unknown-to-host-linker",
        NONE, FORWARD,
    ),
    _row("--forward-unknown-opts -forward-unknown-opts", NONE, FORWARD),
    _row("--dont-use-profile -noprof", NONE, DROP, _DRIVER),
    _row("--dryrun -dryrun", NONE, REFUSE, _NO_IMAGE),
    _row("--verbose -v", NONE, DROP, "lists nvcc's commands"),
    _row("--threads -t", NUMBER, DROP, _DRIVER),
    _row("--split-compile -split-compile", NUMBER, HINT, "--split-compile"),
    _row(
        "--split-compile-extended -split-compile-extended",
        NUMBER, DROP, "needs -dlto",
    ),
    _row(
        "--fdevice-syntax-only -fdevice-syntax-only",
        NONE, REFUSE, "makes no code; leave it out",
    ),
    _row("--fdevice-time-trace -fdevice-time-trace", TEXT, TRACE),
    _row("--keep -keep", NONE, DROP, "keep= keeps the files"),
    _row("--keep-dir -keep-dir", TEXT, DROP, "keep= keeps the files"),
    _row("--save-temps -save-temps", NONE, DROP, "keep= keeps the files"),
    _row("--clean-targets -clean", NONE, REFUSE, _NO_IMAGE),
    _row("--time -time", TEXT, HINT, "--time"),
    _row("--run-args -run-args", LIST, DROP, "needs -run"),
    _row("--input-drive-prefix -idp", TEXT, DROP, _WINDOWS),
    _row("--dependency-drive-prefix -ddp", TEXT, DROP, _WINDOWS),
    _row("--drive-prefix -dp", TEXT, DROP, _WINDOWS),
    _row("--dependency-target-name -MT", TEXT, DROP, _DRIVER),
    _row("--no-align-double", NONE, DROP, _HOST),
    _row("--no-device-link -nodlink", NONE, DROP, "concerns linking"),
    _row("--gpu-architecture -arch", TEXT, ARCH),
    _row("--gpu-code -code", LIST, CODE),
    _row("--generate-code -gencode", TEXT, GENCODE),
    _row(
        "--relocatable-device-code -rdc", BOOL, HAND,
        "--relocatable-device-code",
    ),
    _row("--entries -e", LIST, ENTRIES),
    _row("--maxrregcount -maxrregcount", NUMBER, HAND, "--maxrregcount"),
    _row("--use_fast_math -use_fast_math", NONE, HAND, "--use_fast_math"),
    _row("--ftz -ftz", BOOL, HAND, "--ftz"),
    _row("--prec-div -prec-div", BOOL, HAND, "--prec-div"),
    _row("--prec-sqrt -prec-sqrt", BOOL, HAND, "--prec-sqrt"),
    _row("--fmad -fmad", BOOL, HAND, "--fmad"),
    _row(
        "--extra-device-vectorization -extra-device-vectorization",
        NONE, HINT, "--extra-device-vectorization",
    ),
    _row(
        "--default-stream -default-stream",
        TEXT, STREAM, "", ("legacy", "null", "per-thread"),
    ),
    _row("--disable-warnings -w", NONE, HAND, "--disable-warnings"),
    _row(
        "--keep-device-functions -keep-device-functions",
        NONE, DROP, "concerns functions that no kernel calls",
    ),
    _row("--source-in-ptx -src-in-ptx", NONE, DROP, "makes comments of PTX"),
    # NVRTC would apply this option to all later compilations of the process,
    # too: later kernels whose pointers alias would read wrong values.
    _row("--restrict -restrict", NONE, DROP, "NVRTC would not forget it"),
    _row("--Wreorder -Wreorder", NONE, DROP, _WARNING),
    _row("--Wdefault-stream-launch -Wdefault-stream-launch", NONE, DROP,
         _WARNING),
    _row("--Wmissing-launch-bounds -Wmissing-launch-bounds", NONE, DROP,
         "NVRTC has no such warning"),
    _row("--Wext-lambda-captures-this -Wext-lambda-captures-this", NONE, DROP,
         _WARNING),
    _row("--Wno-deprecated-declarations -Wno-deprecated-declarations", NONE,
         HAND, "--diag-suppress=1215,1444"),
    _row("--Wno-deprecated-gpu-targets -Wno-deprecated-gpu-targets", NONE,
         DROP, "NVRTC has no such warning"),
    _row("--Werror -Werror", LIST, ERRORS, "", _KINDS_OF_ERRORS),
    _row("--resource-usage -res-usage", NONE, HAND, "--ptxas-options=-v"),
    _row("--extensible-whole-program -ewp", NONE, HAND,
         "--extensible-whole-program"),
    _row("--no-compress -no-compress", NONE, DROP, _FATBIN),
    _row("--qpp-config -qpp-config", TEXT, DROP, _HOST),
    _row("--compile-as-tools-patch -astoolspatch", NONE, REFUSE,
         "makes code for NVIDIA's tools; leave it out"),
    _row("--list-gpu-code -code-ls -list-gpu-code", NONE, REFUSE, _NO_IMAGE),
    _row("--list-gpu-arch -arch-ls -list-gpu-arch", NONE, REFUSE, _NO_IMAGE),
    _row("--display-error-number -err-no", NONE, HINT,
         "--display-error-number"),
    _row("--no-display-error-number -no-err-no", NONE, HINT,
         "--no-display-error-number"),
    _row("--diag-error -diag-error", LIST, HAND, "--diag-error"),
    _row("--diag-suppress -diag-suppress", LIST, HAND, "--diag-suppress"),
    _row("--diag-warn -diag-warn", LIST, HAND, "--diag-warn"),
    _row("--host-linker-script -hls", TEXT, DROP, _LINK,
         ("gen-lcs", "use-lcs")),
    _row("--augment-host-linker-script -aug-hls", NONE, DROP, _LINK),
    _row("--relocatable-link -r", NONE, DROP, _LINK),
    _row("--brief-diagnostics -brief-diag", BOOL, HINT, "--brief-diagnostics"),
    _row("--jump-table-density -jtd", NUMBER, HINT, "--jump-table-density"),
    _row("--relocatable-ptx -reloc-ptx", NONE, DROP, _FATBIN),
    _row("--device-stack-protector -device-stack-protector", BOOL, HINT,
         "--device-stack-protector"),
    _row("--compress-mode -compress-mode", TEXT, DROP, _FATBIN,
         ("default", "size", "speed", "balance", "none")),
    _row("--frandom-seed -frandom-seed", TEXT, HINT, "--frandom-seed"),
    _row("--sanitize -sanitize", TEXT, REFUSE, _SANITIZE),
    _row("--jobserver -jobserver", NONE, DROP, _DRIVER),
    _row("--help -h", NONE, REFUSE, _NO_IMAGE),
    _row("--version -V", NONE, REFUSE, _NO_IMAGE),
    _row("--options-file -optf", LIST, FILES),
)  # fmt: skip

#: Options that nvcc accepts and does not list.
UNLISTED = (
    _row("--cudafe-options -Xcudafe", LIST, CUDAFE),
    _row("--fatbin-options -Xfatbin", LIST, DROP, _FATBIN),
    _row("--host-relocatable-link", NONE, DROP, _LINK),
    _row("--cicc-options -Xcicc", LIST, REFUSE,
         "speaks to a compiler that is not run; -ftz, -fmad, -prec-div and "
         "-prec-sqrt say what it may do"),
    _row("-m32", NONE, REFUSE, "asks for 32-bit code; all images are 64-bit"),
)  # fmt: skip

#: Options of NVRTC that nvcc lacks.
NVRTC = (
    _row("--device-as-default-execution-space -default-device", NONE, HAND,
         "--device-as-default-execution-space"),
    _row("--device-int128 -device-int128", NONE, HAND, "--device-int128"),
    _row("--device-float128 -device-float128", NONE, HAND,
         "--device-float128"),
    _row("--minimal -minimal", NONE, HINT, "--minimal"),
    _row("--no-cache -no-cache", NONE, HINT, "--no-cache"),
    _row("--no-source-include -no-source-include", NONE, HINT,
         "--no-source-include"),
    _row("--pch -pch", NONE, HINT, "--pch"),
    _row("--create-pch -create-pch", TEXT, HINT, "--create-pch"),
    _row("--use-pch -use-pch", TEXT, HINT, "--use-pch"),
    _row("--pch-dir -pch-dir", TEXT, HINT, "--pch-dir"),
    _row("--pch-verbose -pch-verbose", BOOL, HINT, "--pch-verbose"),
    _row("--pch-messages -pch-messages", BOOL, HINT, "--pch-messages"),
    _row("--instantiate-templates-in-pch -instantiate-templates-in-pch",
         BOOL, HINT, "--instantiate-templates-in-pch"),
    _row("--builtin-move-forward -builtin-move-forward", BOOL, HAND,
         "--builtin-move-forward"),
    _row("--builtin-initializer-list -builtin-initializer-list", BOOL, HAND,
         "--builtin-initializer-list"),
    _row("--modify-stack-limit -modify-stack-limit", BOOL, HINT,
         "--modify-stack-limit"),
    _row("--version-ident -dQ", BOOL, DROP,
         "writes the compiler's version into the PTX, which ptxas 13.0 then "
         "refuses"),
)  # fmt: skip

#: Name of an option -> its row. Each name of a row has an entry.
BY_NAME = {
    name: row for row in (*NVCC, *UNLISTED, *NVRTC) for name in row.names
}
#: NVRTC's options that are dropped for an NVRTC that does not know them.
HINTS = frozenset(row.text for row in BY_NAME.values() if row.action == HINT)
