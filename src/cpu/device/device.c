/* device.c - cuInit, versions and devices.
 *
 * Called by users of the library. Only the first cuInit writes `cpu_state`.
 * Its member `initialized` stays false in a child process that fork() creates
 * after cuInit (fork.c).
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/device/architecture.h"
#include "cpu/device/device.h"
#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/exports/system_errors.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/budget.h"
#include "cpu/run/watchdog.h"

/* Reads a number of objects (devices, threads), from 1 to `most`, from an
 * environment variable. Leaves `*count` unchanged if the variable is unset or
 * empty. Returns INVALID_VALUE with a text if its value is invalid. */
static CUresult
count_read(const char *variable, int most, int *count)
{
    const char *text = getenv(variable);
    char *end;

    if (!text || !*text) {
        return CUDA_SUCCESS;
    }
    long value = strtol(text, &end, 10);
    if (*end || value < 1 || (value > most && most < INT_MAX)) {
        char range[32] = "";
        if (most < INT_MAX) {
            snprintf(range, sizeof range, " to %d", most);
        }
        return cpu_setting_error_set(
            "%s is '%.40s'; it must be a whole number from 1%s", variable,
            text, range);
    }
    *count = value > most ? most : (int)value;
    return CUDA_SUCCESS;
}

/* Reads a size in bytes, such as 500M or 8G, from an environment variable.
 * Leaves `*bytes` unchanged if the variable is unset or empty. Returns
 * INVALID_VALUE with a text if its value is invalid. */
static CUresult
bytes_read(const char *variable, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    const char *text = getenv(variable);
    char *end;

    if (!text || !*text) {
        return CUDA_SUCCESS;
    }
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (*text < '0' || *text > '9' || (*end && (!unit || end[1])) || !value ||
        (unit && value >> (54 - 10 * (unit - units)))) {
        return cpu_setting_error_set(
            "%s is '%.40s'; it must be a number of bytes, such as "
            "2000000000, 500M or 8G",
            variable, text);
    }
    *bytes = unit ? value << (10 * (unit - units + 1)) : value;
    return CUDA_SUCCESS;
}

/* Parses an entry of CUDA_VISIBLE_DEVICES: an ordinal, or "CPU-<ordinal>",
 * which is a prefix of a UUID. Returns -1 for an invalid entry; as in CUDA,
 * the rest of the list is then ignored. */
static int
visible_entry(const char *text, int present)
{
    char *end;

    if (!strncmp(text, "CPU-", 4)) {
        text += 4;
    }
    long ordinal = strtol(text, &end, 10);
    if (end == text || ordinal < 0 || ordinal >= present) {
        return -1;
    }
    return (int)ordinal;
}

/* Makes virtual devices visible: those that CUDA_VISIBLE_DEVICES names, or all
 * if the variable is not set. `present` is the number of virtual devices. */
static void
devices_select(int present)
{
    const char *text = getenv("CUDA_VISIBLE_DEVICES");

    cpu_state.device_count = 0;
    if (!text) {
        for (int i = 0; i < present; i++) {
            cpu_state.visible[cpu_state.device_count++] = i;
        }
        return;
    }
    while (*text && cpu_state.device_count < CPU_MAX_DEVICES) {
        int device = visible_entry(text, present);
        if (device < 0) {
            return;
        }
        for (int i = 0; i < cpu_state.device_count; i++) {
            /* As in CUDA, a device that is named twice makes all devices
             * invisible. */
            if (cpu_state.visible[i] == device) {
                cpu_state.device_count = 0;
                return;
            }
        }
        cpu_state.visible[cpu_state.device_count++] = device;
        text += strcspn(text, ",");
        text += *text == ',';
    }
}

/* Sets `cpu_state` from environment variables and properties of the
 * machine. */
static CUresult
machine_configure(void)
{
    int devices = 1, threads = INT_MAX;
    CUresult code =
        count_read("PYCUDA_CPU_DEVICES", CPU_MAX_DEVICES, &devices);

    if (!code) {
        code = count_read("PYCUDA_CPU_THREADS", INT_MAX, &threads);
    }
    if (code) {
        return code;
    }
    devices_select(devices);
    cpu_state.threads = cpu_thread_count(threads);
    cpu_state.memory_bytes = cpu_memory_bytes() / (uint64_t)devices;
    code = bytes_read("PYCUDA_CPU_MEMORY", &cpu_state.memory_bytes);
    if (code) {
        return code;
    }
    code = cpu_architecture_configure();
    if (code) {
        return code;
    }
    code = cpu_watchdog_configure();
    return code ? code : cpu_check_open();
}

CPU_API CUresult
cuInit(unsigned flags)
{
    CUresult code = CUDA_SUCCESS;

    if (atomic_load(&cpu_state.forked)) {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    if (flags) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&cpu_init_lock);
    if (!atomic_load(&cpu_state.initialized)) {
        code = machine_configure();
        if (!code && !cpu_state.device_count) {
            code = CUDA_ERROR_NO_DEVICE;
        } else if (code) {
            /* machine_configure has set an error text that names the invalid
             * environment variable. */
        } else if (!cpu_state.fork_safe) {
            code = CUDA_ERROR_OUT_OF_MEMORY;
        } else {
            atomic_store(&cpu_state.initialized, true);
        }
    }
    pthread_mutex_unlock(&cpu_init_lock);
    return code;
}

CPU_API CUresult
cuDriverGetVersion(int *version)
{
    if (!version) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *version = CPU_VERSION;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDeviceGetCount(int *count)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!count) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *count = cpu_state.device_count;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult code = cpu_device_check(ordinal);

    if (code) {
        return code;
    }
    if (!device) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *device = ordinal;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDeviceGetName(char *name, int length, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!name || length < 1) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    snprintf(name, (size_t)length, "PyCUDA CPU device (%d CPU thread%s)",
             cpu_state.threads, cpu_state.threads == 1 ? "" : "s");
    return CUDA_SUCCESS;
}

/* Returns the UUID of a device: a fixed prefix and the index of the virtual
 * device. */
static CUresult
device_uuid(CUuuid *uuid, CUdevice device)
{
    static const char prefix[] = "pycuda-cpu-dev";
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!uuid) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid, prefix, sizeof prefix - 1);
    ((char *)uuid)[15] = (char)cpu_state.visible[device];
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    return device_uuid(uuid, device);
}

CPU_API CUresult
cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    return device_uuid(uuid, device);
}

CPU_API CUresult
cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!bytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *bytes = cpu_state.memory_bytes;
    return CUDA_SUCCESS;
}

/* Returns the compute capability of the device. */
CPU_API CUresult
cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!major || !minor) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *major = cpu_architecture()->number / 10;
    *minor = cpu_architecture()->number % 10;
    return CUDA_SUCCESS;
}

/* PCI domain of the virtual devices. No real device has this domain. */
#define PCI_DOMAIN 0xffff

/* Returns a PCI bus id whose bus number is the index of the virtual device
 * plus 1. */
CPU_API CUresult
cuDeviceGetPCIBusId(char *text, int length, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!text || length < 1) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    snprintf(text, (size_t)length, "%04X:%02X:00.0", PCI_DOMAIN,
             (unsigned)cpu_state.visible[device] + 1);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
    unsigned domain = 0, bus = 0, slot = 0;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!device || !text) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (int i = 0; i < cpu_state.device_count; i++) {
        if (domain == PCI_DOMAIN && slot == 0 &&
            bus == (unsigned)cpu_state.visible[i] + 1) {
            *device = i;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_INVALID_DEVICE;
}

CPU_API CUresult
cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    CUresult code = cpu_device_check(device);

    if (!code) {
        code = cpu_device_check(peer);
    }
    if (code) {
        return code;
    }
    if (!can) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *can = device != peer;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute,
                        CUdevice device, CUdevice peer)
{
    int can = 0;
    CUresult code = cuDeviceCanAccessPeer(&can, device, peer);

    if (code) {
        return code;
    }
    if (!value || !can) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch ((int)attribute) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        *value = 1;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CPU_API CUresult
cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!value) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) {
        *value = cpu_state.visible[device] + 1;
        return CUDA_SUCCESS;
    }
    if (attribute == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID) {
        *value = PCI_DOMAIN;
        return CUDA_SUCCESS;
    }
    return cpu_device_attribute(attribute, value) ? CUDA_SUCCESS
                                                  : CUDA_ERROR_INVALID_VALUE;
}
