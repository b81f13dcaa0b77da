/* curand_mtgp32dc_p_11213.h - reports an error that explains where parameters
 * come from.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#error "curand_mtgp32dc_p_11213.h is a table of the host: fill mtgp32_kernel_params from Python"
