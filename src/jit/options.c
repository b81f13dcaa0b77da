/* options.c - parses the command line of pycuda-jit (docs/design/rooms.md).
 *
 * Called by main.c. A wrong option ends the process with a message.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "jit/options.h"
#include "jit/target/target.h"

static const char usage[] =
    "usage: pycuda-jit [--target=%s]\n"
    "                  [--kind=native|bitcode|ptx]\n"
    "                  [--verbose] [--fast-math] [--fmad=0|1] [--ftz=0|1]\n"
    "                  [-O0..-O3]\n"
    "                  [--regions=0|1] [--max-registers=N] [--arch=NN]\n"
    "                  [--constant-writes] [--quick|--quick-now] "
    "[--replaces]\n"
    "                  [--debug] [--show=explain|ir|asm|times]\n"
    "                  [--check=memory,race,sync,init,streams,bank]\n"
    "                  < bitcode > image\n";

/* Returns the text after `prefix`, or NULL if the argument does not begin with
 * it. */
static const char *
after(const char *argument, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(argument, prefix, length) ? NULL : argument + length;
}

static bool
set_target(struct jit_options *options, const char *name)
{
    options->target = jit_target_find(name);
    return options->target != NULL;
}

static bool
set_kind(struct jit_options *options, const char *name)
{
    if (strcmp(name, "ptx") == 0) {
        options->kind = IMAGE_BITCODE;
        options->output = JIT_OUTPUT_PTX;
        return true;
    }
    options->kind =
        strcmp(name, "bitcode") == 0 ? IMAGE_BITCODE : IMAGE_NATIVE;
    return strcmp(name, "bitcode") == 0 || strcmp(name, "native") == 0;
}

static bool
set_output(struct jit_options *options, const char *name)
{
    static const char *const names[] = {[JIT_OUTPUT_EXPLAIN] = "explain",
                                        [JIT_OUTPUT_IR] = "ir",
                                        [JIT_OUTPUT_ASM] = "asm",
                                        [JIT_OUTPUT_TIMES] = "times"};

    for (unsigned i = JIT_OUTPUT_EXPLAIN; i < sizeof names / sizeof *names;
         i++) {
        if (strcmp(names[i], name) == 0) {
            options->output = (enum jit_output)i;
            return true;
        }
    }
    return false;
}

static bool
set_flag(bool *flag, const char *value)
{
    *flag = value[0] == '1';
    return (value[0] == '0' || value[0] == '1') && !value[1];
}

/* Parses comma-separated names of checks, ignoring blanks around them; returns
 * false if one is unknown.
 * "continue" concerns only the runtime and sets nothing here. */
static bool
set_checks(struct jit_options *options, const char *words)
{
    static const struct {
        const char *name;
        unsigned check;
    } rows[] = {{"memory", JIT_CHECK_MEMORY},
                {"race", JIT_CHECK_RACE},
                {"sync", JIT_CHECK_SYNC},
                {"init", JIT_CHECK_INIT},
                {"streams", JIT_CHECK_STREAMS},
                {"bank", JIT_CHECK_BANK},
                {"continue", 0}};
    size_t count = sizeof rows / sizeof *rows;

    while (*words) {
        words += strspn(words, " \t");
        size_t end = strcspn(words, ","), length = end, i = 0;
        while (length && strchr(" \t", words[length - 1])) {
            length--;
        }
        while (i < count && (strlen(rows[i].name) != length ||
                             strncmp(rows[i].name, words, length) != 0)) {
            i++;
        }
        if (i == count) {
            return false;
        }
        options->checks |= rows[i].check;
        words += end + (words[end] == ',');
    }
    return true;
}

static bool
read_argument(struct jit_options *options, const char *argument)
{
    const char *value;
    if ((value = after(argument, "--target="))) {
        return set_target(options, value);
    }
    if ((value = after(argument, "--kind="))) {
        return set_kind(options, value);
    }
    if ((value = after(argument, "--fmad="))) {
        return set_flag(&options->fmad, value);
    }
    if ((value = after(argument, "--ftz="))) {
        return set_flag(&options->flush, value);
    }
    if ((value = after(argument, "--regions="))) {
        return set_flag(&options->regions, value);
    }
    if ((value = after(argument, "--check="))) {
        return set_checks(options, value);
    }
    if ((value = after(argument, "--max-registers="))) {
        options->max_registers = (unsigned)strtoul(value, NULL, 10);
        return true;
    }
    if ((value = after(argument, "--arch="))) {
        options->arch = (unsigned)strtoul(value, NULL, 10);
        return true;
    }
    if ((value = after(argument, "-O"))) {
        options->level = value[0] - '0';
        return value[0] >= '0' && value[0] <= '3' && !value[1];
    }
    if (strcmp(argument, "--verbose") == 0) {
        return options->verbose = true;
    }
    if (strcmp(argument, "--quick") == 0) {
        options->quick = JIT_QUICK_ALLOWED;
        return true;
    }
    if (strcmp(argument, "--quick-now") == 0) {
        options->quick = JIT_QUICK_NOW;
        return true;
    }
    if (strcmp(argument, "--replaces") == 0) {
        return options->replaces = true;
    }
    if (strcmp(argument, "--debug") == 0) {
        return options->debug = true;
    }
    if ((value = after(argument, "--show="))) {
        return set_output(options, value);
    }
    if (strcmp(argument, "--fast-math") == 0) {
        return options->fast_math = true;
    }
    if (strcmp(argument, "--constant-writes") == 0) {
        return options->constant_writes = true;
    }
    return false;
}

/* Selects the processor for which code is generated. The environment variable
 * PYCUDA_CPU_TARGET names it; if the variable is not set, it is the processor
 * of this machine. */
static void
choose_target(struct jit_options *options)
{
    const char *named = getenv("PYCUDA_CPU_TARGET");

    if (named == NULL || !*named) {
        options->target = jit_target_host();
    } else if (!set_target(options, named)) {
        fprintf(stderr, "PYCUDA_CPU_TARGET is '%s'; it must be %s\n", named,
                jit_target_names(" or "));
        exit(1);
    }
}

/* Reads a switch, 0 or 1, from an environment variable; a variable that is not
 * set counts as 1. Any other value ends the process with a message.
 * PYCUDA_CPU_REGIONS=0 makes all kernels with barriers run on fibers,
 * PYCUDA_CPU_WARPS=0 all kernels with warp operations. */
static bool
wants_flag(const char *variable)
{
    const char *named = getenv(variable);
    bool wanted = true;

    if (named && *named && !set_flag(&wanted, named)) {
        fprintf(stderr, "%s is '%s'; it must be 0 or 1\n", variable, named);
        exit(1);
    }
    return wanted;
}

static void
read_environment(struct jit_options *options)
{
    const char *checks = getenv("PYCUDA_CPU_CHECK");
    const char *debug = getenv("PYCUDA_CPU_DEBUG");

    if (checks && !set_checks(options, checks)) {
        fprintf(
            stderr,
            "PYCUDA_CPU_CHECK is '%s'; it must be words of memory, race, "
            "sync, init, streams, bank and continue, with commas between\n",
            checks);
        exit(1);
    }
    if (debug && *debug && !set_flag(&options->debug, debug)) {
        fprintf(stderr, "PYCUDA_CPU_DEBUG is '%s'; it must be 0 or 1\n",
                debug);
        exit(1);
    }
}

void
jit_read_options(struct jit_options *options, int count, char **arguments)
{
    options->kind = IMAGE_NATIVE;
    options->fmad = true;
    options->level = 3;
    options->arch = 80;
    options->regions = wants_flag("PYCUDA_CPU_REGIONS");
    options->warps = wants_flag("PYCUDA_CPU_WARPS");
    choose_target(options);
    read_environment(options);
    for (int i = 1; i < count; i++) {
        if (!read_argument(options, arguments[i])) {
            fprintf(stderr, "pycuda-jit: unknown option '%s'\n", arguments[i]);
            fprintf(stderr, usage, jit_target_names("|"));
            exit(2);
        }
    }
    options->warps &= !options->checks;
}
