/* crt/sm_90_rt.hpp - placeholder: kernels have these names without an include.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
