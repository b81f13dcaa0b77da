/* sm_20_intrinsics.hpp - placeholder: kernels have these names without an
 * include.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
