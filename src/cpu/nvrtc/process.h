/* process.h - child processes with pipes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_PROCESS_H
#define PYCUDA_CPU_NVRTC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cpu/nvrtc/text.h"

struct nvrtc_process {
    pid_t pid; /* process id of the child; 0: it is not running */
    int input, output, errors;
    /* set by nvrtc_process_finish: exit status, or -signal; 0: success */
    int status;
    /* false: waitpid has failed, so `status` is a guess */
    bool is_status_known;
    /* text that says which step of nvrtc_process_finish failed */
    const char *broken;
    struct nvrtc_text out, err;
};

/* True in threads of the library itself: a Ctrl-C in the program does not end
 * their waits for child processes. */
extern _Thread_local bool nvrtc_process_uninterrupted;

/* Starts the child. Returns 0 or an errno. The child has a separate process
 * group, and an environment without LD_* and the sanitizers' variables. */
int nvrtc_process_start(struct nvrtc_process *process, char *const argv[]);
/* Writes `input` to the child, collects its standard output in `out` and its
 * error output in `err`, and waits for its end. Returns 0 on success. Returns
 * an errno if the input or an output could not be transferred completely, or
 * if the child exits with status 0 without having read its whole input.
 * `status` is valid only if the result is 0. */
int nvrtc_process_finish(struct nvrtc_process *process, const void *input,
                         size_t bytes);
/* Kills a running child and frees all memory. */
void nvrtc_process_free(struct nvrtc_process *process);
/* Adds an explanation of a failed start of `program` to `log`; `code` is an
 * errno. Returns true if the reason is an exhausted system resource; the
 * explanation then names this resource. */
bool nvrtc_process_explain_start(int code, const char *program,
                                 struct nvrtc_text *log);
/* Adds an explanation of the errno `code` of nvrtc_process_finish to `log`. */
void nvrtc_process_explain_broken(const struct nvrtc_process *process,
                                  int code, const char *program,
                                  struct nvrtc_text *log);
/* Adds to `log` a message that the child `what` failed, with the exit status
 * or signal of the child and the end of its error output. */
void nvrtc_process_explain(const struct nvrtc_process *process,
                           const char *what, struct nvrtc_text *log);

#endif
