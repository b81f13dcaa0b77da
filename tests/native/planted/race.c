/* race.c - a host function and the program write one variable, unordered.
 *
 * tools/tsan runs this to see that ThreadSanitizer follows work through the
 * CPU library: it must find fault with the second half, and only with that.
 * Arguments: the library twice, then any third for the second half.
 *
 * SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "../native.h"

static int written;

static void CUDA_CB
write_one(void *unused)
{
    (void)unused;
    usleep(50000); /* until the launching call is over, which orders much */
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
