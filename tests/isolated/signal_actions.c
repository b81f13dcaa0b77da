/* signal_actions.c - signal handlers as C programs write them, and faults.
 *
 * Compiled by signal_runner.py into a shared library.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile sig_atomic_t calls;
static volatile sig_atomic_t masked; /* bits: own signal, SIGUSR1 blocked */
static sigjmp_buf place;
static struct sigaction before;

int
action_calls(void)
{
    return calls;
}

int
action_masked(void)
{
    return masked;
}

static void
note(int number)
{
    sigset_t now;

    calls++;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    masked = (sigismember(&now, number) ? 1 : 0) |
             (sigismember(&now, SIGUSR1) ? 2 : 0);
}

/* Returning from a fault's handler executes its instruction again. */
static void
handle_return(int number)
{
    note(number);
    if (calls > 3) {
        _exit(42);
    }
}

static void
handle_jump(int number)
{
    note(number);
    siglongjmp(place, 1);
}

static void
handle_jump_info(int number, siginfo_t *info, void *state)
{
    (void)state;
    note(number);
    siglongjmp(place, info->si_code > 0 ? 2 : 3);
}

static void
handle_chain(int number)
{
    note(number);
    if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN ||
        calls > 3) {
        sigaction(number, &before, NULL);
        if (calls > 3) {
            _exit(43);
        }
        return;
    }
    before.sa_handler(number);
}

void
action_install(int number, const char *kind)
{
    struct sigaction action = {.sa_handler = handle_return};

    sigaddset(&action.sa_mask, SIGUSR1);
    if (!strcmp(kind, "jumps")) {
        action.sa_handler = handle_jump;
    } else if (!strcmp(kind, "jumps with information")) {
        action.sa_sigaction = handle_jump_info;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;
    } else if (!strcmp(kind, "chains")) {
        action.sa_handler = handle_chain;
    } else if (!strcmp(kind, "once")) {
        action.sa_flags = (int)SA_RESETHAND;
    } else if (!strcmp(kind, "signal()")) {
        signal(number, handle_return);
        return;
    }
    sigaction(number, &action, &before);
}

/* Handler by sigaction(): 0 default, 1 ignore, 2 one of these, 3 another. */
int
action_query(int number)
{
    struct sigaction now;

    sigaction(number, NULL, &now);
    if (now.sa_flags & SA_SIGINFO) {
        return now.sa_sigaction == handle_jump_info ? 2 : 3;
    }
    if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) {
        return now.sa_handler == SIG_IGN;
    }
    return now.sa_handler == handle_return || now.sa_handler == handle_jump ||
                   now.sa_handler == handle_chain
               ? 2
               : 3;
}

/* Accesses a page beyond the end of its file. */
void *
action_short_mapping(void)
{
    int fd = memfd_create("short", 0);
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    close(fd);
    return at;
}

void
action_fault(int number)
{
    volatile int zero = 0;

    if (number == SIGSEGV) {
        *(volatile int *)(long)zero = 1;
    } else if (number == SIGBUS) {
        *(volatile char *)action_short_mapping() = 1;
    } else if (number == SIGFPE) {
        zero = 7 / zero;
#if !defined(__x86_64__)
        raise(SIGFPE); /* the processor's division does not trap */
#endif
    } else {
        __builtin_trap();
    }
}

/* Returns how many of three times the handler left by a jump. */
int
action_fault_thrice(int number)
{
    volatile int jumps = 0;

    for (int i = 0; i < 3; i++) {
        if (sigsetjmp(place, 1)) {
            jumps++;
        } else {
            action_fault(number);
        }
    }
    return jumps;
}

/* Sends the signal; returns 1 if the handler left by a jump. */
int
action_kill(int number)
{
    if (sigsetjmp(place, 1)) {
        return 1;
    }
    kill(getpid(), number);
    return 0;
}
