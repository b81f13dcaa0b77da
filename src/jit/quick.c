/* quick.c - restarts a long compilation as the compilation of a quick version.
 *
 * With --quick, the process starts a timer of its processor time. When the
 * timer expires before the image is written, the signal handler executes this
 * program again with --quick-now and the same input. The new program runs the
 * same steps up to the splitting of kernels, but few optimisation passes after
 * that. A timer is used because the time cannot be predicted from the code
 * (docs/decisions/0035-quick-versions.md).
 *
 * The handler calls only functions that are safe in signal handlers. If one
 * fails, the compilation continues.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "jit/options.h"
#include "jit/quick.h"
#include "jit/quick_timer.h"
#include "jit/text.h"

#define MAX_WORDS 64
/* Processor time in microseconds after which a compilation is restarted. */
#define LIMIT_US 250000

extern char **environ;

/* Data that the signal handler needs. All of it is written before the timer
 * starts. */
static char *words[MAX_WORDS + 1];
static const char *input;
static size_t input_bytes;

static bool
write_input(int fd)
{
    for (size_t at = 0; at < input_bytes;) {
        ssize_t n = write(fd, input + at, input_bytes - at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        at += (size_t)n;
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

static void
restart(int number)
{
    int saved = errno;
    int fd = memfd_create("pycuda-jit", MFD_CLOEXEC);

    (void)number;
    if (fd >= 0 && write_input(fd) && dup2(fd, STDIN_FILENO) >= 0) {
        execve("/proc/self/exe", words, environ);
    }
    if (fd >= 0) {
        close(fd);
    }
    errno = saved;
}

/* Tests whether the results of a quick version would be equal to those of the
 * full version, bit for bit, and whether the output is an image for running.
 */
static bool
is_possible(const struct jit_options *options)
{
    return options->kind == IMAGE_NATIVE &&
           options->output == JIT_OUTPUT_IMAGE && options->level == 3 &&
           !options->fast_math && !options->debug && !options->checks &&
           !options->verbose;
}

void
jit_quick_arm(struct jit_options *options, int count, char **arguments,
              const struct jit_text *text)
{
    static char now[] = "--quick-now";
    struct sigaction action = {.sa_handler = restart};

    if (!is_possible(options)) {
        options->quick = JIT_QUICK_NEVER;
    }
    if (options->quick != JIT_QUICK_ALLOWED || count >= MAX_WORDS) {
        return;
    }
    for (int i = 0; i < count; i++) {
        words[i] = strcmp(arguments[i], "--quick") ? arguments[i] : now;
    }
    input = text->bytes;
    input_bytes = text->length;
    if (sigaction(SIGPROF, &action, NULL) == 0) {
        jit_quick_timer_start(LIMIT_US);
    }
}
