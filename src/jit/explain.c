/* explain.c - reports how each kernel is run, and which loops were vectorised.
 *
 * Called by main.c after the passes that provide the information. The command
 * `python -m pycuda.cpu explain` reads the JSON that this file writes. A
 * "stop" is a call at which a thread may wait for others: a barrier, a warp
 * operation or a yield in a waiting loop. `notes` has one element per kernel
 * and is filled before kernels are split; `remarks` collects the remarks of
 * LLVM's vectoriser.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>

#include "jit/explain.h"
#include "jit/fibers/runtime_stops.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/report.h"
#include "jit/target/target.h"
#include "jit/text.h"

struct stop {
    /* name of the called runtime function, in which a thread may wait for
     * other threads */
    const char *name;
    unsigned line;
};

/* The report's information about one kernel. The array `notes` has the order
 * of jit.kernels. */
struct note {
    const struct jit_kernel *kernel;
    LLVMMetadataRef scope; /* debug information of the kernel, or NULL */
    char *file;
    unsigned line;
    struct stop *stops;
    unsigned count;
    /* true: the kernel runs on fibers and calls a function that is not inlined
     */
    bool stored;
};

static struct note *notes;
static unsigned note_count;

static struct jit_text remarks;

/* ---- before kernels are split ---- */

static void
note_stop(struct jit *jit, LLVMValueRef at, void *data)
{
    struct note *note = data;
    LLVMValueRef callee = jit_callee(at);
    const char *name = callee ? jit_name(callee) : "";

    (void)jit;
    if (callee && !LLVMIsDeclaration(callee) && note->kernel->fibers) {
        note->stored = true;
    }
    if (!jit_may_stop(name)) {
        return;
    }
    note->stops =
        realloc(note->stops, (note->count + 1) * sizeof *note->stops);
    if (!note->stops) {
        jit_die("out of memory");
    }
    note->stops[note->count++] =
        (struct stop){jit_copy(name, strlen(name)), jit_line_of(at)};
}

static void
note_kernel(struct jit *jit, struct jit_kernel *kernel, struct note *note)
{
    LLVMMetadataRef scope = LLVMGetSubprogram(kernel->function);

    note->kernel = kernel;
    note->scope = scope;
    if (scope) {
        unsigned length = 0;
        LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
        const char *name = file ? LLVMDIFileGetFilename(file, &length) : "";
        note->file = jit_copy(name, length);
        note->line = LLVMDISubprogramGetLine(scope);
    }
    jit_each_instruction(jit, kernel->function, note_stop, note);
}

void
jit_explain_stops(struct jit *jit)
{
    notes = jit_allocate(jit->kernel_count * sizeof *notes);
    note_count = jit->kernel_count;
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        notes[i].file = "";
        note_kernel(jit, &jit->kernels[i], &notes[i]);
    }
}

static const struct note *
note_of(const struct jit_kernel *kernel)
{
    for (unsigned i = 0; i < note_count; i++) {
        if (notes[i].kernel == kernel) {
            return &notes[i];
        }
    }
    return NULL;
}

LLVMMetadataRef
jit_explain_scope(const struct jit_kernel *kernel)
{
    const struct note *note = note_of(kernel);

    return note ? note->scope : NULL;
}

unsigned
jit_explain_line(const struct jit_kernel *kernel, unsigned point)
{
    const struct note *note = note_of(kernel);
    unsigned seen = 0;

    for (unsigned i = 0; note && point && i < note->count; i++) {
        bool barrier = strcmp(note->stops[i].name, "__pycuda_barrier") == 0;
        if ((barrier || kernel->warps) && ++seen == point) {
            return note->stops[i].line;
        }
    }
    return note ? note->line : 0;
}

/* ---- LLVM's remarks ---- */

void
jit_explain_enable(void)
{
    static const char *const words[] = {
        "pycuda-jit", "-pass-remarks=loop-vectorize",
        "-pass-remarks-missed=loop-vectorize",
        "-pass-remarks-analysis=loop-vectorize"};

    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
}

static void
json_text(struct jit_text *out, const char *value)
{
    jit_text_add(out, "\"");
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if (c < 32) {
            jit_text_add(out, "\\u%04x", c);
        } else {
            jit_text_add(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
        }
    }
    jit_text_add(out, "\"");
}

/* Parses and records a remark of LLVM's vectoriser, such as "kernel.cu:12:5:
 * loop not vectorized: ...". */
void
jit_explain_remark(const char *text)
{
    const char *message = strstr(text, ": ");
    const char *colon = message;
    unsigned long numbers[2] = {0, 0};

    for (int i = 1; message && i >= 0 && colon > text; i--) {
        do {
            colon--;
        } while (colon > text && *colon != ':');
        numbers[i] = strtoul(colon + 1, NULL, 10);
    }
    if (!message || colon == text || !numbers[0] ||
        !strstr(message, "vectorized")) {
        return;
    }
    jit_text_add(&remarks, "%s\n    {\"file\": ", remarks.length ? "," : "");
    json_text(&remarks, jit_copy(text, (size_t)(colon - text)));
    jit_text_add(&remarks,
                 ", \"line\": %lu, \"column\": %lu, \"text\": ", numbers[0],
                 numbers[1]);
    json_text(&remarks, message + 2);
    jit_text_add(&remarks, "}");
}

/* ---- writing ---- */

static const char *
level_of(const struct jit_kernel *kernel)
{
    return kernel->warps      ? "warps"
           : kernel->fibers   ? "fibers"
           : kernel->regions  ? "regions"
           : kernel->packs[0] ? "packs"
                              : "loop";
}

static bool
is_of_warps(const struct stop *stop)
{
    static const char *const names[] = {"warp_barrier", "activemask",
                                        "shuffle",      "ballot",
                                        "match_any",    "reduce"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(stop->name + strlen("__pycuda_"), names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns a text that says why the kernel needs fibers. The text names the
 * first stop (a call at which a thread may wait for others) that is neither a
 * barrier of the block nor a warp operation. Returns NULL if there is no such
 * stop. Sets *warps if a warp operation comes before the named stop or,
 * without one, anywhere in the kernel. */
static char *
stop_reason(const struct note *note, bool *warps)
{
    for (unsigned i = 0; i < note->count; i++) {
        const struct stop *stop = &note->stops[i];
        if (strcmp(stop->name, "__pycuda_yield") == 0) {
            return jit_format("the loop at line %u waits for other threads",
                              stop->line);
        }
        *warps |= is_of_warps(stop);
        if (strcmp(stop->name, "__pycuda_barrier") != 0 &&
            !is_of_warps(stop)) {
            return jit_format("line %u suspends its thread (%s)", stop->line,
                              stop->name + strlen("__pycuda_"));
        }
    }
    return NULL;
}

/* Returns the reason why a kernel runs on fibers (one stack per thread), or ""
 * if the kernel does not run on fibers. */
static char *
reason_of(const struct jit *jit, const struct note *note)
{
    bool warps = false;

    if (!note->kernel->fibers || note->kernel->warps) {
        return "";
    }
    if (!jit->options.regions) {
        return "regions are switched off (PYCUDA_CPU_REGIONS, or a check)";
    }
    char *reason = stop_reason(note, &warps);
    if (reason) {
        return reason;
    }
    if (warps && !jit->options.warps) {
        return "running by warps is switched off (PYCUDA_CPU_WARPS)";
    }
    if (note->kernel->warps_not) {
        return jit_format("%s", note->kernel->warps_not);
    }
    if (note->stored || !note->count) {
        return "a barrier is in a function that cannot be inlined";
    }
    return jit_format("threads may diverge before the barrier at line %u",
                      note->stops[0].line);
}

/* Returns the number of the start point (the code after a barrier) that
 * follows note->stops[stop]. This stop is a barrier or warp operation of the
 * source. Returns JIT_MAX_POINTS if the number is not known. The k-th barrier
 * in note->stops belongs to the k-th start point that follows a barrier; start
 * points after warp operations are not found. */
static unsigned
point_after(const struct note *note, unsigned stop)
{
    const struct jit_regions *regions = note->kernel->regions;
    unsigned number = 0;
    for (unsigned i = 0; i <= stop; i++) {
        number += strcmp(note->stops[i].name, "__pycuda_barrier") == 0;
    }
    for (unsigned k = 1; k < regions->count; k++) {
        if (regions->barrier_points >> k & 1 && --number == 0) {
            return k;
        }
    }
    return JIT_MAX_POINTS;
}

/* Tests whether some code from the start point to the next barrier of the
 * source runs for packs (several neighbouring threads as lanes of vectors).
 * The code may be divided further, at the points that split_points.c has
 * added. */
static bool
has_packs(const struct jit_regions *regions, unsigned point)
{
    jit_point_set seen = 0,
                  left = point < regions->count ? JIT_POINT(point) : 0;
    while (left) {
        unsigned k = (unsigned)jit_first_point(left);
        left &= ~JIT_POINT(k);
        seen |= JIT_POINT(k);
        if (regions->packs[k][0]) {
            return true;
        }
        left |= regions->follows[k] & ~seen & ~regions->barrier_points &
                ~JIT_POINT(0);
    }
    return false;
}

/* Writes the JSON list of the kernel's thread loops (loops over the threads of
 * a block): one from the kernel's start, and one from each barrier or warp
 * operation. */
static void
write_regions(struct jit_text *out, const struct note *note)
{
    const struct jit_regions *regions = note->kernel->regions;
    const char *comma = "";

    jit_text_add(out, ", \"regions\": [");
    if (!note->kernel->fibers || note->kernel->warps) {
        jit_text_add(out, "{\"line\": %u, \"from\": \"start\", \"packs\": %s}",
                     note->line,
                     note->kernel->packs[0] ||
                             (regions && has_packs(regions, 0))
                         ? "true"
                         : "false");
        comma = ", ";
    }
    for (unsigned i = 0; regions && i < note->count; i++) {
        bool warp = is_of_warps(&note->stops[i]);
        jit_text_add(
            out, "%s{\"line\": %u, \"from\": \"%s\", \"packs\": %s}", comma,
            note->stops[i].line, warp ? "warp operation" : "barrier",
            !warp && has_packs(regions, point_after(note, i)) ? "true"
                                                              : "false");
    }
    jit_text_add(out, "]");
}

/* Writes the JSON list of the loops in the kernel's source that are vectorised
 * over several threads. Each of these threads may leave the loop in a
 * different iteration. */
static void
write_loops(const struct jit *jit, struct jit_text *out,
            const struct jit_kernel *kernel)
{
    const char *comma = "";

    jit_text_add(out, ", \"loops\": [");
    for (unsigned i = 0; i < jit->outlined_count; i++) {
        const struct jit_outlined *row = &jit->outlined[i];
        for (unsigned width = 2; width <= row->widths; width *= 2) {
            if (row->kernel == kernel && row->widths & width) {
                jit_text_add(out, "%s{\"line\": %u, \"threads\": %u}", comma,
                             row->line, width);
                comma = ", ";
            }
        }
    }
    jit_text_add(out, "]");
}

static void
write_kernel(struct jit *jit, struct jit_text *out, const struct note *note)
{
    const struct jit_kernel *kernel = note->kernel;

    jit_text_add(out, "\n    {\"name\": ");
    json_text(out, kernel->name);
    jit_text_add(out, ", \"file\": ");
    json_text(out, note->file);
    jit_text_add(out,
                 ", \"line\": %u, \"level\": \"%s\", \"rows\": \"%c\", "
                 "\"reason\": ",
                 note->line, level_of(kernel), "xyz"[kernel->row_axis]);
    json_text(out, reason_of(jit, note));
    write_regions(out, note);
    write_loops(jit, out, kernel);
    jit_text_add(out,
                 ", \"registers\": %u, \"static_shared\": %u, "
                 "\"local_bytes\": %u, \"frame_bytes\": %u, "
                 "\"parameter_bytes\": %u, \"constant_bytes\": %u, "
                 "\"max_threads\": %u}",
                 kernel->registers, kernel->static_shared, kernel->local_bytes,
                 kernel->frame_bytes, kernel->parameter_bytes,
                 jit->constant_bytes, kernel->max_threads);
}

void
jit_explain_write(struct jit *jit)
{
    struct jit_text out = {NULL, 0, 0};

    jit_text_add(&out, "{\"target\": \"%s\", \"kernels\": [",
                 jit->options.target->name);
    for (unsigned i = 0; i < note_count; i++) {
        jit_text_add(&out, i ? "," : "");
        write_kernel(jit, &out, &notes[i]);
    }
    jit_text_add(&out, "],\n \"remarks\": [");
    jit_text_add_bytes(&out, remarks.bytes, remarks.length);
    jit_text_add(&out, "]}\n");
    fwrite(out.bytes, 1, out.length, stdout);
}
