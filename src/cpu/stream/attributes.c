/* attributes.c - attributes of streams.
 *
 * Called by users of the library. The priority has an effect. The other
 * attributes are hints about caches and waiting, which the stream only stores.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/exports/visibility.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"

/* Values of a stream's attributes, in the order of the list `hints`. */
struct cpu_stream_attributes {
    CUstreamAttrValue values[4];
};

static const CUstreamAttrID hints[] = {
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
    CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
};

#define HINTS (sizeof hints / sizeof *hints)

/* Guards the attributes of all streams. No other lock is taken while this lock
 * is held. */
static pthread_mutex_t attributes_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t
hint_index(CUstreamAttrID attribute)
{
    size_t i = 0;

    while (i < HINTS && hints[i] != attribute) {
        i++;
    }
    return i;
}

static CUstreamAttrValue
hint_default(CUstreamAttrID attribute)
{
    CUstreamAttrValue value = {0};

    if (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) {
        value.syncPolicy = CU_SYNC_POLICY_AUTO;
    } else if (attribute == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP) {
        value.memSyncDomainMap.remote = 1;
    }
    return value;
}

/* Returns the stream's attributes; allocates them on the first use. Returns
 * NULL if there is not enough memory. The caller holds attributes_lock. */
static struct cpu_stream_attributes *
stream_attributes(struct cpu_stream *stream)
{
    if (!stream->attributes) {
        stream->attributes = malloc(sizeof *stream->attributes);
        for (size_t i = 0; stream->attributes && i < HINTS; i++) {
            stream->attributes->values[i] = hint_default(hints[i]);
        }
    }
    return stream->attributes;
}

CPU_API CUresult
cuStreamGetAttribute(CUstream handle, CUstreamAttrID attribute,
                     CUstreamAttrValue *value)
{
    struct cpu_stream *stream;
    size_t index = hint_index(attribute);
    CUresult code = cpu_stream_any(handle, &stream);

    if (code) {
        return code;
    }
    if (!value ||
        (index == HINTS && attribute != CU_LAUNCH_ATTRIBUTE_PRIORITY)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (index == HINTS) {
        *value = (CUstreamAttrValue){.priority = stream->priority};
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&attributes_lock);
    *value = stream->attributes ? stream->attributes->values[index]
                                : hint_default(attribute);
    pthread_mutex_unlock(&attributes_lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuStreamSetAttribute(CUstream handle, CUstreamAttrID attribute,
                     const CUstreamAttrValue *value)
{
    struct cpu_stream *stream;
    size_t index = hint_index(attribute);
    CUresult code = cpu_stream_any(handle, &stream);

    if (code) {
        return code;
    }
    if (!value ||
        (index == HINTS && attribute != CU_LAUNCH_ATTRIBUTE_PRIORITY) ||
        (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY &&
         (value->syncPolicy < CU_SYNC_POLICY_AUTO ||
          value->syncPolicy > CU_SYNC_POLICY_BLOCKING_SYNC))) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (index == HINTS) {
        stream->priority = cpu_priority_clamp(value->priority);
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&attributes_lock);
    struct cpu_stream_attributes *attributes = stream_attributes(stream);
    if (attributes) {
        attributes->values[index] = *value;
    }
    pthread_mutex_unlock(&attributes_lock);
    return attributes ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CPU_API CUresult
cuStreamCopyAttributes(CUstream to_handle, CUstream from_handle)
{
    struct cpu_stream *to, *from;
    CUresult code = cpu_stream_any(to_handle, &to);

    if (!code) {
        code = cpu_stream_any(from_handle, &from);
    }
    if (code || to == from) {
        return code;
    }
    pthread_mutex_lock(&attributes_lock);
    struct cpu_stream_attributes *attributes =
        from->attributes ? stream_attributes(to) : to->attributes;
    if (from->attributes && !attributes) {
        code = CUDA_ERROR_OUT_OF_MEMORY;
    } else if (from->attributes) {
        *attributes = *from->attributes;
    } else {
        free(to->attributes);
        to->attributes = NULL;
    }
    pthread_mutex_unlock(&attributes_lock);
    return code;
}
