/* race.c - a host function and the program write one variable, unordered.
 *
 * tools/tsan runs this to prove that ThreadSanitizer follows work through the
 * CPU library: it must report the second half, and nothing else. Arguments:
 * the library twice, then any third argument to enable the second half.
 *
 * SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "../native.h"

static int written;

static void CUDA_CB
write_one(void *unused)
{
    (void)unused;
    /* Until the launching call has returned, which orders many accesses. */
    usleep(50000);
    written = 1;
}

int
main(int argc, char **argv)
{
    CUstream stream;

    native_start(argc, argv);
    CUcontext ctx = native_context();
    OK(cu.cuStreamCreate(&stream, 0));
    OK(cu.cuLaunchHostFunc(stream, write_one, NULL));
    if (argc < 4) {
        OK(cu.cuStreamSynchronize(stream));
    } else {
        usleep(200000);
    }
    written++;
    CHECK(written == 2);
    OK(cu.cuCtxDestroy(ctx));
    return native_end("race");
}
