#include "counters/counter_plan.hpp"

#include "counters/cupti.hpp"
#include "process/steps.hpp"

namespace xpose {
namespace {

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> all;
  all.reserve(names.size());
  for (const std::string& name : names) all.push_back(name.c_str());
  return all;
}

CUpti_Profiler_Host_Object* object(void* host) {
  return static_cast<CUpti_Profiler_Host_Object*>(host);
}

}  // namespace

CounterPlan::CounterPlan(const std::string& chip, const std::vector<std::string>& wanted) {
  XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize, start);
  start.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  start.pChipName = chip.c_str();
  check_cupti(cupti().cuptiProfilerHostInitialize(&start), "planning the counters of a " + chip);
  host_ = start.pHostObject;
  try {
    schedule(wanted);
  } catch (...) {
    release();
    throw;
  }
}

CounterPlan::~CounterPlan() { release(); }

void CounterPlan::release() noexcept {
  XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize, end);
  end.pHostObject = object(host_);
  (void)cupti().cuptiProfilerHostDeinitialize(&end);
}

void CounterPlan::schedule(const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted) {
    XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties, properties);
    properties.pHostObject = object(host_);
    properties.pMetricName = name.c_str();
    const CUptiResult status = cupti().cuptiProfilerHostGetMetricProperties(&properties);
    if (status != CUPTI_ERROR_INVALID_METRIC_NAME) check_cupti(status, "asking for " + name);
    (status == CUPTI_SUCCESS ? metrics_ : unknown_).push_back(name);
  }
  if (metrics_.empty())
    throw Denial{"planning the counters: this device has none of those that xpose reads"};

  std::vector<const char*> names = pointers(metrics_);
  XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics, add);
  add.pHostObject = object(host_);
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  check_cupti(cupti().cuptiProfilerHostConfigAddMetrics(&add), "planning the counters");

  XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize, size);
  size.pHostObject = object(host_);
  check_cupti(cupti().cuptiProfilerHostGetConfigImageSize(&size), "sizing the plan");
  image_.resize(size.configImageSize);
  XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage, image);
  image.pHostObject = object(host_);
  image.configImageSize = image_.size();
  image.pConfigImage = image_.data();
  check_cupti(cupti().cuptiProfilerHostGetConfigImage(&image), "writing the plan");

  XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses, passes);
  passes.configImageSize = image_.size();
  passes.pConfigImage = image_.data();
  check_cupti(cupti().cuptiProfilerHostGetNumOfPasses(&passes), "asking for the passes");
  passes_ = passes.numOfPasses;
}

std::vector<double> CounterPlan::evaluate(const std::vector<std::uint8_t>& counted) const {
  std::vector<double> values(metrics_.size());
  std::vector<const char*> names = pointers(metrics_);
  XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues, evaluation);
  evaluation.pHostObject = object(host_);
  evaluation.pCounterDataImage = counted.data();
  evaluation.counterDataImageSize = counted.size();
  evaluation.rangeIndex = 0;
  evaluation.ppMetricNames = names.data();
  evaluation.numMetrics = names.size();
  evaluation.pMetricValues = values.data();
  check_cupti(cupti().cuptiProfilerHostEvaluateToGpuValues(&evaluation), "evaluating the counters");
  return values;
}

}  // namespace xpose
