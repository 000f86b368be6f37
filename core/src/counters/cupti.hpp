// CUPTI, opened at run time. Its headers are included here alone, and this by the three sources
// that use it: launch_watch, counter_plan and profiler.
#pragma once

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <string>

#include "process/runtime_library.hpp"

namespace xpose {

#define XPOSE_FUNCTIONS(X)                        \
  X(cuptiGetResultString)                         \
  X(cuptiSubscribe_v2)                            \
  X(cuptiUnsubscribe)                             \
  X(cuptiEnableCallback)                          \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiProfilerInitialize)                      \
  X(cuptiProfilerDeInitialize)                    \
  X(cuptiProfilerDeviceSupported)                 \
  X(cuptiProfilerHostInitialize)                  \
  X(cuptiProfilerHostDeinitialize)                \
  X(cuptiProfilerHostGetMetricProperties)         \
  X(cuptiProfilerHostConfigAddMetrics)            \
  X(cuptiProfilerHostGetConfigImageSize)          \
  X(cuptiProfilerHostGetConfigImage)              \
  X(cuptiProfilerHostGetNumOfPasses)              \
  X(cuptiProfilerHostEvaluateToGpuValues)         \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiRangeProfilerPushRange)                  \
  X(cuptiRangeProfilerPopRange)                   \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiRangeProfilerGetCounterDataInfo)

XPOSE_FUNCTIONS_OF_LIBRARY(Cupti, XPOSE_FUNCTIONS);
#undef XPOSE_FUNCTIONS

// Opened at the first call, which throws Denial where it cannot be. [any thread]
const Cupti& cupti();

// Throws Denial, in profiler_fault's words, unless the status is success.
void check_cupti(CUptiResult status, const std::string& step);

// NOLINTBEGIN(bugprone-macro-parentheses): names, not expressions

// Declares `name`, a call's parameters, with the size by which CUPTI knows their version.
#define XPOSE_CUPTI_PARAMETERS(type, name) \
  type##_Params name{};                    \
  name.structSize = type##_Params_STRUCT_SIZE

// NOLINTEND(bugprone-macro-parentheses)

}  // namespace xpose
