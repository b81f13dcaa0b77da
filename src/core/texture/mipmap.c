/* mipmap.c - reads the handle of a MipmappedArray.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/core.h"
#include "core/texture/mipmap.h"

/* Returns the handle of a MipmappedArray, whose type the caller has checked;
 * LogicError if it was freed. */
int
core_mipmap_handle(PyObject *object, CUmipmappedArray *handle)
{
    struct core_mipmap *self = (struct core_mipmap *)object;
    *handle = self->handle;
    if (self->handle == NULL) {
        return core_fail(CUDA_ERROR_INVALID_HANDLE, "mipmapped_array",
                         "this mipmapped array was freed");
    }
    return self->context->valid
               ? 0
               : core_context_fail_detached("mipmapped_array");
}
