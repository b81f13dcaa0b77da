/* function_bodies.h - replaces those bodies of function templates that the
 * front end rejects.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_FUNCTION_BODIES_H
#define PYCUDA_CPU_NVRTC_FUNCTION_BODIES_H

struct nvrtc_text;

/* Returns a copy of `source`, which the caller frees. Each template function
 * body in which the log has an error is replaced by a body that causes an
 * error only if the template is instantiated. `name` is the file name of the
 * source in the log. Returns NULL if an error is outside such a body. */
char *nvrtc_bodies_replace(const struct nvrtc_text *log, const char *name,
                           const char *source);

#endif
