/* cuda_pipeline_helpers.h - part of cuda_pipeline.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <cuda_pipeline.h>
