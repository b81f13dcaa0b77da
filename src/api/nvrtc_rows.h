/* nvrtc_rows.h - the functions of NVRTC, one row (X-macro entry) each.
 *
 * Define NVRTC_ROW(base, symbol, since, (parameters), (argument names)) and
 * include this file, which undefines NVRTC_ROW. `since` is the first version
 * (1000 * major + 10 * minor) that has the function. All functions return
 * nvrtcResult; nvrtcGetErrorString, which does not, has no row.
 *
 * SPDX-License-Identifier: MIT */

/* clang-format off */

NVRTC_ROW(nvrtcVersion, nvrtcVersion, 7000,
    (int *major, int *minor), (major, minor))
NVRTC_ROW(nvrtcGetNumSupportedArchs, nvrtcGetNumSupportedArchs, 11020,
    (int *count), (count))
NVRTC_ROW(nvrtcGetSupportedArchs, nvrtcGetSupportedArchs, 11020,
    (int *archs), (archs))
NVRTC_ROW(nvrtcCreateProgram, nvrtcCreateProgram, 7000,
    (nvrtcProgram *program, const char *source, const char *name,
     int header_count, const char *const *headers,
     const char *const *include_names),
    (program, source, name, header_count, headers, include_names))
NVRTC_ROW(nvrtcDestroyProgram, nvrtcDestroyProgram, 7000,
    (nvrtcProgram *program), (program))
NVRTC_ROW(nvrtcCompileProgram, nvrtcCompileProgram, 7000,
    (nvrtcProgram program, int option_count, const char *const *options),
    (program, option_count, options))
NVRTC_ROW(nvrtcGetPTXSize, nvrtcGetPTXSize, 7000,
    (nvrtcProgram program, size_t *bytes), (program, bytes))
NVRTC_ROW(nvrtcGetPTX, nvrtcGetPTX, 7000,
    (nvrtcProgram program, char *ptx), (program, ptx))
NVRTC_ROW(nvrtcGetCUBINSize, nvrtcGetCUBINSize, 11010,
    (nvrtcProgram program, size_t *bytes), (program, bytes))
NVRTC_ROW(nvrtcGetCUBIN, nvrtcGetCUBIN, 11010,
    (nvrtcProgram program, char *cubin), (program, cubin))
NVRTC_ROW(nvrtcGetLTOIRSize, nvrtcGetLTOIRSize, 12000,
    (nvrtcProgram program, size_t *bytes), (program, bytes))
NVRTC_ROW(nvrtcGetLTOIR, nvrtcGetLTOIR, 12000,
    (nvrtcProgram program, char *ltoir), (program, ltoir))
NVRTC_ROW(nvrtcGetOptiXIRSize, nvrtcGetOptiXIRSize, 12000,
    (nvrtcProgram program, size_t *bytes), (program, bytes))
NVRTC_ROW(nvrtcGetOptiXIR, nvrtcGetOptiXIR, 12000,
    (nvrtcProgram program, char *optixir), (program, optixir))
NVRTC_ROW(nvrtcGetProgramLogSize, nvrtcGetProgramLogSize, 7000,
    (nvrtcProgram program, size_t *bytes), (program, bytes))
NVRTC_ROW(nvrtcGetProgramLog, nvrtcGetProgramLog, 7000,
    (nvrtcProgram program, char *log), (program, log))
NVRTC_ROW(nvrtcAddNameExpression, nvrtcAddNameExpression, 8000,
    (nvrtcProgram program, const char *expression), (program, expression))
NVRTC_ROW(nvrtcGetLoweredName, nvrtcGetLoweredName, 8000,
    (nvrtcProgram program, const char *expression, const char **name),
    (program, expression, name))
NVRTC_ROW(nvrtcGetPCHHeapSize, nvrtcGetPCHHeapSize, 12080,
    (size_t *bytes), (bytes))
NVRTC_ROW(nvrtcSetPCHHeapSize, nvrtcSetPCHHeapSize, 12080,
    (size_t bytes), (bytes))
NVRTC_ROW(nvrtcGetPCHCreateStatus, nvrtcGetPCHCreateStatus, 12080,
    (nvrtcProgram program), (program))
NVRTC_ROW(nvrtcGetPCHHeapSizeRequired, nvrtcGetPCHHeapSizeRequired, 12080,
    (nvrtcProgram program, size_t *bytes), (program, bytes))
NVRTC_ROW(nvrtcSetFlowCallback, nvrtcSetFlowCallback, 12080,
    (nvrtcProgram program, int (*callback)(void *, void *), void *payload),
    (program, callback, payload))

#undef NVRTC_ROW
