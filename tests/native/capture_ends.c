/* capture_ends.c - forked streams that are destroyed during a capture.
 *
 * Whether the work of a destroyed stream is joined is known only when the
 * capture ends: it may be joined through other streams and through events.
 *
 * SPDX-License-Identifier: MIT */
#include "native.h"

enum {
    MAX = 6, /* forked streams */
};

static CUstream origin, forks[MAX];
static CUevent events[MAX + 1];
static CUdeviceptr x;

static CUstream
stream_of(int i)
{
    return i < 0 ? origin : forks[i];
}

/* Adds work to the fork, or to the origin stream if `i` is -1. */
static void
work(int i)
{
    OK(cu.cuMemsetD32Async(x + 4u * (unsigned)(i + 1), (unsigned)i + 10, 1,
                           stream_of(i)));
}

/* The stream `to` waits for the present work of the stream `from`. */
static void
wait_for(int to, int from)
{
    OK(cu.cuEventRecord(events[from + 1], stream_of(from)));
    OK(cu.cuStreamWaitEvent(stream_of(to), events[from + 1], 0));
}

static void
destroy(int i)
{
    OK(cu.cuStreamDestroy(forks[i]));
    forks[i] = NULL;
}

static void
begin(void)
{
    for (int i = 0; i < MAX; i++) {
        if (!forks[i]) {
            OK(cu.cuStreamCreate(&forks[i], CU_STREAM_NON_BLOCKING));
        }
    }
    OK(cu.cuMemsetD32(x, 0, MAX + 1));
    OK(cu.cuCtxSynchronize());
    OK(cu.cuStreamBeginCapture(origin, CU_STREAM_CAPTURE_MODE_RELAXED));
}

/* Ends the capture and launches its graph. The bits of `worked` are the forks
 * of which the graph must contain the work. */
static void
end_runs(size_t count, unsigned worked)
{
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;
    int found[MAX + 1];
    size_t nodes = 0;

    OK(cu.cuStreamEndCapture(origin, &graph));
    OK(cu.cuGraphGetNodes(graph, NULL, &nodes));
    CHECK(nodes == count);
    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cu.cuGraphLaunch(exec, origin));
    OK(cu.cuStreamSynchronize(origin));
    OK(cu.cuMemcpyDtoH(found, x, sizeof found));
    for (int i = 0; i < MAX; i++) {
        CHECK(found[i + 1] == (worked >> i & 1 ? i + 10 : 0));
    }
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
}

/* Ends a capture whose work is not joined. The error is INVALIDATED if a
 * stream with such work was destroyed, otherwise UNJOINED. A GPU may return
 * either. */
static void
end_fails(CUresult expected)
{
    CUstreamCaptureStatus status;
    CUgraph graph = NULL;
    CUresult code = cu.cuStreamEndCapture(origin, &graph);

    CHECK(code == expected ||
          (!native_on_cpu && (code == CUDA_ERROR_STREAM_CAPTURE_UNJOINED ||
                              code == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)));
    CHECK(!graph);
    OK(cu.cuStreamIsCapturing(origin, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
}

/* Each fork waits for the previous one; the origin waits for the last. The
 * forks are destroyed at once, at the end, or all but the last. CUDA's
 * documentation does not define the first case. */
static void
test_chain(void)
{
    for (int turn = !native_on_cpu; turn < 3; turn++) {
        begin();
        work(-1);
        for (int i = 0; i < MAX; i++) {
            wait_for(i, i - 1);
            work(i);
            if (turn == 0 && i) {
                destroy(i - 1);
            }
        }
        wait_for(-1, MAX - 1);
        for (int i = 0; i < MAX - (turn == 2); i++) {
            if (forks[i]) {
                destroy(i);
            }
        }
        end_runs(MAX + 1, (1u << MAX) - 1);
    }
}

/* A stream that has already entered the capture joins several forks. */
static void
test_collected(void)
{
    begin();
    work(-1);
    for (int i = 0; i < MAX; i++) {
        wait_for(i, -1);
        work(i);
    }
    for (int i = 1; i < MAX; i++) {
        wait_for(0, i);
        destroy(i);
    }
    wait_for(-1, 0); /* fork 0 adds no node after it has waited */
    destroy(0);
    end_runs(MAX + 1, (1u << MAX) - 1);
}

/* The event remains when the stream that recorded it is destroyed. */
static void
test_event_remains(void)
{
    begin();
    work(-1);
    wait_for(0, -1);
    work(0);
    OK(cu.cuEventRecord(events[1], forks[0]));
    destroy(0);
    OK(cu.cuStreamWaitEvent(origin, events[1], 0));
    end_runs(2, 1);
}

/* A fork without work has nothing that could be joined. */
static void
test_no_work(void)
{
    for (int before = 0; before < 2; before++) {
        begin();
        if (before) {
            work(-1);
        }
        wait_for(0, -1);
        wait_for(1, 0);
        destroy(0);
        destroy(1);
        work(-1);
        end_runs(1 + (size_t)before, 0);
    }
}

static void
test_unjoined(void)
{
    begin(); /* one fork's own work is joined, its last node is not */
    wait_for(0, -1);
    work(0);
    wait_for(-1, 0);
    work(0);
    destroy(0);
    end_fails(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    begin(); /* another fork waits, but the origin does not wait for it */
    work(-1);
    wait_for(0, -1);
    work(0);
    wait_for(1, 0);
    destroy(0);
    destroy(1);
    end_fails(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    begin(); /* the destroyed fork is joined by one that is not joined */
    work(-1);
    wait_for(0, -1);
    work(0);
    wait_for(1, 0);
    work(1);
    destroy(0);
    end_fails(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);

    begin(); /* the next capture is not affected */
    work(-1);
    end_runs(1, 0);
}

int
main(int argc, char **argv)
{
    native_start(argc, argv);
    CUcontext ctx = native_context();

    OK(cu.cuMemAlloc(&x, (MAX + 1) * sizeof(int)));
    OK(cu.cuStreamCreate(&origin, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i <= MAX; i++) {
        OK(cu.cuEventCreate(&events[i], CU_EVENT_DISABLE_TIMING));
    }
    test_chain();
    if (native_on_cpu) { /* CUDA's documentation does not define these */
        test_collected();
        test_event_remains();
        test_no_work();
    }
    test_unjoined();
    for (int i = 0; i <= MAX; i++) {
        OK(cu.cuEventDestroy(events[i]));
    }
    OK(cu.cuStreamDestroy(origin));
    OK(cu.cuMemFree(x));
    OK(cu.cuCtxDestroy(ctx));
    return native_end("capture_ends");
}
