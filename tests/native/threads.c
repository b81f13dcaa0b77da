/* threads.c - many host threads on one context, deep stacks of contexts, and
 * output of printf.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <unistd.h>

#include "native.h"

#define THREADS 4
#define ROUNDS  30
#define N       3000

static const char source[] =
    "extern \"C\" {\n"
    "__global__ void fill(int *x, int y, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) x[i] = y + i;\n"
    "}\n"
    "__global__ void turn(int *x, int n)\n"
    "{\n"
    "    __shared__ int part[128];\n"
    "    int t = threadIdx.x, i = blockIdx.x * 128 + t;\n"
    "    part[t] = i < n ? x[i] : 0;\n"
    "    __syncthreads();\n"
    "    if (i < n) x[i] = part[t] + 1;\n"
    "}\n"
    "__global__ void say(int n)\n"
    "{\n"
    "    printf(\"%d %5.2f %s|%-4x|%c%% %lld %llu\\n\", n, 1.5 * n,\n"
    "           \"text\", 255, 'q', -5000000000ll, 1ull << 63);\n"
    "}\n"
    "}\n";

static CUcontext ctx;
static CUmodule module;
static char *image;

static void
round_trip(CUstream stream, CUevent event, int seed)
{
    static const int n = N;
    CUdeviceptr x;
    int host[N], wrong = 0;
    void *fill[] = {&x, &seed, (void *)&n}, *turn[] = {&x, (void *)&n};

    OK(cu.cuMemAlloc(&x, sizeof host));
    OK(native_launch(native_function(module, "fill"), (N + 127) / 128, 128,
                     stream, fill));
    OK(native_launch(native_function(module, "turn"), (N + 127) / 128, 128,
                     stream, turn));
    OK(cu.cuMemcpyDtoHAsync(host, x, sizeof host, stream));
    OK(cu.cuEventRecord(event, stream));
    OK(cu.cuEventSynchronize(event));
    for (int i = 0; i < N; i++) {
        wrong += host[i] != seed + i + 1;
    }
    CHECK(wrong == 0);
    OK(cu.cuMemFree(x));
}

static void *
work(void *argument)
{
    CUstream stream;
    CUevent event;
    CUmodule own;

    OK(cu.cuCtxSetCurrent(ctx));
    OK(cu.cuStreamCreate(&stream, 0));
    OK(cu.cuEventCreate(&event, 0));
    for (int i = 0; i < ROUNDS; i++) {
        round_trip(i % 3 ? stream : NULL, event, (int)(size_t)argument + i);
        if (i % 10 == 0) {
            OK(cu.cuModuleLoadData(&own, image));
            OK(cu.cuModuleUnload(own));
        }
    }
    OK(cu.cuEventDestroy(event));
    OK(cu.cuStreamDestroy(stream));
    return NULL;
}

/* Redirects stdout to a file during the launch. */
static void
test_printf(void)
{
    static const char expected[] =
        "7 10.50 text|ff  |q% -5000000000 9223372036854775808\n";
    char path[] = "/tmp/native-threads-XXXXXX", got[256] = "";
    int file = mkstemp(path), saved = dup(1), seven = 7;
    void *parameters[] = {&seven};

    fflush(stdout);
    dup2(file, 1);
    OK(native_launch(native_function(module, "say"), 1, 1, NULL, parameters));
    OK(cu.cuCtxSynchronize());
    fflush(stdout);
    dup2(saved, 1);
    CHECK(pread(file, got, sizeof got - 1, 0) > 0);
    CHECK(strcmp(got, expected) == 0);
    close(file);
    close(saved);
    unlink(path);
}

/* Pushes contexts until this thread's stack is full, and pops half of them. */
static void *
push(void *unused)
{
    CUcontext found;
    int depth = 0;

    CHECK(cu.cuCtxPopCurrent(&found) == CUDA_ERROR_INVALID_CONTEXT);
    while (cu.cuCtxPushCurrent(ctx) == CUDA_SUCCESS) {
        depth++;
    }
    CHECK(depth == 64);
    CHECK(cu.cuCtxCreate(&found, 0, 0) == CUDA_ERROR_OUT_OF_MEMORY);
    OK(cu.cuCtxSetCurrent(NULL));
    OK(cu.cuCtxPushCurrent(ctx));
    for (; depth > 32; depth--) {
        found = NULL;
        OK(cu.cuCtxPopCurrent(&found));
        CHECK(found == ctx);
    }
    OK(cu.cuCtxGetCurrent(&found));
    CHECK(found == ctx);
    return unused;
}

int
main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    native_start(argc, argv);
    ctx = native_context();
    image = native_compile(source, 0, NULL);
    OK(cu.cuModuleLoadData(&module, image));
    for (size_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)(i * 1000));
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; native_on_cpu && i < 20; i++) { /* others have no limit */
        pthread_create(&threads[0], NULL, push, NULL);
        pthread_join(threads[0], NULL);
    }
    test_printf();
    OK(cu.cuModuleUnload(module));
    OK(cu.cuCtxDestroy(ctx));
    free(image);
    return native_end("threads");
}
