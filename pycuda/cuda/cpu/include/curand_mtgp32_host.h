/* curand_mtgp32_host.h - reports an error that explains how to create states.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#error "curand_mtgp32_host.h is code for the host: fill states and tables from Python"
