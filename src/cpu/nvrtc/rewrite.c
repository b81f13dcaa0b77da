/* rewrite.c - declarations that NVRTC takes and clang refuses, written anew.
 *
 * Called by compile.c with what the front end said.  It names the places; a
 * rule looks at the source there and changes it if it understands it:
 *
 * - Shared variables whose type has a constructor, which is not run, become
 *   references (see memory.h; each instance of a template has a place of its
 *   own):  __shared__ T name[n];  struct place; T (&name)[n] = ...<place>();
 * - So do those of dynamic size that C++ and extern "C" functions both
 *   declare:  extern __shared__ T name[];  T (&name)[] = ...();
 *   Sources with lambdas that capture by value would copy what a reference
 *   names, and are left as they are.
 * - typedef struct { ... } T with functions in it: the struct is called T.
 * - `static` goes where an earlier declaration was without it.
 * - The 0 that a pointer is compared with (p > 0) becomes a null pointer.
 * - A variable whose initialisation a switch or a goto jumps over is declared
 *   first, and assigned to there:  T name; name = ...;
 *   A constant of a run-time value that is never assigned to is no constant
 *   then.
 * - A definition gets the execution space that its declaration has.
 * - alignas(n) between other specifiers becomes _Alignas(n).
 * - The name right after a literal, which may be a macro's argument that is
 *   dropped, becomes one that nothing declares.
 * - #pragma unroll before what is no loop, and a second one, are left out, and
 *   so is __device__ beside __shared__.
 *
 * What a macro brings about is mended in the macro's text, where a rule
 * understands that.  No edit moves a line.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/rewrite.h"

/* ---- the front end's log ---- */

/* A line of the log up to its column: FILE:LINE:COLUMN. */
struct location {
    const char *file;
    size_t file_length;
    long line, column;
};

static bool
location_read(struct location *location, const char **said)
{
    const char *at = *said + strcspn(*said, ":\n");
    char *end;

    if (*at != ':') {
        return false;
    }
    location->file = *said;
    location->file_length = (size_t)(at - *said);
    location->line = strtol(at + 1, &end, 10);
    location->column = *end == ':' ? strtol(end + 1, &end, 10) : 0;
    *said = end;
    return location->column >= 1;
}

/* Is the line, with its length, the start of one of file `name`? */
static bool
is_file(const struct location *location, const char *name, size_t length)
{
    return length == location->file_length &&
           !memcmp(location->file, name, length);
}

/* Where the line begins in the source; NULL: nowhere.  Lines are counted from
 * the last #line, which may name another file than `name`, the source's. */
static const char *
line_find(const char *source, const char *name,
          const struct location *location)
{
    const char *found = NULL, *end;
    bool right = is_file(location, name, strlen(name));

    for (unsigned long number = 1; source; source = end ? end + 1 : NULL) {
        end = strchr(source, '\n');
        if (nvrtc_begins(source, "#line ")) {
            char *rest;
            number = strtoul(source + strlen("#line "), &rest, 10);
            rest += strspn(rest, " \t");
            if (*rest == '"') {
                right = is_file(location, rest + 1, strcspn(rest + 1, "\"\n"));
            }
        } else if (number++ == (unsigned long)location->line && right) {
            found = source;
        }
    }
    return found;
}

bool
nvrtc_remark_read(struct nvrtc_remark *remark, const char *name,
                  const char *said)
{
    struct location location;

    if (!location_read(&location, &said)) {
        return false;
    }
    const char *line = line_find(remark->source, name, &location);
    if (line == NULL || location.column > (long)strcspn(line, "\n") + 1) {
        return false;
    }
    remark->at = line + location.column - 1;
    remark->said = said;
    return true;
}

/* Each instance of a template has the same remark. */
static bool
said_before(const char *log, const char *line)
{
    size_t length = strcspn(line, "\n");

    for (; log < line; log = strchr(log, '\n') + 1) {
        if (strncmp(log, line, length) == 0 && log[length] == '\n') {
            return true;
        }
    }
    return false;
}

const char *
nvrtc_line_after(const char *line)
{
    const char *end = strchr(line, '\n');

    return end && end[1] ? end + 1 : NULL;
}

/* Applies a rule at the place of the remark or, if it is not understood
 * there, in the texts of the macros that led there. */
static bool
rule_apply(const struct nvrtc_rule *rule, struct nvrtc_remark *remark,
           const char *name, struct nvrtc_edits *edits)
{
    static const char expanded[] = ": note: expanded from macro ";
    struct nvrtc_remark other = *remark;

    if (rule->rule(remark, edits)) {
        return true;
    }
    for (const char *line = nvrtc_line_after(remark->said); line;
         line = nvrtc_line_after(line)) {
        if (*line == ' ') {
            continue; /* the source, shown */
        }
        if (!nvrtc_remark_read(&other, name, line) ||
            !nvrtc_begins(other.said, expanded)) {
            return false;
        }
        if (other.at == NULL ||
            nvrtc_edits_touch(edits, (size_t)(other.at - other.source))) {
            return true; /* another use of the macro was first */
        }
        const char *said = other.said;
        other.said = remark->said;
        if (rule->rule(&other, edits)) {
            return true;
        }
        other.said = said;
    }
    return false;
}

static bool
rules_apply(struct nvrtc_remark *remark, const char *name,
            struct nvrtc_edits *edits)
{
    bool any = false;

    for (const struct nvrtc_rule *rule = nvrtc_rules; rule->rule; rule++) {
        remark->number++;
        any |= nvrtc_begins(remark->said, rule->said) &&
               rule_apply(rule, remark, name, edits);
    }
    return any;
}

char *
nvrtc_rewrite(const struct nvrtc_text *log, const char *name,
              const char *source, int round)
{
    struct nvrtc_remark remark = {
        .source = source, .log = log->bytes, .round = round};
    struct nvrtc_edits edits = {0};
    bool any = false;

    for (const char *line = log->bytes; line; line = nvrtc_line_after(line)) {
        if (nvrtc_remark_read(&remark, name, line) &&
            !said_before(log->bytes, line)) {
            any |= rules_apply(&remark, name, &edits);
        }
    }
    char *text = any ? nvrtc_edits_make(&edits, source) : NULL;
    nvrtc_edits_free(&edits);
    return text;
}
