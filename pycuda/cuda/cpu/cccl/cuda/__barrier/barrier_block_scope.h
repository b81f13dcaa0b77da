/* barrier_block_scope.h - CCCL's header without its check of a struct's
 * layout.
 *
 * The check uses the address of a member of a null pointer, which is a
 * constant for NVRTC but not for clang. This file disables static_assert for
 * CCCL's header. It first includes the headers that CCCL's header includes, so
 * that their checks remain.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <cuda/__cccl_config>

#include <cuda/std/__atomic/scopes.h>
#include <cuda/std/__barrier/barrier.h>
#include <cuda/std/chrono>
#include <cuda/std/cstdint>

#pragma push_macro("static_assert")
#define static_assert(...) static_assert(true, "")
#include_next <cuda/__barrier/barrier_block_scope.h>
#pragma pop_macro("static_assert")
