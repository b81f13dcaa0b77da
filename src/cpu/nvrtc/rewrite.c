/* rewrite.c - rewrites code that NVRTC accepts and clang rejects.
 *
 * Called by frontend_retry.c with the front end's log, which contains the
 * positions of errors. A rule examines the source at such a position, and
 * edits it if it recognizes the code:
 *
 * - Shared variables of a type with a constructor become references to
 *   uninitialized shared memory, since NVRTC does not run the constructor (see
 *   memory.h). Each instance of a template gets separate storage: __shared__ T
 *   name[n]; becomes struct place; T (&name)[n] = ...<place, n>();
 * - Shared variables of dynamic size that are declared both in C++ functions
 *   and in extern "C" functions also become references: extern __shared__ T
 *   name[]; becomes T (&name)[] = ...();
 * - The two rules for shared variables do not change a source with lambdas
 *   that capture by value: such a lambda would copy the referenced object.
 * - In typedef struct { ... } T with member functions, the struct is named T.
 * - `static` is removed if an earlier declaration does not have it.
 * - The 0 in a comparison with a pointer (p > 0) becomes a null pointer.
 * - If a switch or goto jumps over the initialization of a variable, the
 *   variable is first declared and then assigned to: T name; name = ...; A
 *   constant whose value is known only at run time, and to which the program
 *   does not assign, is no longer declared constant.
 * - A definition gets the execution space of its declaration.
 * - alignas(n) between an attribute and the type becomes _Alignas(n).
 * - A name directly after a literal, as in 1name, becomes an undeclared name,
 *   which is no error in a macro argument that the preprocessor discards.
 * - #pragma unroll is removed if it is not before a loop, or is repeated.
 * - __device__ next to __shared__ is removed.
 *
 * Errors in the expansion of a macro are corrected in the macro's text, if a
 * rule recognizes it. No edit changes the line number of code after it.
 * Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/rewrite.h"
#include "cpu/nvrtc/text.h"

/* ---- the front end's log ---- */

/* Position in a source, FILE:LINE:COLUMN, as it precedes a message in the
 * log. */
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

/* Returns true if location->file equals `name`, a string of `length` bytes. */
static bool
is_file(const struct location *location, const char *name, size_t length)
{
    return length == location->file_length &&
           !memcmp(location->file, name, length);
}

/* Returns the start of the source line at `location`, or NULL if there is no
 * such line. `name` is the file name of the source. #line directives in the
 * source change the line number, and possibly the file name, of the lines
 * after them. */
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

/* Returns true if an earlier line of the log equals `line`. Clang repeats the
 * messages about a template for each of its instances. */
static bool
is_repeated(const char *log, const char *line)
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
nvrtc_line_next(const char *line)
{
    const char *end = strchr(line, '\n');

    return end && end[1] ? end + 1 : NULL;
}

/* Applies a rule at the position of the message. If the rule does not
 * recognize the code there, applies it at the positions of the notes "expanded
 * from macro", which are in the texts of macros. Returns true on success. */
static bool
rule_apply(const struct nvrtc_rule *rule, struct nvrtc_remark *remark,
           const char *name, struct nvrtc_edits *edits)
{
    static const char expanded[] = ": note: expanded from macro ";
    struct nvrtc_remark other = *remark;

    if (rule->rule(remark, edits)) {
        return true;
    }
    for (const char *line = nvrtc_line_next(remark->said); line;
         line = nvrtc_line_next(line)) {
        if (*line == ' ') {
            continue; /* a line of quoted source code, not a message */
        }
        if (!nvrtc_remark_read(&other, name, line) ||
            !nvrtc_begins(other.said, expanded)) {
            return false;
        }
        if (other.at == NULL ||
            nvrtc_edits_touch(edits, (size_t)(other.at - other.source))) {
            /* The text of the macro has been corrected already, for another
             * error. */
            return true;
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

    for (const char *line = log->bytes; line; line = nvrtc_line_next(line)) {
        if (nvrtc_remark_read(&remark, name, line) &&
            !is_repeated(log->bytes, line)) {
            any |= rules_apply(&remark, name, &edits);
        }
    }
    char *text = any ? nvrtc_edits_make(&edits, source) : NULL;
    nvrtc_edits_free(&edits);
    return text;
}
