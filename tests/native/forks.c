/* forks.c - forks while other threads compile, allocate and launch.
 *
 * Calls in the child return an error immediately; the child can compile, and
 * it ends.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native.h"

#define FORKS        60
#define CHILD_LIVES  2 /* seconds */
#define CHILD_AT_END 60

static const char source[] = "extern \"C\" __global__ void turn(int *x, int n)"
                             "{ x[threadIdx.x] += n; }";

static CUcontext ctx;
static CUmodule module;
static atomic_int stop, compiled;

/* Launches, copies, and objects that are created and destroyed. */
static void *
work(void *unused)
{
    CUfunction turn;
    CUdeviceptr x;
    CUstream stream;
    CUevent event;
    int n = 1, host[64];
    void *parameters[] = {&x, &n};

    (void)unused;
    OK(cu.cuCtxSetCurrent(ctx));
    turn = native_function(module, "turn");
    while (!atomic_load(&stop)) {
        OK(cu.cuStreamCreate(&stream, 0));
        OK(cu.cuEventCreate(&event, 0));
        OK(cu.cuMemAlloc(&x, 4096));
        for (int i = 0; i < 20; i++) {
            OK(native_launch(turn, 3, 64, stream, parameters));
            OK(cu.cuMemcpyDtoHAsync(host, x, sizeof host, stream));
        }
        OK(cu.cuEventRecord(event, stream));
        OK(cu.cuEventSynchronize(event));
        OK(cu.cuMemFree(x));
        OK(cu.cuEventDestroy(event));
        OK(cu.cuStreamDestroy(stream));
    }
    return unused;
}

static void *
compile(void *unused)
{
    while (!atomic_load(&stop)) {
        nvrtcProgram program;

        rtc.nvrtcCreateProgram(&program, source, "a.cu", 0, NULL, NULL);
        CHECK(rtc.nvrtcCompileProgram(program, 0, NULL) == NVRTC_SUCCESS);
        rtc.nvrtcDestroyProgram(&program);
        atomic_fetch_add(&compiled, 1);
    }
    return unused;
}

/* Exits with the number of checks that failed. */
static void
child_run(bool compiles)
{
    CUdeviceptr x;
    CUstream stream;
    int count;

    /* Kills a child that hangs, which the parent detects. */
    alarm(CHILD_AT_END);
    native_failures = 0;
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cu.cuInit(0));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cu.cuDeviceGetCount(&count));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cu.cuMemAlloc(&x, 64));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cu.cuStreamCreate(&stream, 0));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cu.cuStreamSynchronize(NULL));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cu.cuCtxSynchronize());
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cu.cuModuleUnload(module));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cu.cuCtxDestroy(ctx));
    if (compiles) {
        free(native_compile(source, 0, NULL));
    }
    fflush(stdout);
    exit(native_failures);
}

/* A child that continues to run blocks no other process. */
static void
test_child_that_stays(void)
{
    pid_t children[20];
    int status, before = atomic_load(&compiled);

    for (int i = 0; i < 20; i++) {
        usleep(2500);
        children[i] = fork();
        if (children[i] == 0) {
            sleep(CHILD_LIVES);
            _exit(0);
        }
    }
    for (int waits = 0; waits < 20 * CHILD_LIVES; waits++) {
        if (atomic_load(&compiled) > before + 1 &&
            waitpid(children[0], &status, WNOHANG) == 0) {
            before = -1; /* while the first of them existed */
            break;
        }
        usleep(20000);
    }
    CHECK(before == -1);
    for (int i = 1; i < 20; i++) {
        CHECK(waitpid(children[i], &status, 0) == children[i]);
    }
    waitpid(children[0], &status, 0); /* unless that was done above */
}

int
main(int argc, char **argv)
{
    pthread_t threads[3];

    native_start(argc, argv);
    ctx = native_context();
    module = native_module(source);
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_create(&threads[2], NULL, compile, NULL);
    for (int i = 0; i < FORKS; i++) {
        int status = -1;
        pid_t child = fork();

        if (child == 0) {
            child_run(i % 10 == 0);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    test_child_that_stays();
    atomic_store(&stop, 1);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    OK(cu.cuCtxDestroy(ctx));
    return native_end("forks");
}
