/* curand_mtgp32dc_p_11213.h - placeholder for a table of MTGP32 parameters
 * that host code uses. Its error says to fill the parameters from Python.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#error "curand_mtgp32dc_p_11213.h is a table of the host: fill mtgp32_kernel_params from Python"
