/* nvrtc.h - declarations shared by the files of the NVRTC implementation.
 *
 * api.c exports nvrtc*. compile.c compiles a program with two child processes:
 * the front end (frontend.c; clang -cc1) and pycuda-jit, the compiler from
 * LLVM bitcode to an image. An image is the compiled module that the CPU
 * device loads, its equivalent of a cubin. The only global state is the list
 * of live programs (api.c) and the command of the front end (frontend.c); a
 * mutex guards each of them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_H
#define PYCUDA_CPU_NVRTC_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/nvrtc_types.h"

/* ---- text.c: growable text, and lists of strings ----
 * If an allocation fails, the function that appends sets `failed` and leaves
 * the contents unchanged. Callers check `failed` once, after all appends. */

/* True if any allocation has failed in the current compilation of this thread.
 * nvrtc_compile clears the flag at its start. If the compilation fails and the
 * flag is set, nvrtc_compile returns NVRTC_ERROR_OUT_OF_MEMORY, so a step that
 * can continue without the memory need not report the failure. */
extern _Thread_local bool nvrtc_memory_failed;

struct nvrtc_text {
    char *bytes; /* ends with a zero byte unless empty */
    size_t length;
    size_t capacity;
    bool failed;
};

/* Append `n` bytes, or formatted text. nvrtc_text_free frees the memory and
 * makes the text empty, so that it can be used again. */
void nvrtc_text_add(struct nvrtc_text *text, const void *bytes, size_t n);
void nvrtc_text_print(struct nvrtc_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void nvrtc_text_free(struct nvrtc_text *text);

struct nvrtc_strings {
    char **word; /* ends with NULL unless empty */
    size_t count;
    size_t capacity;
    bool failed;
};

/* Append one formatted string, or copies of all strings of another list. */
void nvrtc_strings_add(struct nvrtc_strings *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void nvrtc_strings_add_all(struct nvrtc_strings *words,
                           const struct nvrtc_strings *more);
void nvrtc_strings_free(struct nvrtc_strings *words);

/* ---- process.c: child processes with pipes ---- */

struct nvrtc_process {
    pid_t pid; /* 0: not running */
    int input, output, errors;
    int status;           /* after finish: 0, an exit status, or -signal */
    bool is_status_known; /* false: waitpid failed; `status` is a guess */
    const char *broken;   /* what nvrtc_process_finish failed to do */
    struct nvrtc_text out, err;
};

/* Starts the child. Returns 0 or an errno. The child has a separate process
 * group, and an environment without LD_* and the sanitizers' variables. */
int nvrtc_process_start(struct nvrtc_process *process, char *const argv[]);
/* Writes `input` to the child, collects its standard output in `out` and its
 * error output in `err`, and waits for its end. Returns 0, or an errno if the
 * input could not be written completely, if an output could not be read
 * completely, or if the child exits with status 0 but has not read its whole
 * input. `status` is valid only if the result is 0. */
int nvrtc_process_finish(struct nvrtc_process *process, const void *input,
                         size_t bytes);
/* Kills a running child and frees all memory. */
void nvrtc_process_free(struct nvrtc_process *process);
/* Adds an explanation of a failed start of `program` to `log`; `code` is an
 * errno. Returns true if the reason is an exhausted system resource; the
 * explanation then names this resource. */
bool nvrtc_process_explain_start(int code, const char *program,
                                 struct nvrtc_text *log);
/* Adds an explanation of the errno `code` of nvrtc_process_finish to `log`. */
void nvrtc_process_explain_broken(const struct nvrtc_process *process,
                                  int code, const char *program,
                                  struct nvrtc_text *log);
/* Adds to `log` that the child `what` failed, its exit status or signal, and
 * the end of its error output. */
void nvrtc_process_explain(const struct nvrtc_process *process,
                           const char *what, struct nvrtc_text *log);

/* ---- locks; fork.c acquires all of them before a fork() of the process, so
 * that the child does not inherit a lock that another thread holds ---- */

extern pthread_mutex_t nvrtc_choice_lock; /* frontend.c: the front end */
extern pthread_mutex_t nvrtc_start_lock;  /* process.c: start of children */
extern pthread_mutex_t nvrtc_list_lock;   /* api.c: live programs */

/* process.c: true while this thread holds nvrtc_start_lock. */
extern _Thread_local bool nvrtc_starting;

/* ---- paths.c: the package's files ---- */

/* Returns the path ../name relative to the library, or the value of the
 * environment variable if set. Returns false, with errno, if it is too long or
 * unknown. */
bool nvrtc_path_package(char path[PATH_MAX], const char *variable,
                        const char *name);
/* Returns the folder for precompiled headers and creates it if necessary.
 * Returns false if there is none. */
bool nvrtc_path_cache(char path[PATH_MAX]);

/* ---- options.c ---- */

struct nvrtc_options {
    struct nvrtc_strings language; /* cc1 flags that affect headers as well */
    struct nvrtc_strings preprocess;  /* cc1 flags: -I -D -U */
    struct nvrtc_strings preincludes; /* file names of --pre-include */
    struct nvrtc_strings jit;         /* flags of pycuda-jit */
    struct nvrtc_strings diagnostics; /* cc1 flags for warnings */
    struct nvrtc_strings entries;     /* lists of kernels that must exist */
    struct nvrtc_strings trimmed;     /* the options, without blanks at ends */
    const char *times;                /* file of --time, or NULL */
    const char *trace;                /* file of --fdevice-time-trace */
    const char *create_pch;           /* file of --create-pch */
    nvrtcResult result;               /* result code for an invalid option */
    int arch;                         /* 90 for sm_90; 0: not specified */
    char arch_suffix;                 /* 'a' of sm_90a, 'f', or 0 */
    int assembler_kind;               /* kind of the previous ptxas option */
    bool assembler_value;             /* the next text may be its value */
    bool device_default;              /* --device-as-default-execution-space */
    bool relocatable;
    bool whole_program; /* -rdc=false */
    bool lto;           /* -dlto: the result is LTO code only */
    bool debug;         /* -G */
    bool optimized;     /* -dopt */
    bool flush;         /* -ftz=true */
    bool float128;      /* -device-float128 */
    bool quiet;         /* no warnings */
    bool syntax_only;   /* no code generation */
};

/* Parses the options. Returns NVRTC_SUCCESS, or an error that `log` describes.
 * Values refer to `texts` or to memory of `options`. */
nvrtcResult nvrtc_options_parse(struct nvrtc_options *options, int count,
                                const char *const *texts,
                                struct nvrtc_text *log);
void nvrtc_options_free(struct nvrtc_options *options);

/* ---- timing.c ---- */

#define NVRTC_TIMED_PARTS 4

struct nvrtc_timing {
    struct {
        const char *name;
        double begin, end; /* ms */
    } part[NVRTC_TIMED_PARTS];
    size_t count;
};

/* Begins a part with this name, which must remain valid. */
void nvrtc_timing_begin(struct nvrtc_timing *timing, const char *name);
/* Ends all parts that have begun. */
void nvrtc_timing_end(struct nvrtc_timing *timing);
/* Writes the files that the options request. */
nvrtcResult nvrtc_timing_write(const struct nvrtc_timing *timing,
                               const char *program,
                               const struct nvrtc_options *options,
                               struct nvrtc_text *log);

/* ---- frontend.c ---- */

/* Returns the command of clang's cc1, which is searched for once per process.
 * Returns NULL if there is none; `log` then says what to install. */
const struct nvrtc_strings *nvrtc_frontend_find(struct nvrtc_text *log);
/* Runs the front end with --version. Returns false, with an error in `log`, if
 * it cannot be run or has another major version than the required one. Only
 * called while no precompiled header of this front end exists. */
bool nvrtc_frontend_check(const struct nvrtc_strings *frontend,
                          struct nvrtc_text *log);
/* Subfolders of pycuda/cuda that are searched for `#include <name>`, in this
 * order; NULL ends the array. */
extern const char *const nvrtc_header_dirs[];
/* Adds the cc1 flags that every run of the front end gets: target, language,
 * header folders. */
void nvrtc_frontend_flags(struct nvrtc_strings *argv, const char *headers,
                          const struct nvrtc_options *options);

/* ---- headers.c: the CUDA headers that the Python package contains;
 * `headers` is the path of their folder, pycuda/cuda ---- */

struct nvrtc_digest {
    uint64_t a, b;
};

/* Adds bytes to the hash. */
void nvrtc_digest_add(struct nvrtc_digest *digest, const void *bytes,
                      size_t n);
/* Adds the contents of all headers in `folder` to the hash; if `deep` is true,
 * also those in its subfolders. Returns false if one cannot be read. */
bool nvrtc_headers_digest(struct nvrtc_digest *digest, const char *headers,
                          const char *folder, bool deep);
/* Returns true if no package header contains the name of a macro that a -D or
 * -U option defines or undefines. */
bool nvrtc_headers_undefined(const char *headers,
                             const struct nvrtc_strings *preprocess);
/* Returns true if `folder` contains a file with the name of a package
 * header. */
bool nvrtc_headers_shadowed(const char *headers, const char *folder);
/* Returns true if the package's `folder` contains the file `name`. */
bool nvrtc_headers_contain(const char *headers, const char *folder,
                           const char *name);
/* nvrtc_headers_are_only returns true if `word` is an -I option with the path
 * of the package headers' folder; nvrtc_headers_given, if one of the words
 * is. */
bool nvrtc_headers_are_only(const char *headers, const char *word);
bool nvrtc_headers_given(const char *headers,
                         const struct nvrtc_strings *preprocess);

/* ---- preamble.c ---- */

/* Stores in `lines` the leading #include lines of the source, which pch.c
 * precompiles. `lines` stays empty if precompiling saves no time, or if an
 * option could change the meaning of the headers. `folder` is the folder of
 * the headers that the caller passed in memory; "" if there are none. */
void nvrtc_preamble_read(struct nvrtc_text *lines, const char *source,
                         const char *headers,
                         const struct nvrtc_options *options,
                         const char *folder);

/* ---- cache_file.c: cache files that processes share ---- */

/* Returns true if only the user and root can write to or replace `folder` and
 * the folders above it. A folder with the sticky bit may be writable by
 * others, since they cannot replace its entries. If the result is false, errno
 * is 0, or the reason why a folder could not be examined. */
bool nvrtc_folder_private(const char *folder);
/* Stores the path of the file for `digest`. Returns false if it is too
 * long. */
bool nvrtc_cache_file_path(char path[PATH_MAX], const char *folder,
                           const struct nvrtc_digest *digest);
/* Returns true if `path` is a regular file that the user or root owns, with
 * the correct checksum. Renews the file's modification time, so that it is not
 * removed as unused. */
bool nvrtc_cache_file_whole(const char *path);
/* Writes `text` and its checksum to `path` atomically, and removes unused
 * files from the folder. Returns false on failure, with no file left. */
bool nvrtc_cache_file_put(const char *path, const struct nvrtc_text *text);

/* ---- pch.c ---- */

struct nvrtc_pch {
    char path[PATH_MAX];        /* "": no precompiled header can be used */
    char base[PATH_MAX];        /* PCH that `path` builds on; "": none */
    struct nvrtc_text includes; /* #include lines of precompiled headers */
    struct nvrtc_strings rest;  /* pre-includes that are not precompiled */
};

/* Finds or creates the precompiled package headers for these options. Returns
 * false if the front end cannot be used; `log` has the reason. */
bool nvrtc_pch_get(struct nvrtc_pch *pch, const struct nvrtc_strings *frontend,
                   const char *headers, const struct nvrtc_options *options,
                   struct nvrtc_text *log);
/* Finds or creates a second precompiled header that builds on pch->path and
 * adds the #include lines `lines`; pch->path then names the second one. On
 * failure `pch` is unchanged. */
void nvrtc_pch_extend(struct nvrtc_pch *pch,
                      const struct nvrtc_strings *frontend,
                      const char *headers, const struct nvrtc_options *options,
                      const struct nvrtc_text *lines, struct nvrtc_text *log);
/* Called after the front end failed with the messages `log`. Goes back to the
 * precompiled header `base`, and removes a precompiled file that the front end
 * rejects, such as a damaged one. Returns true if a retry may succeed. */
bool nvrtc_pch_fall_back(struct nvrtc_pch *pch, const char *log);
void nvrtc_pch_free(struct nvrtc_pch *pch);

/* ---- programs ---- */

struct nvrtc_header {
    char *name;
    char *source;
};

struct nvrtc_expression {
    char *text;
    char *lowered; /* mangled symbol; NULL before a successful compilation */
};

struct _nvrtcProgram {
    struct _nvrtcProgram *next; /* link of the list in api.c */
    char *name;
    char *source;
    struct nvrtc_header *headers;
    int header_count;
    struct nvrtc_expression *expressions;
    size_t expression_count;
    bool compiled;          /* nvrtcCompileProgram succeeded */
    nvrtcResult pch_status; /* result of nvrtcGetPCHCreateStatus */
    struct nvrtc_text log;
    struct nvrtc_text bitcode; /* output of the front end */
    struct nvrtc_text cubin;   /* native image; with -rdc a bitcode image */
    struct nvrtc_text ptx;     /* text form of the image; made on request */
    int arch;                  /* target architecture */
    bool flush;                /* compiled with -ftz=true */
    bool lto;                  /* compiled with -dlto */
};

/* ---- compile.c ---- */

/* Compiles the program and stores the result and the log in it. */
nvrtcResult nvrtc_compile(struct _nvrtcProgram *program, int count,
                          const char *const *options);
/* Creates program->ptx if it does not exist yet. */
nvrtcResult nvrtc_compile_ptx(struct _nvrtcProgram *program);

/* ---- jit_process.c ---- */

#define NVRTC_TARGET_WORD 48 /* buffer size for --target=... */
/* Returns true if `text`, the output of pycuda-jit, is exactly one image. */
bool nvrtc_jit_image_whole(const struct nvrtc_text *text);
/* Writes pycuda-jit's option --target for this processor to `word` and returns
 * it. Returns NULL if the user sets the target with PYCUDA_CPU_TARGET. */
const char *nvrtc_jit_target(char word[NVRTC_TARGET_WORD]);

/* ---- name_expressions.c: expressions of nvrtcAddNameExpression ---- */

/* Appends lines to `source` that instantiate the templates that the program's
 * name expressions name. */
void nvrtc_names_use(const struct _nvrtcProgram *program,
                     struct nvrtc_text *source);
/* nvrtc_names_ask appends declarations to `source` by which the symbol of each
 * name expression appears in the textual LLVM IR. nvrtc_names_read then stores
 * the symbols from `ir` in the program; it returns false, with an error in
 * `log`, if one is missing. */
void nvrtc_names_ask(const struct _nvrtcProgram *program,
                     struct nvrtc_text *source);
bool nvrtc_names_read(struct _nvrtcProgram *program, const char *ir,
                      struct nvrtc_text *log);

/* ---- edits.c ---- */

struct nvrtc_edit {
    size_t at, drop; /* offset in the source; number of removed bytes */
    char *text;      /* inserted text */
};

struct nvrtc_edits {
    struct nvrtc_edit *edit; /* sorted by position */
    size_t count;
    bool failed; /* an allocation failed; checked by nvrtc_edits_make */
};

/* Adds an edit: at offset `at`, removes `drop` bytes and inserts formatted
 * text. */
void nvrtc_edits_add(struct nvrtc_edits *edits, size_t at, size_t drop,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Returns true if there is an edit at this position. */
bool nvrtc_edits_touch(const struct nvrtc_edits *edits, size_t at);
/* Returns the edited source, which the caller frees, or NULL if out of
 * memory. */
char *nvrtc_edits_make(const struct nvrtc_edits *edits, const char *source);
void nvrtc_edits_free(struct nvrtc_edits *edits);

/* ---- edits that are not caused by an error message ---- */

/* deduction_guides.c: adds edits that declare deduction guides __device__. */
void nvrtc_deduction_guides_mark(struct nvrtc_edits *edits,
                                 const char *source);
/* execution_spaces.c: adds edits that exclude kernels from the pragma that
 * makes all functions device functions. */
void nvrtc_kernels_mark(struct nvrtc_edits *edits, const char *source);
/* dialect.c: adds edits that make clang keywords an error if NVRTC does not
 * have them. `before_20`: the C++ standard is older than C++20. */
void nvrtc_dialect_mark(struct nvrtc_edits *edits, const char *source,
                        bool before_20);

/* ---- rewrite.c: code that NVRTC accepts and clang rejects ---- */

/* Returns a copy of `source` in which errors of the log are corrected; the
 * caller frees it. `name` is the file name of the source in the log. Returns
 * NULL if no error can be corrected. `round` counts the rewrites of a program
 * from 0 and makes the names unique that a rewrite adds. */
char *nvrtc_rewrite(const struct nvrtc_text *log, const char *name,
                    const char *source, int round);

/* ---- function_bodies.c ---- */

/* Returns a copy of `source`, which the caller frees. Each template function
 * body in which the log has an error is replaced by a body that causes an
 * error only if the template is instantiated. `name` is the file name of the
 * source in the log. Returns NULL if an error is outside such a body. */
char *nvrtc_bodies_replace(const struct nvrtc_text *log, const char *name,
                           const char *source);

/* ---- memory_headers.c: headers that the caller passes to nvrtcCreateProgram
 * ---- */

/* Writes the program's headers to a new temporary folder and stores its name
 * in `path`, or "" if there are no headers. Returns false, with an error in
 * `log`, on failure. */
bool nvrtc_memory_headers_write(const struct _nvrtcProgram *program,
                                char path[PATH_MAX], struct nvrtc_text *log);
void nvrtc_memory_headers_remove(const struct _nvrtcProgram *program,
                                 const char *path);

#endif
