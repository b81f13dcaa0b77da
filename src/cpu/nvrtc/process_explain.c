/* process_explain.c - messages about child processes that failed.
 *
 * Used by the callers of process.c. The messages are added to a text of the
 * caller. Thread-safe.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

#include "cpu/nvrtc/process.h"
#include "cpu/nvrtc/text.h"

/* Returns the number of file descriptors that this process has open, or -1 if
 * it is unknown. */
static int
descriptors_open(void)
{
    DIR *folder = opendir("/proc/self/fd");
    /* starts at -3: ".", ".." and the descriptor of opendir do not count */
    int count = -3;

    if (folder == NULL) {
        return -1;
    }
    while (readdir(folder)) {
        count++;
    }
    closedir(folder);
    return count;
}

bool
nvrtc_process_explain_start(int code, const char *program,
                            struct nvrtc_text *log)
{
    struct rlimit limit;
    int open_now;

    nvrtc_text_print(log, "The compiler %s could not be run: %s", program,
                     strerror(code));
    switch (code) {
    case EMFILE:
        open_now = descriptors_open();
        if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && open_now >= 0) {
            nvrtc_text_print(log, " (%d of %llu are open)", open_now,
                             (unsigned long long)limit.rlim_cur);
        }
        nvrtc_text_print(log,
                         ".  Close files, or raise the limit (ulimit -n).\n");
        return true;
    case ENFILE:
        nvrtc_text_print(log, ".  The whole system has too many open files "
                              "(sysctl fs.file-max).\n");
        return true;
    case EAGAIN:
        nvrtc_text_print(log, ".  The limit of processes and threads is "
                              "reached (ulimit -u, the cgroup's pids.max).\n");
        return true;
    case ENOMEM:
        nvrtc_text_print(log, ".  There is no memory for a process (ulimit "
                              "-v, the cgroup's memory.max).\n");
        return true;
    default:
        nvrtc_text_print(log, ".\n");
        return false;
    }
}

/* Adds to the log that the address space of processes is limited, if it is:
 * the compiler may have reached the limit. */
static void
address_limit_mention(struct nvrtc_text *log)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        nvrtc_text_print(log,
                         "The address space of each process is limited to "
                         "%llu MiB; a compiler may need more (ulimit -v).\n",
                         (unsigned long long)limit.rlim_cur >> 20);
    }
}

void
nvrtc_process_explain(const struct nvrtc_process *process, const char *what,
                      struct nvrtc_text *log)
{
    const char *words = process->err.bytes ? process->err.bytes : "";
    size_t length = strlen(words);

    if (process->status < 0) {
        nvrtc_text_print(log, "%s was ended by signal %d (%s).\n", what,
                         -process->status, strsignal(-process->status));
    } else {
        nvrtc_text_print(log, "%s failed with status %d.\n", what,
                         process->status);
    }
    address_limit_mention(log);
    if (length) {
        nvrtc_text_print(log, "Its last words:\n%s\n",
                         words + (length > 2000 ? length - 2000 : 0));
    }
}

void
nvrtc_process_explain_broken(const struct nvrtc_process *process, int code,
                             const char *program, struct nvrtc_text *log)
{
    if (code == EINTR) {
        nvrtc_text_print(log, "The compilation was interrupted.\n");
    } else {
        nvrtc_text_print(log, "The compiler %s was stopped because %s: %s.\n",
                         program, process->broken, strerror(code));
    }
}
