/* crt/math_functions.hpp - placeholder: kernels have these names without an
 * include.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
