/* nccl_twin.c - NCCL's operations from C: one rank of a communicator.
 *
 * usage: nccl_twin LIBCUDA LIBNCCL RANK SIZE ID_FILE OPERATION:BYTES:CALLS...
 * Rank 0 prints one line for each argument: the shortest of 3 times of a call,
 * in microseconds.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "seconds.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char bytes[128];
} id_t128;

enum { FLOAT32 = 7, SUM = 0 };

static void *cuda, *library;
static void *comm;
static int size, rank;

static void *
symbol(void *from, const char *name)
{
    void *found = dlsym(from, name);
    if (found == NULL) {
        fprintf(stderr, "%s is missing\n", name);
        exit(1);
    }
    return found;
}

static void
check(int code, const char *what)
{
    if (code != 0) {
        fprintf(stderr, "%s: error %d\n", what, code);
        exit(1);
    }
}

#define CUDA(name, types, arguments)                                          \
    check(((int(*) types)symbol(cuda, #name))arguments, #name)

/* Reads or, in rank 0, creates the id. */
static id_t128
shared_id(const char *path)
{
    id_t128 id;
    char other[512];
    FILE *file;
    if (rank == 0) {
        snprintf(other, sizeof other, "%s.new", path);
        check(((int (*)(id_t128 *))symbol(library, "ncclGetUniqueId"))(&id),
              "ncclGetUniqueId");
        file = fopen(other, "wb");
        fwrite(&id, sizeof id, 1, file);
        fclose(file);
        rename(other, path);
        return id;
    }
    while ((file = fopen(path, "rb")) == NULL) {
        usleep(10000);
    }
    check(fread(&id, sizeof id, 1, file) != 1, "the file of the id");
    fclose(file);
    return id;
}

typedef int reduce_function(const void *, void *, size_t, int, int, void *,
                            void *);
typedef int gather_function(const void *, void *, size_t, int, void *, void *);
typedef int root_function(const void *, void *, size_t, int, int, void *,
                          void *);
typedef int message_function(void *, size_t, int, int, void *, void *);

static reduce_function *all_reduce, *reduce_scatter;
static gather_function *all_gather;
static root_function *broadcast;
static message_function *send_to, *recv_from;
static int (*group_start)(void), (*group_end)(void);

/* Issues one operation; `count` is that of all ranks' elements together where
 * the operation divides an array. */
static int
issue(const char *operation, float *a, float *b, size_t count, void *stream)
{
    size_t part = count / (size_t)size;
    if (strcmp(operation, "all_reduce") == 0) {
        return all_reduce(a, a, count, FLOAT32, SUM, comm, stream);
    }
    if (strcmp(operation, "broadcast") == 0) {
        return broadcast(a, a, count, FLOAT32, 0, comm, stream);
    }
    if (strcmp(operation, "all_gather") == 0) {
        return all_gather(a, b, part, FLOAT32, comm, stream);
    }
    if (strcmp(operation, "reduce_scatter") == 0) {
        return reduce_scatter(b, a, part, FLOAT32, SUM, comm, stream);
    }
    return group_start() +
           send_to(a, count, FLOAT32, (rank + 1) % size, comm, stream) +
           recv_from(b, count, FLOAT32, (rank + size - 1) % size, comm,
                     stream) +
           group_end();
}

static void
measure(char *argument, void *stream)
{
    char *operation = strtok(argument, ":");
    size_t bytes = strtoul(strtok(NULL, ":"), NULL, 10);
    long calls = atol(strtok(NULL, ":"));
    unsigned long long a, b;
    double best = 1e9;
    CUDA(cuMemAlloc_v2, (unsigned long long *, size_t), (&a, bytes));
    CUDA(cuMemAlloc_v2, (unsigned long long *, size_t), (&b, bytes));
    CUDA(cuMemsetD8_v2, (unsigned long long, unsigned char, size_t),
         (a, 0, bytes));
    CUDA(cuMemsetD8_v2, (unsigned long long, unsigned char, size_t),
         (b, 0, bytes));
    for (int round = 0; round < 4; round++) {
        double start = seconds();
        for (long i = 0; i < (round == 0 ? 5 : calls); i++) {
            check(issue(operation, (float *)a, (float *)b, bytes / 4, stream),
                  operation);
        }
        CUDA(cuStreamSynchronize, (void *), (stream));
        double each = (seconds() - start) / (double)calls;
        best = round > 0 && each < best ? each : best;
    }
    CUDA(cuMemFree_v2, (unsigned long long), (a));
    CUDA(cuMemFree_v2, (unsigned long long), (b));
    if (rank == 0) {
        printf("%.3f\n", best * 1e6);
        fflush(stdout);
    }
}

int
main(int argc, char **argv)
{
    void *context, *stream;
    int device, devices;
    cuda = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    library = dlopen(argv[2], RTLD_NOW);
    if (cuda == NULL || library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    rank = atoi(argv[3]);
    size = atoi(argv[4]);
    CUDA(cuInit, (unsigned), (0));
    CUDA(cuDeviceGetCount, (int *), (&devices));
    CUDA(cuDeviceGet, (int *, int), (&device, rank % devices));
    CUDA(cuDevicePrimaryCtxRetain, (void **, int), (&context, device));
    CUDA(cuCtxSetCurrent, (void *), (context));
    CUDA(cuStreamCreate, (void **, unsigned), (&stream, 1));
    all_reduce = (reduce_function *)symbol(library, "ncclAllReduce");
    reduce_scatter = (reduce_function *)symbol(library, "ncclReduceScatter");
    all_gather = (gather_function *)symbol(library, "ncclAllGather");
    broadcast = (root_function *)symbol(library, "ncclBroadcast");
    send_to = (message_function *)symbol(library, "ncclSend");
    recv_from = (message_function *)symbol(library, "ncclRecv");
    group_start = (int (*)(void))symbol(library, "ncclGroupStart");
    group_end = (int (*)(void))symbol(library, "ncclGroupEnd");
    id_t128 id = shared_id(argv[5]);
    check(((int (*)(void **, int, id_t128, int))symbol(
              library, "ncclCommInitRank"))(&comm, size, id, rank),
          "ncclCommInitRank");
    for (int i = 6; i < argc; i++) {
        measure(argv[i], stream);
    }
    check(((int (*)(void *))symbol(library, "ncclCommDestroy"))(comm),
          "ncclCommDestroy");
    return 0;
}
