/* process_end.c - whether another process has ended.
 *
 * Called by waits for other processes: for an interprocess event, and for the
 * ranks of an NCCL communicator. A pidfd becomes readable when its process
 * ends, before its parent has waited for it. kill() with signal 0 cannot tell
 * such a zombie from a running process.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/device/process_end.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

bool
cpu_process_ended(pid_t pid, int *descriptor)
{
    if (*descriptor < 0) {
        *descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
    }
    /* pidfd_open failed: no such process, no free descriptor, or a Linux
     * kernel before 5.3 */
    if (*descriptor < 0) {
        return kill(pid, 0) && errno == ESRCH;
    }
    struct pollfd poller = {.fd = *descriptor, .events = POLLIN};
    return poll(&poller, 1, 0) > 0;
}
