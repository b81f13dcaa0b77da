/* crt/sm_90_rt.h - placeholder: kernels have these names without an include.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
