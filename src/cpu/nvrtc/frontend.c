/* frontend.c - finds clang, the front end, and defines its flags.
 *
 * Called by compile.c and pch.c. The front end is searched for once per
 * process, under a mutex, and the result is cached.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/arch/arch.h"
#include "cpu/nvrtc/frontend.h"
#include "cpu/nvrtc/locks.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/paths.h"
#include "cpu/nvrtc/process.h"
#include "cpu/nvrtc/text.h"

#define FRONTEND_MAJOR "19"

pthread_mutex_t nvrtc_choice_lock = PTHREAD_MUTEX_INITIALIZER;
static struct nvrtc_strings
    choice; /* command of the front end; guarded by nvrtc_choice_lock until it
               is found, then constant */

static const char advice[] =
    "The CPU device compiles CUDA C++ with clang " FRONTEND_MAJOR
    " and found none.  Any of these helps:\n"
    "  pip install 'ziglang==0.14.*'   (no root needed)\n"
    "  apt install clang-19\n"
    "  PYCUDA_CLANG=/path/to/clang-19  (or to zig 0.14)\n";

static bool
is_program(const char *path)
{
    return strchr(path, '/') && access(path, X_OK) == 0;
}

/* Stores the front end's command: the path, and for zig the subcommand
 * `clang`. */
static void
choose(const char *path)
{
    const char *name = strrchr(path, '/');

    name = name ? name + 1 : path;
    nvrtc_strings_add(&choice, "%s", path);
    if (!strncmp(name, "zig", 3)) {
        nvrtc_strings_add(&choice, "clang");
    }
}

/* Finds `name` in the folders of PATH. */
static bool
find_on_path(char path[PATH_MAX], const char *name)
{
    const char *rest = getenv("PATH");

    while (rest && *rest) {
        size_t n = strcspn(rest, ":");
        int length = snprintf(path, PATH_MAX, "%.*s/%s", (int)n, rest, name);
        if (n && length < PATH_MAX && access(path, X_OK) == 0) {
            return true;
        }
        rest += n + (rest[n] != 0);
    }
    return false;
}

static bool
find_zig(char path[PATH_MAX])
{
    const char *folder = getenv("PYCUDA_ZIGLANG");

    if (nvrtc_path_package(path, "PYCUDA_NO_SUCH", "../ziglang/zig") &&
        is_program(path)) {
        return true;
    }
    if (folder == NULL || *folder == 0) {
        return false;
    }
    int n = snprintf(path, PATH_MAX, "%s/zig", folder);
    return n < PATH_MAX && is_program(path);
}

static void
find(struct nvrtc_text *log)
{
    const char *given = getenv("PYCUDA_CLANG");
    char path[PATH_MAX];

    if (given && *given) {
        if (is_program(given) || find_on_path(path, given)) {
            choose(is_program(given) ? given : path);
        } else {
            nvrtc_text_print(log, "PYCUDA_CLANG=%s is not a program.\n%s",
                             given, advice);
        }
        return;
    }
    if (find_zig(path) || find_on_path(path, "clang-19")) {
        choose(path);
    } else if (is_program("/usr/lib/llvm-19/bin/clang")) {
        choose("/usr/lib/llvm-19/bin/clang");
    } else {
        nvrtc_text_print(log, "%s", advice);
    }
}

const struct nvrtc_strings *
nvrtc_frontend_find(struct nvrtc_text *log)
{
    pthread_mutex_lock(&nvrtc_choice_lock);
    if (choice.count == 0) {
        find(log);
    }
    if (choice.failed) {
        /* an allocation has failed; the next call searches again */
        nvrtc_strings_free(&choice);
    }
    bool found = choice.count > 0;
    pthread_mutex_unlock(&nvrtc_choice_lock);
    return found ? &choice : NULL;
}

bool
nvrtc_frontend_check(const struct nvrtc_strings *frontend,
                     struct nvrtc_text *log)
{
    struct nvrtc_process process;
    struct nvrtc_strings argv = {0};
    bool right = false;

    nvrtc_strings_add_all(&argv, frontend);
    nvrtc_strings_add(&argv, "--version");
    int code = argv.failed ? ENOMEM : nvrtc_process_start(&process, argv.word);
    if (code) {
        if (!nvrtc_process_explain_start(code, frontend->word[0], log)) {
            nvrtc_text_print(log, "%s", advice);
        }
        goto done;
    }
    code = nvrtc_process_finish(&process, NULL, 0);
    if (code) {
        nvrtc_process_explain_broken(&process, code, frontend->word[0], log);
        nvrtc_process_free(&process);
        goto done;
    }
    const char *said = process.out.bytes ? process.out.bytes : "";
    right = strstr(said, "clang version " FRONTEND_MAJOR ".") != NULL;
    if (process.status < 0) {
        right = false;
        nvrtc_process_explain(&process, frontend->word[0], log);
    } else if (!right) {
        nvrtc_text_print(
            log, "%s is not clang " FRONTEND_MAJOR "; it says: %.200s\n%s",
            frontend->word[0], said, advice);
    }
    nvrtc_process_free(&process);
done:
    nvrtc_strings_free(&argv);
    return right;
}

static const char *const fixed_flags[] = {
    "-cc1",
    "-triple",
    "nvptx64-nvidia-cuda",
    "-aux-triple",
    CPU_ARCH_TRIPLE,
    "-fcuda-is-device",
    "-target-cpu",
    "sm_80",
    "-target-feature",
    "+ptx85",
    /* The options that follow restrict the search for headers to the package's
     * headers and exclude those of the system. */
    "-nostdsysteminc",
    "-nobuiltininc",
    "-nostdinc++",
    /* The options that follow select the language; later options of the
     * command line override them. */
    "-std=c++17",
    "-ffp-contract=fast",
    "-fgnuc-version=4.2.1",
    "-fdeprecated-macro",
    "-fcuda-allow-variadic-functions",
    /* compiled code tests whether operator new has returned NULL */
    "-fcheck-new",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    /* a conversion of float to int saturates if the value is out of range */
    "-fno-strict-float-cast-overflow",
    /* a function that ends without a return statement returns an arbitrary
     * value */
    "-fno-strict-return",
    /* the number of reported errors is limited to 100, as in NVRTC */
    "-ferror-limit",
    "100",
    "-Wno-pragma-clang-attribute",
    "-Wno-builtin-macro-redefined",
    /* The options that follow switch off extensions that NVRTC does not
     * have. */
    "-fno-dollars-in-identifiers",
    "-Werror=gnu-statement-expression",
    "-Werror=gnu-conditional-omitted-operand",
    "-Werror=gnu-case-range",
    "-Werror=gnu-label-as-value",
    "-Werror=gnu-designator",
    "-Werror=c99-extensions",
    "-Werror=c++20-designator",
    "-Werror=reorder-init-list",
    "-Werror=zero-length-array",
    "-Werror=flexible-array-extensions",
    "-Werror=delimited-escape-sequence-extension",
    /* These options switch on warnings about features of later C++ standards.
     * diagnostics.c decides which of the warnings become errors. */
    "-Wc++14-extensions",
    "-Wc++14-binary-literal",
    "-Wc++17-extensions",
    "-Wc++20-extensions",
    "-Wno-c++14-attribute-extensions",
    "-Wno-c++17-attribute-extensions",
    "-Wno-c++20-attribute-extensions",
    "-Wno-error=invalid-constexpr",
    /* The front end warns of reads of variables that are not set on any path,
     * as NVRTC does. */
    "-Wuninitialized",
    "-Wno-sometimes-uninitialized",
    "-Wno-uninitialized-const-reference",
    /* The options that follow switch off warnings that NVRTC does not have. */
    "-Wno-c++11-narrowing",
    "-Wno-return-type-c-linkage",
    "-Wno-non-c-typedef-for-linkage",
    "-Wno-parentheses",
    "-Wno-dangling-else",
    "-Wno-switch",
    "-Wno-shift-op-parentheses",
    "-Wno-implicitly-unsigned-literal",
    /* -O3 makes the front end emit the metadata that optimizations need. The
     * front end itself runs no passes, since pycuda-jit optimizes. */
    "-O3",
    "-disable-llvm-passes",
    "-disable-llvm-verifier",
    "-disable-free",
    "-clear-ast-before-backend",
    "-debug-info-kind=line-tables-only",
    "-dwarf-version=5",
};

const char *const nvrtc_header_dirs[] = {"nvrtc", "std", "cpu/include", NULL};
const char *const nvrtc_cccl_dirs[] = {"cpu/cccl", "cccl", NULL};

/* Returns true if the last -std= selects C++11, or C++03, which is compiled as
 * C++11. */
static bool
is_before_14(const struct nvrtc_strings *language)
{
    bool before = false;

    for (size_t i = 0; i < language->count; i++) {
        if (!strncmp(language->word[i], "-std=", strlen("-std="))) {
            before = strstr(language->word[i], "11") != NULL;
        }
    }
    return before;
}

static void
folder_add(struct nvrtc_strings *argv, const char *headers, const char *name)
{
    nvrtc_strings_add(argv, "-internal-isystem");
    nvrtc_strings_add(argv, "%s/%s", headers, name);
}

/* Adds the folders that are searched for headers. The folder of CCCL comes
 * before the last folder of nvrtc_header_dirs, which has the package's own
 * versions of CCCL's headers. If CCCL is not used, the last folder is
 * cpu/absent, with placeholders for headers of CUB and Thrust that the package
 * lacks; preamble.c does not precompile them. */
static void
header_flags(struct nvrtc_strings *argv, const char *headers, const char *cccl)
{
    for (const char *const *name = nvrtc_header_dirs; *name; name++) {
        if (cccl && name[1] == NULL) {
            for (const char *const *over = nvrtc_cccl_dirs; *over; over++) {
                folder_add(argv, headers, *over);
            }
            nvrtc_strings_add(argv, "-internal-isystem");
            nvrtc_strings_add(argv, "%s", cccl);
        }
        folder_add(argv, headers, *name);
    }
    if (cccl == NULL) {
        folder_add(argv, headers, "cpu/absent");
    }
}

void
nvrtc_frontend_flags(struct nvrtc_strings *argv, const char *headers,
                     const struct nvrtc_options *options)
{
    for (size_t i = 0; i < sizeof fixed_flags / sizeof *fixed_flags; i++) {
        nvrtc_strings_add(argv, "%s", fixed_flags[i]);
    }
    header_flags(argv, headers, options->cccl);
    nvrtc_strings_add_all(argv, &options->language);
    if (is_before_14(&options->language)) {
        /* reports an error for a constexpr function that never has a constant
         * result */
        nvrtc_strings_add(argv, "-Werror=invalid-constexpr");
    }
}

/* Length in bytes above which a name gets no suggestion of a similar name:
 * clang's search for one takes a time that grows with the square of the
 * length. */
enum { SPELLED_MOST = 500 };

void
nvrtc_source_flags(struct nvrtc_strings *argv, const char *source)
{
    size_t length = 0;

    for (const char *at = source; *at && length <= SPELLED_MOST; at++) {
        unsigned char c = (unsigned char)*at;
        length = isalnum(c) || c == '_' || c >= 0x80 ? length + 1 : 0;
    }
    if (length > SPELLED_MOST) {
        nvrtc_strings_add(argv, "-fno-spell-checking");
    }
}
