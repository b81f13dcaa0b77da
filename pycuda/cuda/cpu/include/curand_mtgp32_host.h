/* curand_mtgp32_host.h - says where states come from.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#error "curand_mtgp32_host.h is code for the host: fill states and tables from Python"
