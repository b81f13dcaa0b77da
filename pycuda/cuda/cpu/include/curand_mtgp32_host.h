/* curand_mtgp32_host.h - placeholder for a header of host code. Its error says
 * to fill states and tables from Python.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#error "curand_mtgp32_host.h is code for the host: fill states and tables from Python"
