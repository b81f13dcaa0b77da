/* settings.c - selects the kernel checks.
 *
 * cuInit reads PYCUDA_CPU_CHECK; pycuda_cpu_select_checks changes the
 * selection later. Workers read the selection without a lock, so it changes
 * only while no kernel runs.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/check.h"
#include "cpu/check/hooks.h"
#include "cpu/exports/system_errors.h"
#include "cpu/exports/visibility.h"

static const struct cpu_check_memory memory_hooks = {
    .allocated = cpu_check_allocated,
    .freed = cpu_check_freed,
    .forget = cpu_check_forget,
};

static const struct {
    const char *name;
    unsigned flag;
} settings[] = {
    {"memory", CPU_CHECK_MEMORY},     {"race", CPU_CHECK_RACE},
    {"sync", CPU_CHECK_SYNC},         {"init", CPU_CHECK_INIT},
    {"streams", CPU_CHECK_STREAMS},   {"bank", CPU_CHECK_BANK},
    {"continue", CPU_CHECK_CONTINUE},
};

static unsigned
setting_flag(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (strlen(settings[i].name) == length &&
            strncmp(settings[i].name, text, length) == 0) {
            return settings[i].flag;
        }
    }
    return 0;
}

/* Converts a comma-separated list of checks to bits of enum cpu_check_flag in
 * *flags. Blanks around a name are ignored. If the list contains an unknown
 * check, returns INVALID_VALUE with an error message. */
static CUresult
settings_parse(const char *list, unsigned *flags)
{
    const char *text = list;

    *flags = 0;
    while (text && *text) {
        text += strspn(text, " \t");
        size_t end = strcspn(text, ","), length = end;

        while (length && strchr(" \t", text[length - 1])) {
            length--;
        }
        unsigned flag = setting_flag(text, length);
        if (!flag) {
            return cpu_setting_error_set(
                "PYCUDA_CPU_CHECK is '%.80s', with the unknown check "
                "'%.*s'; it must be a comma-separated list of memory, race, "
                "sync, init, streams, bank and continue",
                list, length < 40 ? (int)length : 40, text);
        }
        *flags |= flag;
        text += end + (text[end] == ',');
    }
    return CUDA_SUCCESS;
}

CUresult
cpu_check_open(void)
{
    cpu_check_memory = &memory_hooks;
    return settings_parse(getenv("PYCUDA_CPU_CHECK"), &cpu_check_flags);
}

unsigned
cpu_check_late(void)
{
    unsigned flags;
    CUresult code = settings_parse(getenv("PYCUDA_CPU_CHECK"), &flags);

    return code ? 0 : flags & ~cpu_check_flags & CPU_CHECK_ALL;
}

CPU_API CUresult
pycuda_cpu_select_checks(const char *list)
{
    unsigned flags;
    CUresult code = settings_parse(list, &flags);

    if (!code) {
        unsigned prepared = flags | cpu_check_flags ? CPU_CHECK_PREPARED : 0;

        cpu_check_flags = flags | prepared;
    }
    return code;
}
