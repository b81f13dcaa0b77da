/* nvrtc.h - what the files of the NVRTC API on the CPU device share.
 *
 * api.c exports nvrtc*; a program is compiled by compile.c, which
 * runs two child processes: the front end (frontend.c; clang -cc1) and
 * pycuda-jit.  No state but the list of live programs and the front end found
 * first; both are behind mutexes of their own files.
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

/* ---- text.c: text that grows, and lists of strings ----
 * A failed allocation sets `failed` and leaves the rest as it was; callers
 * look once, at the end. */

/* An allocation of the thread's current compilation has failed, in a text, a
 * list of strings, edits, or a name.  Steps that fall back without that memory
 * need not report it: nvrtc_compile turns the failure of a compilation with
 * this flag into NVRTC_ERROR_OUT_OF_MEMORY, and clears the flag before. */
extern _Thread_local bool nvrtc_memory_failed;

struct nvrtc_text {
    char *bytes; /* zero-terminated once anything was added */
    size_t length;
    size_t capacity;
    bool failed;
};

void nvrtc_text_add(struct nvrtc_text *text, const void *bytes, size_t n);
void nvrtc_text_print(struct nvrtc_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void nvrtc_text_free(struct nvrtc_text *text);

struct nvrtc_words {
    char **word; /* NULL-terminated once anything was added */
    size_t count;
    size_t capacity;
    bool failed;
};

void nvrtc_words_add(struct nvrtc_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void nvrtc_words_add_all(struct nvrtc_words *words,
                         const struct nvrtc_words *more);
void nvrtc_words_free(struct nvrtc_words *words);

/* ---- process.c: a child with pipes at its three ends ---- */

struct nvrtc_process {
    pid_t pid; /* 0: not running */
    int input, output, errors;
    int status;         /* after finish: 0, an exit status, or -signal */
    const char *broken; /* why finish failed, for explain_broken */
    struct nvrtc_text out, err;
};

/* 0 or an errno.  The child gets a process group of its own and an environment
 * without LD_* and the sanitizers' variables. */
int nvrtc_process_start(struct nvrtc_process *process, char *const argv[]);
/* Feeds `input`, collects both outputs, waits.  0 or an errno: the input could
 * not be written whole, an output could not be read whole, or a child that
 * claims success has not read its whole input.  `status` is valid only with
 * 0. */
int nvrtc_process_finish(struct nvrtc_process *process, const void *input,
                         size_t bytes);
/* Ends a child whose result is not wanted, and frees everything. */
void nvrtc_process_free(struct nvrtc_process *process);
/* Adds to `log` why `program` could not be started, `code` being an errno.
 * true: the system lacks a resource, and the text says which. */
bool nvrtc_process_explain_start(int code, const char *program,
                                 struct nvrtc_text *log);
/* Adds to `log` why nvrtc_process_finish returned the errno `code`. */
void nvrtc_process_explain_broken(const struct nvrtc_process *process,
                                  int code, const char *program,
                                  struct nvrtc_text *log);
/* Says in `log` how the child failed, with its last words. */
void nvrtc_process_explain(const struct nvrtc_process *process,
                           const char *what, struct nvrtc_text *log);

/* ---- locks; fork.c holds all of them while the process is copied ---- */

extern pthread_mutex_t nvrtc_choice_lock; /* frontend.c: what it found */
extern pthread_mutex_t nvrtc_start_lock;  /* process.c: starting one */
extern pthread_mutex_t nvrtc_list_lock;   /* api.c: live programs */

/* process.c: this thread holds nvrtc_start_lock. */
extern _Thread_local bool nvrtc_starting;

/* ---- paths.c: where the package's files lie ---- */

/* `../name` seen from the library, or what `variable` says; false: too long or
 * unknown, and errno says why. */
bool nvrtc_path_package(char path[PATH_MAX], const char *variable,
                        const char *name);
/* The folder for precompiled headers, made if need be; false: none. */
bool nvrtc_path_cache(char path[PATH_MAX]);

/* ---- options.c ---- */

struct nvrtc_options {
    struct nvrtc_words language;    /* cc1 flags that shape headers too */
    struct nvrtc_words preprocess;  /* cc1 flags: -I -D -U */
    struct nvrtc_words preincludes; /* files */
    struct nvrtc_words jit;         /* pycuda-jit's flags */
    struct nvrtc_words diagnostics; /* cc1 flags about warnings */
    struct nvrtc_words entries;     /* kernels that must exist: lists */
    struct nvrtc_words trimmed;     /* the caller's texts without blanks */
    const char *times;              /* file for --time, or NULL */
    const char *trace;              /* file for --fdevice-time-trace */
    const char *create_pch;         /* file for --create-pch */
    nvrtcResult result;             /* what a wrong option makes of it */
    int arch;                       /* 90 for sm_90; 0: none is named */
    char arch_suffix;               /* 'a' of sm_90a, 'f', or 0 */
    int assembler_kind;             /* option of ptxas that has no value yet */
    bool assembler_value;           /* the next text may be its value */
    bool device_default;            /* --device-as-default-execution-space */
    bool relocatable;
    bool debug;       /* -G */
    bool optimized;   /* -dopt */
    bool flush;       /* -ftz=true */
    bool float128;    /* -device-float128 */
    bool quiet;       /* no warnings */
    bool syntax_only; /* no code is made */
};

/* NVRTC_SUCCESS, or an option is wrong and `log` says which.  Values point
 * into `texts`. */
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

/* A part with this name begins; the string must stay. */
void nvrtc_timing_begin(struct nvrtc_timing *timing, const char *name);
/* Ends the parts that have begun. */
void nvrtc_timing_end(struct nvrtc_timing *timing);
/* Writes the files that the options ask for. */
nvrtcResult nvrtc_timing_write(const struct nvrtc_timing *timing,
                               const char *program,
                               const struct nvrtc_options *options,
                               struct nvrtc_text *log);

/* ---- frontend.c ---- */

/* The words that start clang's cc1, found once in a process; NULL: there is
 * none, `log` says what to install. */
const struct nvrtc_words *nvrtc_frontend_find(struct nvrtc_text *log);
/* A front end whose precompiled headers are not there yet: is it usable? */
bool nvrtc_frontend_check(const struct nvrtc_words *frontend,
                          struct nvrtc_text *log);
/* Folders of ours from which programs include, in order; NULL ends them. */
extern const char *const nvrtc_header_dirs[];
/* The flags that every run has: target, language, our header folders. */
void nvrtc_frontend_flags(struct nvrtc_words *argv, const char *headers,
                          const struct nvrtc_options *options);

/* ---- headers.c: our headers as a whole; `headers` is their folder ---- */

struct nvrtc_digest {
    uint64_t a, b;
};

void nvrtc_digest_add(struct nvrtc_digest *digest, const void *bytes,
                      size_t n);
/* Adds what the headers of one folder say, `deep`: also of those in it;
 * false: one can't be read. */
bool nvrtc_headers_digest(struct nvrtc_digest *digest, const char *headers,
                          const char *folder, bool deep);
/* Is no macro that -D or -U names a word of theirs? */
bool nvrtc_headers_undefined(const char *headers,
                             const struct nvrtc_words *preprocess);
/* Has `folder` something with the name of a header of ours? */
bool nvrtc_headers_shadowed(const char *headers, const char *folder);
/* Is there the file `name` in `folder` of theirs? */
bool nvrtc_headers_hold(const char *headers, const char *folder,
                        const char *name);
/* Does the word give their folder by -I, and does one of the words? */
bool nvrtc_headers_are(const char *headers, const char *word);
bool nvrtc_headers_given(const char *headers,
                         const struct nvrtc_words *preprocess);

/* ---- leading.c ---- */

/* The includes of our headers that `source` begins with, as lines to be
 * precompiled; none where they gain nothing or options could change what they
 * mean.  `folder` has the headers given in memory; "": none. */
void nvrtc_leading_read(struct nvrtc_text *lines, const char *source,
                        const char *headers,
                        const struct nvrtc_options *options,
                        const char *folder);

/* ---- cachefile.c: files that one process writes and another one trusts ----
 */

/* Is `folder` one that only the user and root can write to or replace?  Looks
 * at the folders above it, too; a sticky folder there protects its entries.
 * If not, errno is 0, or says why a folder cannot be looked at. */
bool nvrtc_folder_private(const char *folder);
/* Puts the path of the file for `digest` into `path`; false: too long. */
bool nvrtc_cachefile_path(char path[PATH_MAX], const char *folder,
                          const struct nvrtc_digest *digest);
/* Is there a regular file at `path` that the user or root wrote and that has
 * the right checksum?  Its time is renewed, so that trimming spares it. */
bool nvrtc_cachefile_whole(const char *path);
/* Writes `text` and its checksum to `path`, whole or not at all, and trims the
 * folder.  false: that failed, and nothing is left behind. */
bool nvrtc_cachefile_put(const char *path, const struct nvrtc_text *text);

/* ---- pch.c ---- */

struct nvrtc_pch {
    char path[PATH_MAX];        /* "": no precompiled header can be used */
    char base[PATH_MAX];        /* what that builds upon; "": on nothing */
    struct nvrtc_text includes; /* the headers as #include lines */
    struct nvrtc_words rest;    /* pre-includes that are not ours */
};

/* Finds or makes the precompiled form of our headers for these options.
 * false: the front end can't be used, `log` says why. */
bool nvrtc_pch_get(struct nvrtc_pch *pch, const struct nvrtc_words *frontend,
                   const char *headers, const struct nvrtc_options *options,
                   struct nvrtc_text *log);
/* Builds the precompiled form of `lines` upon it, if that can be done. */
void nvrtc_pch_extend(struct nvrtc_pch *pch,
                      const struct nvrtc_words *frontend, const char *headers,
                      const struct nvrtc_options *options,
                      const struct nvrtc_text *lines, struct nvrtc_text *log);
/* After a failure: gives up what is not beyond doubt, and removes what the
 * front end refuses (damaged on disk, say).  true: worth another try. */
bool nvrtc_pch_retreat(struct nvrtc_pch *pch, const char *log);
void nvrtc_pch_free(struct nvrtc_pch *pch);

/* ---- programs ---- */

struct nvrtc_header {
    char *name;
    char *source;
};

struct nvrtc_expression {
    char *text;
    char *lowered; /* NULL before a successful compilation */
};

struct _nvrtcProgram {
    struct _nvrtcProgram *next; /* api.c's list */
    char *name;
    char *source;
    struct nvrtc_header *headers;
    int header_count;
    struct nvrtc_expression *expressions;
    size_t expression_count;
    bool compiled;          /* nvrtcCompileProgram succeeded */
    nvrtcResult pch_status; /* what nvrtcGetPCHCreateStatus answers */
    struct nvrtc_text log;
    struct nvrtc_text bitcode; /* the front end's output */
    struct nvrtc_text cubin;   /* native image; bitcode image with -rdc */
    struct nvrtc_text ptx;     /* its text with a zero, made when asked for */
    int arch;                  /* for which it was compiled */
    bool flush;                /* with -ftz=true */
};

/* ---- compile.c ---- */

nvrtcResult nvrtc_compile(struct _nvrtcProgram *program, int count,
                          const char *const *options);
/* Fills program->ptx. */
nvrtcResult nvrtc_compile_ptx(struct _nvrtcProgram *program);

/* ---- jit.c ---- */

#define NVRTC_TARGET_WORD 48 /* bytes that hold --target=... */
/* Does `text`, the output of pycuda-jit, hold one image and nothing else? */
bool nvrtc_jit_image_whole(const struct nvrtc_text *text);
/* Makes pycuda-jit's word for this processor; NULL: none is to be given. */
const char *nvrtc_jit_target(char word[NVRTC_TARGET_WORD]);

/* ---- names.c: name expressions ---- */

/* Lines to put after the source, so that what the expressions name is
 * instantiated. */
void nvrtc_names_use(const struct _nvrtcProgram *program,
                     struct nvrtc_text *source);
/* Lines that make the names readable in textual IR, and the reading. */
void nvrtc_names_ask(const struct _nvrtcProgram *program,
                     struct nvrtc_text *source);
bool nvrtc_names_read(struct _nvrtcProgram *program, const char *ir,
                      struct nvrtc_text *log);

/* ---- edits.c ---- */

struct nvrtc_edit {
    size_t at, drop; /* bytes of the source */
    char *text;      /* in their place */
};

struct nvrtc_edits {
    struct nvrtc_edit *edit; /* by place */
    size_t count;
    bool failed; /* an allocation did; looked at by nvrtc_edits_make */
};

void nvrtc_edits_add(struct nvrtc_edits *edits, size_t at, size_t drop,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Is there one at this place? */
bool nvrtc_edits_touch(const struct nvrtc_edits *edits, size_t at);
/* The source with all of them, to be freed, or NULL. */
char *nvrtc_edits_make(const struct nvrtc_edits *edits, const char *source);
void nvrtc_edits_free(struct nvrtc_edits *edits);

/* ---- changes that every source gets ---- */

/* guides.c: deduction guides get execution spaces. */
void nvrtc_guides_mark(struct nvrtc_edits *edits, const char *source);
/* spaces.c: kernels are no functions of the device. */
void nvrtc_kernels_mark(struct nvrtc_edits *edits, const char *source);
/* dialect.c: words that NVRTC does not know are none here either; `before_20`
 * is for standards before C++20. */
void nvrtc_dialect_mark(struct nvrtc_edits *edits, const char *source,
                        bool before_20);

/* ---- rewrite.c: what NVRTC takes and the front end refuses ---- */

/* The source `name`, to be freed, without what the log says of it; NULL: it
 * says nothing that can be mended.  Rounds of one program have numbers. */
char *nvrtc_rewrite(const struct nvrtc_text *log, const char *name,
                    const char *source, int round);

/* ---- bodies.c ---- */

/* The source `name`, to be freed, in which each function body of a template
 * that the log has an error of is an error in every instance; NULL: an error
 * is elsewhere. */
char *nvrtc_bodies_refuse(const struct nvrtc_text *log, const char *name,
                          const char *source);

/* ---- folder.c: headers given in memory ---- */

/* Writes them to a new temporary folder; `path` is "" if there are none. */
bool nvrtc_folder_make(const struct _nvrtcProgram *program,
                       char path[PATH_MAX], struct nvrtc_text *log);
void nvrtc_folder_remove(const struct _nvrtcProgram *program,
                         const char *path);

#endif
