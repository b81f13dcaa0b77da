/* kernel_attributes.c - attributes of kernel nodes.
 *
 * Called by users of the library and by graph.c; acquires the graph lock. Only
 * the attributes for cooperative launches and for the priority have an effect.
 * The others are hints about caches and clusters; a node stores them, and
 * queries return them unchanged.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/stream.h"

/* size of an array whose index is a CUkernelNodeAttrID */
#define ATTRIBUTES 17

struct cpu_node_attributes {
    CUlaunchAttributeValue values[ATTRIBUTES];
};

/* Returns true if kernel nodes can have this launch attribute. */
static bool
attribute_known(CUkernelNodeAttrID attribute)
{
    switch ((int)attribute) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
        return true;
    default:
        return false;
    }
}

static CUresult
node_attributes(struct cpu_node *node, struct cpu_node_attributes **made)
{
    if (!node->attributes) {
        node->attributes = calloc(1, sizeof *node->attributes);
    }
    *made = node->attributes;
    return *made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult
cpu_node_attributes_copy(struct cpu_node *to, const struct cpu_node *from)
{
    struct cpu_node_attributes *copy;

    if (!from->attributes) {
        return CUDA_SUCCESS;
    }
    CUresult code = node_attributes(to, &copy);
    if (!code) {
        *copy = *from->attributes;
    }
    return code;
}

/* Stores the node of a handle in *node. Returns an error if the node is not a
 * kernel node, the attribute is unknown, or `value` is NULL. The caller holds
 * the graph lock. */
static CUresult
node_asked(CUgraphNode handle, CUkernelNodeAttrID attribute, const void *value,
           struct cpu_node **node)
{
    CUresult code = cpu_ready();

    *node = cpu_node_of(handle);
    if (!code && (!*node || !value || !attribute_known(attribute) ||
                  (*node)->task.type != CU_GRAPH_NODE_TYPE_KERNEL)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    return code;
}

CPU_API CUresult
cuGraphKernelNodeGetAttribute(CUgraphNode handle, CUkernelNodeAttrID attribute,
                              CUkernelNodeAttrValue *value)
{
    struct cpu_node *node;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = node_asked(handle, attribute, value, &node);
    if (!code) {
        *value = node->attributes ? node->attributes->values[attribute]
                                  : (CUkernelNodeAttrValue){0};
        if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
            value->cooperative = node->task.cooperative;
        } else if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
            value->priority = node->task.priority;
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

/* Stores an attribute in the node, and applies a cooperative launch or
 * priority to its task. Returns NOT_SUPPORTED for clusters of more than one
 * block. The caller holds the graph lock. */
static CUresult
attribute_set(struct cpu_node *node, CUkernelNodeAttrID attribute,
              const CUkernelNodeAttrValue *value)
{
    struct cpu_node_attributes *attributes;

    if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
        value->clusterDim.x * value->clusterDim.y * value->clusterDim.z > 1) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    CUresult code = node_attributes(node, &attributes);
    if (code) {
        return code;
    }
    attributes->values[attribute] = *value;
    if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
        node->task.cooperative = value->cooperative != 0;
    } else if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
        node->task.has_priority = true;
        node->task.priority = cpu_priority_clamp(value->priority);
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUkernelNodeAttrID attribute,
                              const CUkernelNodeAttrValue *value)
{
    struct cpu_node *node;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = node_asked(handle, attribute, value, &node);
    if (!code) {
        code = attribute_set(node, attribute, value);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphKernelNodeCopyAttributes(CUgraphNode to_handle, CUgraphNode from_handle)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *to = cpu_node_of(to_handle);
    struct cpu_node *from = cpu_node_of(from_handle);
    if (!code && (!to || !from || to->task.type != CU_GRAPH_NODE_TYPE_KERNEL ||
                  from->task.type != CU_GRAPH_NODE_TYPE_KERNEL)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code && to != from) {
        free(to->attributes);
        to->attributes = NULL;
        code = cpu_node_attributes_copy(to, from);
        to->task.cooperative = from->task.cooperative;
        to->task.has_priority = from->task.has_priority;
        to->task.priority = from->task.priority;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}
