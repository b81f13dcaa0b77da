/* mipmap.c - reads the handle of a MipmappedArray.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/core.h"
#include "core/memory/free_site.h"
#include "core/texture/mipmap.h"

/* Returns the handle of a MipmappedArray, whose type the caller has checked.
 * Raises LogicError if it was freed. */
int
core_mipmap_handle(PyObject *object, CUmipmappedArray *handle)
{
    struct core_mipmap *self = (struct core_mipmap *)object;
    *handle = self->handle;
    if (self->handle == NULL) {
        return core_free_site_fail(object, "mipmapped_array",
                                   "this mipmapped array");
    }
    return self->context->valid
               ? 0
               : core_context_fail_detached("mipmapped_array");
}
