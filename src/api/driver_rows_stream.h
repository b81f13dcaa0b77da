/* driver_rows_stream.h - driver functions for streams and events.
 *
 * Part of driver_rows.h, which explains the rows.
 *
 * SPDX-License-Identifier: MIT */

/* clang-format off */

DRIVER_ROW(cuStreamCreate, cuStreamCreate, 2000, cuStreamCreate,
    (CUstream *stream, unsigned int flags), (stream, flags))
DRIVER_ROW(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050,
    cuStreamCreateWithPriority,
    (CUstream *stream, unsigned int flags, int priority),
    (stream, flags, priority))
DRIVER_ROW(cuStreamGetId, cuStreamGetId, 12000, cuStreamGetId_ptsz,
    (CUstream stream, unsigned long long *stream_id), (stream, stream_id))
DRIVER_ROW(cuStreamGetPriority, cuStreamGetPriority, 5050,
    cuStreamGetPriority_ptsz,
    (CUstream stream, int *priority), (stream, priority))
DRIVER_ROW(cuStreamGetFlags, cuStreamGetFlags, 5050, cuStreamGetFlags_ptsz,
    (CUstream stream, unsigned int *flags), (stream, flags))
DRIVER_ROW(cuStreamGetCtx, cuStreamGetCtx, 9020, cuStreamGetCtx_ptsz,
    (CUstream stream, CUcontext *context), (stream, context))
DRIVER_ROW(cuStreamWaitEvent, cuStreamWaitEvent, 3020, cuStreamWaitEvent_ptsz,
    (CUstream stream, CUevent event, unsigned int flags),
    (stream, event, flags))
DRIVER_ROW(cuStreamAddCallback, cuStreamAddCallback, 5000,
    cuStreamAddCallback_ptsz,
    (CUstream stream, CUstreamCallback callback, void *user_data,
     unsigned int flags),
    (stream, callback, user_data, flags))
DRIVER_ROW(cuStreamBeginCapture, cuStreamBeginCapture_v2, 10010,
    cuStreamBeginCapture_v2_ptsz,
    (CUstream stream, CUstreamCaptureMode mode), (stream, mode))
DRIVER_ROW(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 12030,
    cuStreamBeginCaptureToGraph_ptsz,
    (CUstream stream, CUgraph graph, const CUgraphNode *dependencies,
     const CUgraphEdgeData *edges, size_t dependency_count,
     CUstreamCaptureMode mode),
    (stream, graph, dependencies, edges, dependency_count, mode))
DRIVER_ROW(cuThreadExchangeStreamCaptureMode,
    cuThreadExchangeStreamCaptureMode, 10010,
    cuThreadExchangeStreamCaptureMode,
    (CUstreamCaptureMode *mode), (mode))
DRIVER_ROW(cuStreamEndCapture, cuStreamEndCapture, 10000,
    cuStreamEndCapture_ptsz,
    (CUstream stream, CUgraph *graph), (stream, graph))
DRIVER_ROW(cuStreamIsCapturing, cuStreamIsCapturing, 10000,
    cuStreamIsCapturing_ptsz,
    (CUstream stream, CUstreamCaptureStatus *capture_status),
    (stream, capture_status))
DRIVER_ROW(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, 11030,
    cuStreamGetCaptureInfo_v2_ptsz,
    (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
     CUgraph *graph, const CUgraphNode **dependencies,
     size_t *dependency_count),
    (stream, status, id, graph, dependencies, dependency_count))
DRIVER_ROW(cuStreamUpdateCaptureDependencies,
    cuStreamUpdateCaptureDependencies, 11030,
    cuStreamUpdateCaptureDependencies_ptsz,
    (CUstream stream, CUgraphNode *dependencies, size_t dependency_count,
     unsigned int flags),
    (stream, dependencies, dependency_count, flags))
DRIVER_ROW(cuStreamAttachMemAsync, cuStreamAttachMemAsync, 6000,
    cuStreamAttachMemAsync_ptsz,
    (CUstream stream, CUdeviceptr pointer, size_t length, unsigned int flags),
    (stream, pointer, length, flags))
DRIVER_ROW(cuStreamQuery, cuStreamQuery, 2000, cuStreamQuery_ptsz,
    (CUstream stream), (stream))
DRIVER_ROW(cuStreamSynchronize, cuStreamSynchronize, 2000,
    cuStreamSynchronize_ptsz,
    (CUstream stream), (stream))
DRIVER_ROW(cuStreamDestroy, cuStreamDestroy_v2, 4000, cuStreamDestroy_v2,
    (CUstream stream), (stream))
DRIVER_ROW(cuStreamCopyAttributes, cuStreamCopyAttributes, 11000,
    cuStreamCopyAttributes_ptsz,
    (CUstream dst_stream, CUstream src_stream), (dst_stream, src_stream))
DRIVER_ROW(cuStreamGetAttribute, cuStreamGetAttribute, 11000,
    cuStreamGetAttribute_ptsz,
    (CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value),
    (stream, attribute, value))
DRIVER_ROW(cuStreamSetAttribute, cuStreamSetAttribute, 11000,
    cuStreamSetAttribute_ptsz,
    (CUstream stream, CUstreamAttrID attribute,
     const CUstreamAttrValue *param),
    (stream, attribute, param))
DRIVER_ROW(cuEventCreate, cuEventCreate, 2000, cuEventCreate,
    (CUevent *event, unsigned int flags), (event, flags))
DRIVER_ROW(cuEventRecord, cuEventRecord, 2000, cuEventRecord_ptsz,
    (CUevent event, CUstream stream), (event, stream))
DRIVER_ROW(cuEventRecordWithFlags, cuEventRecordWithFlags, 11010,
    cuEventRecordWithFlags_ptsz,
    (CUevent event, CUstream stream, unsigned int flags),
    (event, stream, flags))
DRIVER_ROW(cuEventQuery, cuEventQuery, 2000, cuEventQuery,
    (CUevent event), (event))
DRIVER_ROW(cuEventSynchronize, cuEventSynchronize, 2000, cuEventSynchronize,
    (CUevent event), (event))
DRIVER_ROW(cuEventDestroy, cuEventDestroy_v2, 4000, cuEventDestroy_v2,
    (CUevent event), (event))
DRIVER_ROW(cuEventElapsedTime, cuEventElapsedTime, 2000, cuEventElapsedTime,
    (float *milliseconds, CUevent start, CUevent end),
    (milliseconds, start, end))
DRIVER_ROW(cuStreamWaitValue32, cuStreamWaitValue32_v2, 11070,
    cuStreamWaitValue32_v2_ptsz,
    (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags),
    (stream, addr, value, flags))
DRIVER_ROW(cuStreamWaitValue64, cuStreamWaitValue64_v2, 11070,
    cuStreamWaitValue64_v2_ptsz,
    (CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags),
    (stream, addr, value, flags))
DRIVER_ROW(cuStreamWriteValue32, cuStreamWriteValue32_v2, 11070,
    cuStreamWriteValue32_v2_ptsz,
    (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags),
    (stream, addr, value, flags))
DRIVER_ROW(cuStreamWriteValue64, cuStreamWriteValue64_v2, 11070,
    cuStreamWriteValue64_v2_ptsz,
    (CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags),
    (stream, addr, value, flags))
DRIVER_ROW(cuLaunchHostFunc, cuLaunchHostFunc, 10000, cuLaunchHostFunc_ptsz,
    (CUstream stream, CUhostFn callback, void *user_data),
    (stream, callback, user_data))
DRIVER_ROW(cuStreamGetDevice, cuStreamGetDevice, 12080, cuStreamGetDevice_ptsz,
    (CUstream stream, CUdevice *device), (stream, device))
DRIVER_ROW(cuStreamBatchMemOp, cuStreamBatchMemOp_v2, 11070,
    cuStreamBatchMemOp_v2_ptsz,
    (CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations,
     unsigned int flags),
    (stream, count, operations, flags))
