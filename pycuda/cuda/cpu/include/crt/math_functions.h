/* crt/math_functions.h - placeholder: kernels have these names without an
 * include.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
