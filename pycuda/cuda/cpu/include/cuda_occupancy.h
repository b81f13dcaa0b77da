/* cuda_occupancy.h - placeholder for a header of host code.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
