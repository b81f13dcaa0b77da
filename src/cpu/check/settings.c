/* settings.c - parses PYCUDA_CPU_CHECK; called by cuInit.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/check.h"
#include "cpu/check/hooks.h"
#include "cpu/exports/system_errors.h"

unsigned cpu_check_flags;

static const struct {
    const char *name;
    unsigned flag;
} settings[] = {
    {"memory", CPU_CHECK_MEMORY},     {"race", CPU_CHECK_RACE},
    {"sync", CPU_CHECK_SYNC},         {"init", CPU_CHECK_INIT},
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

CUresult
cpu_check_open(void)
{
    const char *text = getenv("PYCUDA_CPU_CHECK");
    unsigned flags = 0;

    while (text && *text) {
        size_t length = strcspn(text, ",");
        unsigned flag = setting_flag(text, length);

        if (!flag) {
            return cpu_setting_error_set(
                "PYCUDA_CPU_CHECK is '%.80s', with the unknown check "
                "'%.*s'; it must be a comma-separated list of memory, race, "
                "sync, init and continue",
                getenv("PYCUDA_CPU_CHECK"), length < 40 ? (int)length : 40,
                text);
        }
        flags |= flag;
        text += length + (text[length] == ',');
    }
    cpu_check_flags = flags;
    return CUDA_SUCCESS;
}
