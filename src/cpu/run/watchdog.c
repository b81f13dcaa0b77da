/* watchdog.c - ends launches that exceed the time limit, and waits that the
 * program interrupts.
 *
 * Each thread that runs blocks is registered together with its current launch.
 * To abandon a launch, a signal is sent to each thread that runs it. The
 * signal is repeated until the launch has ended, because its handler leaves a
 * kernel only while compiled code or libm runs: functions of the runtime may
 * hold locks. The watchdog thread looks for launches above the time limit; it
 * sleeps while no launch runs.
 *
 * A program (Python) reports interrupts through a hook. A thread of the
 * program that runs blocks itself cannot call the hook. If such a thread runs
 * blocks for a long time, the watchdog installs a SIGINT handler that runs
 * before the program's handler.
 *
 * `registry_lock` is the only lock of this file. No other lock is acquired
 * while it is held.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cpu/arch/arch.h"
#include "cpu/device/clock.h"
#include "cpu/device/context.h"
#include "cpu/device/state.h"
#include "cpu/exports/system_errors.h"
#include "cpu/exports/visibility.h"
#include "cpu/module/image.h"
#include "cpu/run/fiber.h"
#include "cpu/run/runner.h"
#include "cpu/run/watchdog.h"
#include "cpu/stream/worker.h"

#define MS 1000000ull
/* Length of a tick in ns. In each tick a waiting thread checks for an
 * interrupt once, and the watchdog thread checks the time limit once. */
#define TICK_NS CPU_INTERRUPT_TICK_NS
/* Time in ns after which the signal to leave a kernel is sent to the same
 * thread again. */
#define RETRY_NS (1 * MS)
#define GRACE_NS CPU_INTERRUPT_GRACE_NS
/* Grace period in ns after an interrupt for launches of contexts other than
 * the one that the program waits for; longer than GRACE_NS. */
#define GRACE_ALL_NS (1000 * MS)
/* Time in ns after which a launch counts as stuck if a thread of the program,
 * not a worker, runs it. */
#define STUCK_NS (100 * MS)
/* The watchdog sleeps after this many ticks without a launch. */
#define IDLE_TICKS     20
#define LIMIT_VARIABLE "PYCUDA_CPU_TIMEOUT"

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cpu_runner *registry;
static _Thread_local struct cpu_runner *runner_tls
    __attribute__((tls_model("initial-exec")));

/* number of the signal that ends a launch; 0: no signal was free */
static int abandon_signal;
static _Atomic(cpu_interrupt_hook *) interrupt_hook;
/* time limit of a launch in nanoseconds; 0: no limit */
static uint64_t limit_ns;

/* True while the watchdog thread sleeps; the next launch wakes the thread. */
static atomic_bool watch_asleep;
static sem_t watch_wake;

/* ---- the C library's mathematical functions ---- */

/* Address range of the machine code of libm. A kernel can be left while libm
 * runs: libm holds no locks, and our runtime holds no locks when it calls
 * libm. Otherwise functions such as jn(), which can run for seconds, would
 * delay the end of the launch. */
static struct {
    uintptr_t start, bytes;
} libm_code;

/* Called by dl_iterate_phdr for each shared object: stores the executable
 * segment that contains the address `argument`. */
static int
libm_code_store(struct dl_phdr_info *info, size_t size, void *argument)
{
    uintptr_t inside = (uintptr_t)argument;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
            inside - start < segment->p_memsz) {
            libm_code.start = start;
            libm_code.bytes = segment->p_memsz;
            return 1;
        }
    }
    return 0;
}

static void
libm_code_find(void)
{
    void *function = dlsym(RTLD_DEFAULT, "jn");

    if (function) {
        dl_iterate_phdr(libm_code_store, function);
    }
}

/* Returns whether a kernel can be left at this instruction: it is in compiled
 * code or in libm. */
static bool
can_leave_at(const void *instruction)
{
    return cpu_image_contains_code(instruction) ||
           (uintptr_t)instruction - libm_code.start < libm_code.bytes;
}

/* ---- the signal ---- */

CPU_ON_FIBER static void
abandon_signal_handle(int number, siginfo_t *info, void *state)
{
    struct cpu_runner *runner = runner_tls;
    struct cpu_worker *worker = cpu_worker_tls;

    (void)info;
    if (!runner) {
        return;
    }
    atomic_store(&runner->signalled, false);
    if (!worker || !worker->in_kernel) {
        return;
    }
    uint64_t serial =
        atomic_load_explicit(&runner->serial, memory_order_relaxed);
    if (serial && serial == atomic_load(&runner->abandon) &&
        can_leave_at(cpu_arch_program_counter(state))) {
        sigset_t one;

        worker->in_kernel = 0;
        sigemptyset(&one);
        sigaddset(&one, number);
        /* Unblock the signal here, since cpu_fiber_unwind does not return to
         * the handler's end. */
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
        cpu_fiber_unwind(worker->guard, atomic_load(&runner->reason));
    }
}

/* Finds the highest real-time signal that the program does not use, installs
 * our handler for it and returns its number. Returns 0 if there is none. */
static int
signal_choose(void)
{
    struct sigaction ours = {.sa_sigaction = abandon_signal_handle,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

    for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--) {
        struct sigaction now;

        if (!sigaction(number, NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
            now.sa_handler == SIG_DFL) {
            return sigaction(number, &ours, NULL) ? 0 : number;
        }
    }
    return 0;
}

static bool
signal_is_ours(void)
{
    struct sigaction now;

    return abandon_signal && !sigaction(abandon_signal, NULL, &now) &&
           (now.sa_flags & SA_SIGINFO) &&
           now.sa_sigaction == abandon_signal_handle;
}

void
cpu_watchdog_unmask(sigset_t *mask)
{
    if (abandon_signal) {
        sigdelset(mask, abandon_signal);
    }
}

/* ---- the registry: list of all threads that run blocks ---- */

void
cpu_runner_join(struct cpu_runner *runner, bool caller)
{
    runner->thread = pthread_self();
    /* Use the system call, since glibc before 2.30 has no gettid(). */
    runner->interruptible = caller && getpid() == syscall(SYS_gettid);
    runner_tls = runner;
    pthread_mutex_lock(&registry_lock);
    runner->previous = NULL;
    runner->next = registry;
    if (registry) {
        registry->previous = runner;
    }
    registry = runner;
    pthread_mutex_unlock(&registry_lock);
}

void
cpu_runner_leave(struct cpu_runner *runner)
{
    runner_tls = NULL;
    if (atomic_load(&cpu_state.forked)) {
        /* This is a forked child. The list `registry` and its lock are copies
         * of the parent's and must not be used. */
        return;
    }
    pthread_mutex_lock(&registry_lock);
    if (runner->previous) {
        runner->previous->next = runner->next;
    } else {
        registry = runner->next;
    }
    if (runner->next) {
        runner->next->previous = runner->previous;
    }
    pthread_mutex_unlock(&registry_lock);
}

void
cpu_runner_begin(struct cpu_runner *runner, uint64_t serial, uint64_t context,
                 uint64_t now)
{
    atomic_store_explicit(&runner->started, now, memory_order_relaxed);
    atomic_store_explicit(&runner->context, context, memory_order_relaxed);
    atomic_store_explicit(&runner->serial, serial, memory_order_release);
    if (atomic_load_explicit(&watch_asleep, memory_order_relaxed) &&
        atomic_exchange(&watch_asleep, false)) {
        sem_post(&watch_wake);
    }
}

void
cpu_runner_end(struct cpu_runner *runner)
{
    atomic_store_explicit(&runner->serial, 0, memory_order_release);
}

bool
cpu_runner_abandoned(int *reason)
{
    struct cpu_runner *runner = runner_tls;

    if (!runner ||
        atomic_load_explicit(&runner->abandon, memory_order_relaxed) !=
            atomic_load_explicit(&runner->serial, memory_order_relaxed)) {
        return false;
    }
    *reason = atomic_load(&runner->reason);
    return true;
}

/* Returns true if the current launch of the runner (a thread that runs blocks)
 * must end. `key` is a serial number, a context id or a time, depending on the
 * function. */
typedef bool runner_chosen(const struct cpu_runner *runner, uint64_t key);

static bool
runner_of_serial(const struct cpu_runner *runner, uint64_t key)
{
    return atomic_load(&runner->serial) == key;
}

static bool
runner_of_context(const struct cpu_runner *runner, uint64_t key)
{
    return atomic_load(&runner->context) == key;
}

/* Selects launches that began before the interrupt and may occupy the workers
 * that the awaited launch needs. `key` is the time of the interrupt. */
static bool
runner_since(const struct cpu_runner *runner, uint64_t key)
{
    return atomic_load(&runner->started) <= key;
}

/* Signals the threads whose launches `chosen` selects. The caller holds
 * registry_lock. */
static void
abandon_locked(runner_chosen *chosen, uint64_t key, CUresult reason)
{
    if (!signal_is_ours()) {
        return;
    }
    for (struct cpu_runner *at = registry; at; at = at->next) {
        uint64_t serial =
            atomic_load_explicit(&at->serial, memory_order_acquire);

        if (serial && chosen(at, key)) {
            atomic_store(&at->reason, (int)reason);
            atomic_store(&at->abandon, serial);
            if (!atomic_exchange(&at->signalled, true)) {
                pthread_kill(at->thread, abandon_signal);
            }
        }
    }
}

static void
abandon(runner_chosen *chosen, uint64_t key, CUresult reason)
{
    pthread_mutex_lock(&registry_lock);
    abandon_locked(chosen, key, reason);
    pthread_mutex_unlock(&registry_lock);
}

/* ---- waits ---- */

CPU_API void
pycuda_cpu_interrupt(cpu_interrupt_hook *hook)
{
    atomic_store(&interrupt_hook, hook);
}

bool
cpu_interrupt_wanted(void)
{
    cpu_interrupt_hook *hook = atomic_load(&interrupt_hook);

    return hook && hook();
}

bool
cpu_interrupt_possible(void)
{
    return atomic_load_explicit(&interrupt_hook, memory_order_relaxed);
}

int
cpu_interrupt_milliseconds(const struct cpu_interrupt *interrupt)
{
    if (interrupt->since) {
        return (int)(RETRY_NS / MS);
    }
    return atomic_load(&interrupt_hook) ? (int)(TICK_NS / MS) : -1;
}

/* Abandons all launches of the context that the interrupted caller waits for,
 * and puts the context into an error state. Does nothing if `context` is
 * NULL. */
static void
context_abandon(struct cpu_context *context)
{
    if (context) {
        cpu_context_fail(context, CUDA_ERROR_LAUNCH_FAILED);
        abandon(runner_of_context, context->id, CUDA_ERROR_LAUNCH_FAILED);
    }
}

void
cpu_interrupt_poll(struct cpu_interrupt *interrupt)
{
    uint64_t now = cpu_now_ns();

    if (!interrupt->since) {
        interrupt->since = cpu_interrupt_wanted() ? now : 0;
    } else if (now - interrupt->since > GRACE_ALL_NS) {
        abandon(runner_since, interrupt->since, CUDA_ERROR_LAUNCH_FAILED);
        context_abandon(interrupt->context);
    } else if (now - interrupt->since > GRACE_NS) {
        context_abandon(interrupt->context);
    }
}

/* ---- Ctrl-C while a thread of the program runs blocks ---- */

static struct sigaction program_sigint;
/* True while our SIGINT handler is installed. Only the watchdog thread uses
 * the variable. */
static bool sigint_observed;
static _Atomic uint64_t sigint_ns;

static void
sigint_handle(int number, siginfo_t *info, void *state)
{
    atomic_store(&sigint_ns, cpu_now_ns());
    if (program_sigint.sa_flags & SA_SIGINFO) {
        program_sigint.sa_sigaction(number, info, state);
    } else {
        program_sigint.sa_handler(number);
    }
}

static void
sigint_observe(void)
{
    struct sigaction ours;

    if (sigint_observed || !atomic_load(&interrupt_hook) ||
        sigaction(SIGINT, NULL, &program_sigint)) {
        return;
    }
    if (!(program_sigint.sa_flags & SA_SIGINFO) &&
        (program_sigint.sa_handler == SIG_DFL ||
         program_sigint.sa_handler == SIG_IGN)) {
        return;
    }
    ours = program_sigint;
    ours.sa_sigaction = sigint_handle;
    ours.sa_flags |= SA_SIGINFO;
    atomic_store(&sigint_ns, 0);
    sigint_observed = !sigaction(SIGINT, &ours, NULL);
}

static void
sigint_forget(void)
{
    struct sigaction now;

    if (sigint_observed && !sigaction(SIGINT, NULL, &now) &&
        (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == sigint_handle) {
        sigaction(SIGINT, &program_sigint, NULL);
    }
    sigint_observed = false;
}

/* ---- the watchdog ---- */

struct watched {
    /* at least one runner (thread that runs blocks) has a launch now */
    bool busy;
    /* A thread of the program, not a worker, has been running a launch for
     * longer than STUCK_NS. */
    bool stuck;
    /* a launch is being ended, so its threads need signals at short
     * intervals */
    bool urgent;
};

static void
runner_check(const struct cpu_runner *runner, uint64_t now,
             struct watched *watched)
{
    uint64_t serial = atomic_load(&runner->serial);
    uint64_t started = atomic_load(&runner->started);
    uint64_t interrupted = atomic_load(&sigint_ns);

    if (!serial || now < started) {
        watched->busy |= serial != 0;
        return;
    }
    watched->busy = true;
    if (limit_ns && now - started > limit_ns) {
        abandon_locked(runner_of_serial, serial, CUDA_ERROR_LAUNCH_TIMEOUT);
        watched->urgent = true;
    }
    if (runner->interruptible && now - started > STUCK_NS) {
        watched->stuck = true;
        if (sigint_observed && interrupted && now > interrupted + GRACE_NS) {
            abandon_locked(runner_of_serial, serial, CUDA_ERROR_LAUNCH_FAILED);
            watched->urgent = true;
        }
    }
}

static void
watchdog_sleep(void)
{
    atomic_store(&watch_asleep, true);
    while (sem_wait(&watch_wake)) {
    }
}

static void
pause_ns(uint64_t ns)
{
    struct timespec pause = {.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};

    nanosleep(&pause, NULL);
}

static void *
watchdog_main(void *unused)
{
    unsigned idle = 0;

    (void)unused;
    for (;;) {
        struct watched watched = {0};
        uint64_t now = cpu_now_ns();

        pthread_mutex_lock(&registry_lock);
        for (struct cpu_runner *at = registry; at; at = at->next) {
            runner_check(at, now, &watched);
        }
        pthread_mutex_unlock(&registry_lock);
        if (watched.stuck) {
            sigint_observe();
        } else {
            sigint_forget();
        }
        idle = watched.busy ? 0 : idle + 1;
        if (idle > IDLE_TICKS) {
            watchdog_sleep();
            idle = 0;
        }
        pause_ns(watched.urgent ? RETRY_NS : TICK_NS);
    }
    return NULL;
}

bool
cpu_watchdog_expired(uint64_t started)
{
    return limit_ns && cpu_now_ns() - started > limit_ns;
}

CUresult
cpu_watchdog_configure(void)
{
    const char *text = getenv(LIMIT_VARIABLE);
    locale_t plain;
    char *end;

    limit_ns = 0;
    if (!text || !*text) {
        return CUDA_SUCCESS;
    }
    plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!plain) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    double seconds = strtod_l(text, &end, plain);
    freelocale(plain);
    if (*end || !(seconds > 0)) {
        return cpu_setting_error_set(
            LIMIT_VARIABLE " is '%.40s'; it must be a positive number of "
                           "seconds",
            text);
    }
    limit_ns = seconds < 1e9 ? (uint64_t)(seconds * 1e9) + 1 : 0;
    return CUDA_SUCCESS;
}

CUresult
cpu_watchdog_start(void)
{
    pthread_attr_t attributes;
    sigset_t block, old;
    pthread_t thread;

    libm_code_find();
    abandon_signal = signal_choose();
    sem_init(&watch_wake, 0, 0);
    sigfillset(&block);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &block, &old);
    int failed = pthread_create(&thread, &attributes, watchdog_main, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return failed ? cpu_system_error_set(failed,
                                         "a thread for kernels' time limits "
                                         "and for Ctrl-C")
                  : CUDA_SUCCESS;
}
