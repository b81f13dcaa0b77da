/* cuda_pipeline.h - the primitives of pipelines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "cuda_pipeline_primitives.h"
