/* version.c - selects the version of a kernel's code that launches run.
 *
 * Called by module.c for new functions and by upgrade.c. Workers read the
 * pointer to the version for each chunk of blocks, without a lock. So a
 * version is never changed after the pointer was set to it.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>

#include "cpu/module/image.h"
#include "cpu/module/module_state.h"
#include "cpu/module/version.h"
#include "image/image.h"

static struct cpu_version
version_read(const struct cpu_image_kernel *found)
{
    return (struct cpu_version){
        .entry = found->entry,
        .warp_entry = found->warp_entry,
        .frame_bytes = found->row->frame_bytes,
        .warp_frame_bytes = found->row->warp_frame_bytes,
    };
}

void
cpu_version_init(struct cpu_function *function,
                 const struct cpu_image_kernel *found)
{
    function->versions[0] = version_read(found);
    atomic_init(&function->version, &function->versions[0]);
}

void
cpu_version_upgrade(struct cpu_function *function)
{
    struct cpu_image_kernel found;

    if (cpu_image_find_kernel(function->module->full, function->name,
                              &found)) {
        function->versions[1] = version_read(&found);
        atomic_store_explicit(&function->version, &function->versions[1],
                              memory_order_release);
    }
}
