#include "counters/profiler.hpp"

#include <utility>

#include "counters/cupti.hpp"

namespace xpose {
namespace {

CUpti_RangeProfiler_Object* object(void* range_profiler) {
  return static_cast<CUpti_RangeProfiler_Object*>(range_profiler);
}

// The properties of this device or system that keep CUPTI from profiling; empty: none is named.
std::string obstacles(const CUpti_Profiler_DeviceSupported_Params& support) {
  std::string text;
  const auto add = [&](CUpti_Profiler_Support_Level level, const char* what) {
    if (level == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
    text += (text.empty() ? "" : ", ") + std::string(what);
    if (level == CUPTI_PROFILER_CONFIGURATION_DISABLED) text += " (disabled by the system)";
  };
  add(support.architecture, "an architecture before compute capability 7.0");
  add(support.sli, "SLI");
  add(support.vGpu, "a virtual GPU");
  add(support.confidentialCompute, "confidential computing");
  add(support.cmp, "a mining processor");
  add(support.wsl, "WSL");
  return text;
}

}  // namespace

Profiler::Profiler(void* context, int device, const AtStep& at_step) : at_step_(at_step) {
  XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_Initialize, start);
  check_cupti(cupti().cuptiProfilerInitialize(&start), "starting the profiler");
  try {
    begin_step(at_step_, "asking whether the device can be profiled");
    check_device(device);
    begin_step(at_step_, "enabling the range profiler");
    XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable, enable);
    enable.ctx = static_cast<CUcontext>(context);
    check_cupti(cupti().cuptiRangeProfilerEnable(&enable), "enabling the range profiler");
    range_profiler_ = enable.pRangeProfilerObject;
  } catch (...) {
    release();
    throw;
  }
}

Profiler::~Profiler() { release(); }

void Profiler::release() noexcept {
  if (range_profiler_ != nullptr) {
    XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable, disable);
    disable.pRangeProfilerObject = object(range_profiler_);
    (void)cupti().cuptiRangeProfilerDisable(&disable);
  }
  XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_DeInitialize, end);
  (void)cupti().cuptiProfilerDeInitialize(&end);
}

void Profiler::check_device(int device) const {
  XPOSE_CUPTI_PARAMETERS(CUpti_Profiler_DeviceSupported, support);
  support.cuDevice = device;
  support.api = CUPTI_PROFILER_RANGE_PROFILING;
  check_cupti(cupti().cuptiProfilerDeviceSupported(&support),
              "asking whether the device can be profiled");
  if (support.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
  const std::string why = obstacles(support);
  throw Denial{"CUPTI does not profile this device" + (why.empty() ? "" : ": " + why) +
               "; profile on a device or system of another kind"};
}

// Between start and stop the hardware counts a part of the metrics.
bool Profiler::pass(const std::function<void()>& launch) const {
  auto* profiler = object(range_profiler_);
  begin_step(at_step_, "starting a pass");
  XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Start, start);
  start.pRangeProfilerObject = profiler;
  check_cupti(cupti().cuptiRangeProfilerStart(&start), "starting a pass");
  XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop, stop);
  stop.pRangeProfilerObject = profiler;
  try {
    XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_PushRange, push);
    push.pRangeProfilerObject = profiler;
    push.pRangeName = "launch";
    check_cupti(cupti().cuptiRangeProfilerPushRange(&push), "opening the range");
    begin_step(at_step_, "launching");
    launch();
    XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_PopRange, pop);
    pop.pRangeProfilerObject = profiler;
    check_cupti(cupti().cuptiRangeProfilerPopRange(&pop), "closing the range");
  } catch (...) {
    (void)cupti().cuptiRangeProfilerStop(&stop);
    throw;
  }
  begin_step(at_step_, "ending a pass");
  check_cupti(cupti().cuptiRangeProfilerStop(&stop), "ending a pass");
  return stop.isAllPassSubmitted != 0;
}

std::vector<std::uint8_t> Profiler::count(const CounterPlan& plan,
                                          const std::function<void()>& launch) {
  auto* profiler = object(range_profiler_);
  std::vector<const char*> names;
  for (const std::string& metric : plan.metrics()) names.push_back(metric.c_str());
  XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize, size);
  size.pRangeProfilerObject = profiler;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  check_cupti(cupti().cuptiRangeProfilerGetCounterDataSize(&size), "sizing the counters' data");

  std::vector<std::uint8_t> data(size.counterDataSize);
  XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize, image);
  image.pRangeProfilerObject = profiler;
  image.counterDataSize = data.size();
  image.pCounterData = data.data();
  check_cupti(cupti().cuptiRangeProfilerCounterDataImageInitialize(&image),
              "preparing the counters' data");

  begin_step(at_step_, "configuring the range profiler");
  XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig, config);
  config.pRangeProfilerObject = profiler;
  config.configSize = plan.image().size();
  config.pConfig = plan.image().data();
  config.counterDataImageSize = data.size();
  config.pCounterDataImage = data.data();
  config.range = CUPTI_UserRange;
  config.replayMode = CUPTI_UserReplay;
  config.maxRangesPerPass = 1;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.passIndex = 0;
  config.targetNestingLevel = 1;
  check_cupti(cupti().cuptiRangeProfilerSetConfig(&config), "configuring the range profiler");

  std::size_t passes = 0;
  while (!pass(launch))
    if (++passes > 4 * plan.passes() + 16)  // more than any plan: it would go on for ever
      throw Denial{"counting: the profiler asks for ever more passes than the " +
                   std::to_string(plan.passes()) + " planned"};

  begin_step(at_step_, "decoding the counters");
  XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData, decode);
  decode.pRangeProfilerObject = profiler;
  check_cupti(cupti().cuptiRangeProfilerDecodeData(&decode), "decoding the counters");
  XPOSE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo, info);
  info.pCounterDataImage = data.data();
  info.counterDataImageSize = data.size();
  check_cupti(cupti().cuptiRangeProfilerGetCounterDataInfo(&info), "reading the counters");
  if (info.numTotalRanges != 1 || decode.numOfRangeDropped != 0)
    throw Denial{"reading the counters: " + std::to_string(info.numTotalRanges) +
                 " ranges came and " + std::to_string(decode.numOfRangeDropped) +
                 " were dropped, where one was counted"};
  return data;
}

std::string chip_name(int ordinal) {
  XPOSE_CUPTI_PARAMETERS(CUpti_Device_GetChipName, chip);
  chip.deviceIndex = static_cast<std::size_t>(ordinal);
  check_cupti(cupti().cuptiDeviceGetChipName(&chip), "asking for the chip's name");
  return chip.pChipName == nullptr ? "" : chip.pChipName;
}

}  // namespace xpose
