/* process.c - a child process whose standard input, output and error output
 * are connected to this process.
 *
 * Used for clang and pycuda-jit. The two outputs are pipes. The input is a
 * socket: if the child ends early, send() returns EPIPE and does not raise
 * SIGPIPE in the user's program. Thread-safe; each struct nvrtc_process is
 * used by one thread.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpu/nvrtc/flow.h"
#include "cpu/nvrtc/locks.h"
#include "cpu/nvrtc/process.h"
#include "cpu/nvrtc/text.h"
#include "cpu/run/program_handlers.h"
#include "cpu/run/watchdog.h"

#define REAPER_STACK ((size_t)64 << 10)
/* number of failed poll calls after which the child is killed */
#define POLL_FAILURES 20

extern char **environ;

pthread_mutex_t nvrtc_start_lock = PTHREAD_MUTEX_INITIALIZER;
_Thread_local bool nvrtc_starting;
_Thread_local bool nvrtc_process_uninterrupted;

/* Prefixes of environment variables that are not passed to the child: they
 * preload libraries into it, or configure the parent's sanitizer, malloc or
 * clang. */
static const char *const unwanted[] = {
    "LD_",     "ASAN_",           "LSAN_",  "UBSAN_", "TSAN_",
    "MALLOC_", "GLIBC_TUNABLES=", "CLANG_", "CCC_",
};

static bool
variable_wanted(const char *variable)
{
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
        if (!strncmp(variable, unwanted[i], strlen(unwanted[i]))) {
            return false;
        }
    }
    return true;
}

/* Returns the environment variables for the child, or NULL if out of memory.
 * The caller frees the array, but not the strings, which are those of
 * `environ`. */
static char **
child_environment(void)
{
    size_t count = 0;

    while (environ && environ[count]) {
        count++;
    }
    char **copy = calloc(count + 1, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    for (size_t i = 0, n = 0; i < count; i++) {
        if (variable_wanted(environ[i])) {
            copy[n++] = environ[i];
        }
    }
    return copy;
}

static void
close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0) {
            close(pair[i]);
            pair[i] = -1;
        }
    }
}

struct child {
    char *const *argv;
    char *const *environment;
    /* descriptors that become the child's standard input, output and error
     * output */
    int ends[3];
    pid_t parent;
    /* signal mask of the child: that of the calling thread */
    const sigset_t *mask;
    volatile int error; /* errno if the program could not be executed */
};

/* Returns true if the child should ignore the signal because this process
 * does. Returns false for SIGPIPE and SIGXFSZ: Python ignores these two in
 * every process. */
static bool
signal_ignored(int number)
{
    struct sigaction now;

    if (number == SIGPIPE || number == SIGXFSZ ||
        sigaction(number, NULL, &now)) {
        return false;
    }
    for (size_t i = 0; i < CPU_FAULTS; i++) {
        if (cpu_fault_signals[i] == number) {
            now = cpu_program_handler(number);
        }
    }
    return !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN;
}

/* Sets the signals of the child to their default actions, since handlers would
 * run the parent's code. As for a child of Python's subprocess module, signals
 * that this process ignores stay ignored, such as SIGHUP after nohup. */
static void
signals_reset(void)
{
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction plain = {
            .sa_handler = signal_ignored(number) ? SIG_IGN : SIG_DFL};

        /* fails for SIGKILL and SIGSTOP, which have no handlers */
        sigaction(number, &plain, NULL);
    }
}

/* Runs in the child, which shares the parent's memory until it executes the
 * program. Asks Linux to kill the child when the thread that started it ends,
 * since only that thread waits for the child. */
static void
child_execute(struct child *child)
{
    signals_reset();
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != child->parent) {
        /* The parent has ended before the call of prctl, so no signal will end
         * the child. */
        _exit(127);
    }
    for (int i = 0; i < 3; i++) {
        if (dup2(child->ends[i], i) < 0) {
            child->error = errno;
            _exit(127);
        }
    }
    sigprocmask(SIG_SETMASK, child->mask, NULL);
    execve(child->argv[0], child->argv, child->environment);
    child->error = errno;
    _exit(127);
}

static __attribute__((noinline)) pid_t
child_start(struct child *child)
{
    pid_t pid = vfork();

    if (pid == 0) {
        child_execute(child);
    }
    return pid;
}

/* Starts the child with the standard input `in`, output `out` and error output
 * `err`. Returns 0 or an errno. posix_spawn is not used because it cannot set
 * PR_SET_PDEATHSIG. */
static int
spawn(pid_t *pid, char *const argv[], int in, int out, int err)
{
    char **environment = child_environment();
    sigset_t all, old;
    struct child child = {.argv = argv,
                          .environment = environment,
                          .ends = {in, out, err},
                          .mask = &old,
                          .parent = getpid()};

    if (environment == NULL) {
        return ENOMEM;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    *pid = child_start(&child);
    int code = *pid < 0 ? errno : child.error;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (*pid > 0 && code) {
        waitpid(*pid, NULL, 0);
    }
    free(environment);
    return code;
}

/* Replaces descriptors of the pair that are 0, 1 or 2 by higher ones. They can
 * be so low if the user's program has closed its standard descriptors; the
 * dup2 calls of the child would then overwrite them. Returns 0 or an errno. */
static int
pair_raise(int pair[2])
{
    for (int i = 0; i < 2; i++) {
        if (pair[i] > STDERR_FILENO) {
            continue;
        }
        int raised = fcntl(pair[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (raised < 0) {
            return errno;
        }
        close(pair[i]);
        pair[i] = raised;
    }
    return 0;
}

static int
process_start(struct nvrtc_process *process, char *const argv[])
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
    int code;

    *process = (struct nvrtc_process){.input = -1, .output = -1, .errors = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) ||
        pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) {
        code = errno;
        goto fail;
    }
    if ((code = pair_raise(in)) || (code = pair_raise(out)) ||
        (code = pair_raise(err))) {
        goto fail;
    }
    code = spawn(&process->pid, argv, in[0], out[1], err[1]);
    if (code) {
        process->pid = 0;
        goto fail;
    }
    close(in[0]);
    close(out[1]);
    close(err[1]);
    process->input = in[1];
    process->output = out[0];
    process->errors = err[0];
    return 0;
fail:
    close_pair(in);
    close_pair(out);
    close_pair(err);
    return code;
}

/* The lock prevents a fork() in another thread while the pipes are open at
 * both ends: the forked process would inherit the child's ends, and readers of
 * the pipes would wait until that process ends. */
int
nvrtc_process_start(struct nvrtc_process *process, char *const argv[])
{
    pthread_mutex_lock(&nvrtc_start_lock);
    nvrtc_starting = true;
    int code = process_start(process, argv);
    nvrtc_starting = false;
    pthread_mutex_unlock(&nvrtc_start_lock);
    return code;
}

static void
close_end(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

/* Reads the available bytes of a pipe and appends them to `text`. At the end
 * of the stream, closes the pipe and sets *fd to -1. Returns 0 or an errno. */
static int
drain(int *fd, struct nvrtc_text *text)
{
    char buffer[1 << 16];
    ssize_t n = read(*fd, buffer, sizeof buffer);

    if (n > 0) {
        nvrtc_text_add(text, buffer, (size_t)n);
    } else if (n == 0) {
        close_end(fd);
    } else if (errno != EINTR && errno != EAGAIN) {
        return errno;
    }
    return 0;
}

/* Returns true if the child has closed its input or has ended. */
static bool
input_closed(int fd)
{
    struct pollfd end = {.fd = fd};

    return poll(&end, 1, 0) > 0 && (end.revents & POLLHUP);
}

/* Returns true if the child has ended without reading all bytes that were
 * sent. */
static bool
input_unread(int fd)
{
    int code = 0;
    socklen_t size = sizeof code;

    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) == 0 &&
           code == ECONNRESET;
}

/* Input of the child that has not been sent yet. */
struct feed {
    const char *rest;
    size_t bytes;
    /* all bytes are sent, or the child has closed its input, so no more are
     * sent */
    bool done;
};

/* Sends as many bytes as the socket accepts, and ends the stream after the
 * last byte. Returns an errno if sending fails while the child still reads.
 * After such an error the caller keeps the stream open, since the child would
 * take the end of the stream for the end of the input. If the child has closed
 * its input, the result is 0 and feed->bytes stays above 0, since such a child
 * usually reports an error itself. */
static int
feed(int fd, struct feed *feed)
{
    ssize_t n = feed->bytes ? send(fd, feed->rest, feed->bytes,
                                   MSG_NOSIGNAL | MSG_DONTWAIT)
                            : 0;

    if (n < 0) {
        int code = errno;
        if (code == EINTR || code == EAGAIN) {
            return 0;
        }
        feed->done = input_closed(fd);
        return feed->done ? 0 : code;
    }
    feed->rest += n;
    feed->bytes -= (size_t)n;
    if (feed->bytes == 0) {
        /* ends the stream even if a forked process has a copy of the socket,
         * unlike close */
        shutdown(fd, SHUT_WR);
        feed->done = true;
    }
    return 0;
}

/* Waits for the child's end and stores its exit status, or -signal. The status
 * is unknown if another part of the program has waited for the child, or if
 * SIGCHLD is ignored. A child with output then counts as successful, but the
 * output is not stored in a cache. */
static void
reap(struct nvrtc_process *process)
{
    int status;
    pid_t pid;

    do {
        pid = waitpid(process->pid, &status, 0);
    } while (pid < 0 && errno == EINTR);
    process->pid = 0;
    process->is_status_known = pid > 0;
    if (pid < 0) {
        process->status = process->out.length ? 0 : 1;
    } else if (WIFSIGNALED(status)) {
        process->status = -WTERMSIG(status);
    } else {
        process->status = WEXITSTATUS(status);
    }
}

/* Returns `code`, an errno or 0. If it is not 0, stores `purpose`, the step
 * that failed, for nvrtc_process_explain_broken. */
static int
broken(struct nvrtc_process *process, int code, const char *purpose)
{
    if (code) {
        process->broken = purpose;
    }
    return code;
}

/* Writes to the child's input and reads its outputs, as far as poll has
 * reported them ready in `ends`. Returns 0 or an errno. */
static int
transfer(struct nvrtc_process *process, const struct pollfd ends[3],
         struct feed *input)
{
    int code = 0;

    if (ends[0].revents) {
        code = broken(process, feed(process->input, input),
                      "its input could not be written");
    }
    if (!code && ends[1].revents) {
        code = broken(process, drain(&process->output, &process->out),
                      "its output could not be read");
    }
    if (!code && ends[2].revents) {
        code = broken(process, drain(&process->errors, &process->err),
                      "its messages could not be read");
    }
    return code;
}

/* Called after the child's end. Returns ENOMEM if its output is incomplete, or
 * EPIPE if it exited with status 0 but has not read its whole input; otherwise
 * 0. */
static int
check_complete(struct nvrtc_process *process, const struct feed *input)
{
    if (process->out.failed || process->err.failed) {
        return broken(process, ENOMEM, "its output does not fit in memory");
    }
    if (process->status == 0 &&
        (input->bytes || input_unread(process->input))) {
        return broken(process, EPIPE, "it did not read all of its input");
    }
    return 0;
}

/* Waits until one of the three descriptors is ready. Returns the number of
 * ready ones, or 0 if the caller should repeat the wait. Returns -1, with
 * errno, after POLL_FAILURES failures: poll fails permanently if RLIMIT_NOFILE
 * is below 3, for example. */
static int
ends_wait(struct pollfd ends[3], const struct cpu_interrupt *interrupt,
          int *failures)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    int wait = nvrtc_process_uninterrupted
                   ? -1
                   : cpu_interrupt_milliseconds(interrupt);
    if (nvrtc_flow_given() && (wait < 0 || wait > NVRTC_FLOW_MS)) {
        wait = NVRTC_FLOW_MS;
    }
    int ready = poll(ends, 3, wait);

    if (ready >= 0 || errno == EINTR) {
        return ready < 0 ? 0 : ready;
    }
    int code = errno;
    if (++*failures < POLL_FAILURES) {
        nanosleep(&pause, NULL);
        return 0;
    }
    errno = code;
    return -1;
}

int
nvrtc_process_finish(struct nvrtc_process *process, const void *input,
                     size_t bytes)
{
    struct cpu_interrupt interrupt = {0};
    struct feed rest = {.rest = input, .bytes = bytes};
    int failures = 0;

    while (!rest.done || process->output >= 0 || process->errors >= 0) {
        struct pollfd ends[3] = {
            {.fd = rest.done ? -1 : process->input, .events = POLLOUT},
            {.fd = process->output, .events = POLLIN},
            {.fd = process->errors, .events = POLLIN},
        };
        if (nvrtc_flow_cancelled()) {
            /* nvrtc_process_free, which the caller calls after an error, kills
             * the child */
            return ECANCELED;
        }
        int ready = ends_wait(ends, &interrupt, &failures);
        if (ready == 0) {
            if (!nvrtc_process_uninterrupted && cpu_interrupt_wanted()) {
                /* nvrtc_process_free, which the caller calls after an error,
                 * kills the child */
                return EINTR;
            }
            continue;
        }
        int code = ready < 0 ? broken(process, errno, "poll failed")
                             : transfer(process, ends, &rest);
        if (code) {
            /* nvrtc_process_free, which the caller calls after an error, kills
             * the child */
            return code;
        }
    }
    reap(process);
    int code = check_complete(process, &rest);
    close_end(&process->input);
    return code;
}

/* Main function of a thread that waits for the end of a killed child. */
static void *
reaper_main(void *argument)
{
    while (waitpid((pid_t)(intptr_t)argument, NULL, 0) < 0 && errno == EINTR) {
    }
    return NULL;
}

/* Waits for the end of a killed child in another thread, since the system may
 * take half a second to free the memory of a compiler. If no thread can be
 * started, waits in this thread. */
static void
reap_later(struct nvrtc_process *process)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, old;

    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, REAPER_STACK);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failed = pthread_create(&thread, &attributes, reaper_main,
                                (void *)(intptr_t)process->pid);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (failed) {
        reap(process);
    }
    process->pid = 0;
}

void
nvrtc_process_free(struct nvrtc_process *process)
{
    if (process->pid > 0) {
        close_end(&process->input);
        close_end(&process->output);
        close_end(&process->errors);
        /* kills the child and the processes that it has started */
        kill(-process->pid, SIGKILL);
        reap_later(process);
    }
    nvrtc_text_free(&process->out);
    nvrtc_text_free(&process->err);
}
