/* constant_writes.h - finds assignments to __constant__ variables.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_CONSTANT_WRITES_H
#define PYCUDA_CPU_NVRTC_CONSTANT_WRITES_H

#include "api/nvrtc_types.h"

struct nvrtc_job;

/* Reports assignments to __constant__ variables as errors, as in NVRTC. If the
 * source has __constant__ variables but no template assigns to one, lets
 * pycuda-jit skip its own search for such assignments. */
nvrtcResult nvrtc_job_constants(struct nvrtc_job *job);

#endif
