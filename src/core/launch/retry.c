/* retry.c - decides whether a launch that the driver refused is repeated.
 *
 * Called by launch.c after a failed launch, with the GIL. Only then is the
 * driver asked which context is current; successful launches save that call.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/launch/retry.h"
#include "core/memory/default_pool.h"

/* Returns whether `code` is an error that the driver returns for a launch in
 * another context than the function's. */
static bool
is_context_error(CUresult code)
{
    return code == CUDA_ERROR_INVALID_HANDLE ||
           code == CUDA_ERROR_INVALID_CONTEXT ||
           code == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* Decides whether the launch is repeated (retry.h). If device memory is short,
 * frees the pool's idle memory. Does not run the garbage collector, which
 * could free memory that the launch uses. */
bool
core_launch_may_retry(CUresult code, struct core_context *context, bool *tried)
{
    if (*tried) {
        return false;
    }
    *tried = true;
    if (code == CUDA_ERROR_OUT_OF_MEMORY && context->captures == 0) {
        core_pool_trim(context);
        return true;
    }
    return is_context_error(code) && core_stack_top() == context &&
           core_stack_claim();
}
