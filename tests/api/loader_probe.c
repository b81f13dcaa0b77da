/* loader_probe.c - opens the driver, NVRTC and cuBLAS as core does.
 *
 * Prints the results; test_loader.py runs it in one process per case.
 *
 * usage: loader_probe PACKAGE_DIR DRIVER_VERSION DEVICE_ARCH [SYS_PATH...]
 *
 * SPDX-License-Identifier: MIT */
#include "api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Returns the page faults of a second compiler-like use of memory. */
static long
faults_of_use(void)
{
    enum { BLOCKS = 64, BYTES = 100000 };
    char *blocks[BLOCKS];
    struct rusage before, after;
    for (int turn = 0; turn < 2; turn++) {
        getrusage(RUSAGE_SELF, &before);
        for (int i = 0; i < BLOCKS; i++) {
            blocks[i] = malloc(BYTES);
            if (blocks[i] == NULL) {
                return -1;
            }
            memset(blocks[i], 1 + turn, BYTES);
        }
        for (int i = 0; i < BLOCKS; i++) {
            free(blocks[i]);
        }
        getrusage(RUSAGE_SELF, &after);
    }
    return after.ru_minflt - before.ru_minflt;
}

static void
show(const char *what, int status, const struct api_choice *choice)
{
    static const char *const kinds[] = {"closed", "gpu", "cpu"};
    printf("%s %d %s fell_back=%d version=%d arch=%d ptx=%d [%s] %s\n", what,
           status, kinds[choice->kind], choice->fell_back, choice->version,
           choice->arch, choice->through_ptx, choice->library, choice->text);
}

static size_t
count_missing(void)
{
    size_t n = 0;
    while (api_missing_functions()[n] != NULL) {
        n++;
    }
    return n;
}

int
main(int argc, char **argv)
{
    struct api_choice choice;
    if (argc < 4) {
        return 2;
    }
    CUdeviceptr pointer;
    int major, minor;
    printf("before %d, %d, %s\n", (int)driver.cuMemAlloc(&pointer, 4),
           (int)nvrtc.nvrtcVersion(&major, &minor),
           nvrtc.nvrtcGetErrorString(NVRTC_ERROR_INVALID_INPUT));
    api_set_package_dir(argv[1]);
    int status = api_open_driver(&choice);
    show("driver", status, &choice);
    if (status != 0) {
        return 0;
    }
    printf("missing %zu, cuMemAlloc %d, cuInit %d\n", count_missing(),
           (int)driver.cuMemAlloc(&pointer, 4), (int)driver.cuInit(0));
    api_set_library_dirs((const char *const *)argv + 4, (size_t)argc - 4);
    long faults = faults_of_use();
    status = api_open_nvrtc(atoi(argv[2]), atoi(argv[3]), &choice);
    show("nvrtc", status, &choice);
    printf("faults %ld %ld\n", faults, faults_of_use());
    printf("compile %d\n", (int)nvrtc.nvrtcCompileProgram(NULL, 0, NULL));
    status = api_open_nvrtc(atoi(argv[2]), 61, &choice);
    show("again", status, &choice);
    status = api_open_cublas(atoi(argv[2]), &choice);
    show("cublas", status, &choice);
    return 0;
}
