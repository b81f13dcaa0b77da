/* test_link.c - runs a kernel that calls a function of another module.
 *
 * usage: test_link linked.image
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "harness.h"

int
main(int count, char **arguments)
{
    int o[8], *p = o, failures = 0;
    if (count != 2) {
        fprintf(stderr, "usage: test_link linked.image\n");
        return 2;
    }
    struct cpu_image *image = harness_load(arguments[1]);
    harness_run(image, "linked", (struct shape){1, 1, 1},
                (struct shape){8, 1, 1}, 0, &p);
    for (int i = 0; i < 8; i++) {
        if (o[i] != 3 * i + 101) {
            printf("FAILED: o[%d] is %d\n", i, o[i]);
            failures++;
        }
    }
    cpu_image_unload(image);
    return failures != 0;
}
