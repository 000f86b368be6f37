#include "counters/launch_watch.hpp"

#include <cxxabi.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <utility>

#include "counters/cupti.hpp"
#include "process/steps.hpp"

namespace xpose {
namespace {

std::string demangled(const char* symbol) {
  if (symbol == nullptr) return "?";
  int status = 0;
  char* text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  const Finally end([&] { std::free(text); });
  return text == nullptr ? symbol : text;
}

// The runtime's launches come here as the driver's.
constexpr std::array<CUpti_CallbackId, 6> kLaunches = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
};

// CUPTI hands over a call's parameters as a struct of them in their order. Its own declarations, in
// generated_cuda_meta.h, do not compile as they are, for want of the driver's retired types.
struct LaunchParameters {  // the first of cuLaunchKernel and of cuLaunchCooperativeKernel
  CUfunction function;
  unsigned gridDimX, gridDimY, gridDimZ;  // NOLINT(readability-identifier-naming): as in the other
  unsigned blockDimX, blockDimY, blockDimZ;  // NOLINT(readability-identifier-naming)
  unsigned sharedMemBytes;                   // NOLINT(readability-identifier-naming)
};
struct LaunchExParameters {
  const CUlaunchConfig* config;
  CUfunction function;
};

template <class Shape>
LaunchWatch::Kernel seen_kernel(const Shape& shape, CUfunction function, const char* symbol) {
  LaunchWatch::Kernel seen;
  seen.kernel.name = demangled(symbol);
  seen.kernel.grid = {shape.gridDimX, shape.gridDimY, shape.gridDimZ};
  seen.kernel.block = {shape.blockDimX, shape.blockDimY, shape.blockDimZ};
  seen.kernel.dynamic_shared_bytes = shape.sharedMemBytes;
  seen.function = function;
  return seen;
}

LaunchWatch::Kernel seen_kernel(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (id == kLaunches[0] || id == kLaunches[1]) {
    const auto& of = *static_cast<const LaunchExParameters*>(call.functionParams);
    return seen_kernel(*of.config, of.function, call.symbolName);
  }
  const auto& of = *static_cast<const LaunchParameters*>(call.functionParams);
  return seen_kernel(of, of.function, call.symbolName);
}

}  // namespace

struct LaunchWatch::Seen {
  std::thread::id thread;
  std::vector<Kernel> kernels;
  bool lost = false;  // out of memory

  static void CUPTIAPI at_call(void* user, CUpti_CallbackDomain, CUpti_CallbackId id,
                               const void* data) noexcept {
    auto& seen = *static_cast<Seen*>(user);
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (call.callbackSite != CUPTI_API_EXIT || seen.thread != std::this_thread::get_id()) return;
    if (*static_cast<const CUresult*>(call.functionReturnValue) != CUDA_SUCCESS) return;
    try {
      seen.kernels.push_back(seen_kernel(id, call));
    } catch (const std::exception&) {
      seen.lost = true;
    }
  }
};

LaunchWatch::LaunchWatch() : seen_(std::make_unique<Seen>()) {
  std::array<char, CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN> other{};
  CUpti_SubscriberParams parameters{};
  parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  parameters.subscriberName = "xpose";
  parameters.oldSubscriberName = other.data();
  parameters.oldSubscriberSize = other.size();
  CUpti_SubscriberHandle handle = nullptr;
  const CUptiResult status =
      cupti().cuptiSubscribe_v2(&handle, &Seen::at_call, seen_.get(), &parameters);
  other.back() = '\0';
  std::string step = "subscribing to CUPTI";
  if (other.front() != '\0') step += std::string(" beside ") + other.data();
  check_cupti(status, step);
  handle_ = handle;
}

LaunchWatch::~LaunchWatch() {
  (void)cupti().cuptiUnsubscribe(static_cast<CUpti_SubscriberHandle>(handle_));
}

std::vector<LaunchWatch::Kernel> LaunchWatch::watch(const std::function<void()>& launch) {
  auto* handle = static_cast<CUpti_SubscriberHandle>(handle_);
  const auto enable = [&](std::uint32_t on) {
    CUptiResult worst = CUPTI_SUCCESS;
    for (const CUpti_CallbackId id : kLaunches)
      if (const CUptiResult status =
              cupti().cuptiEnableCallback(on, handle, CUPTI_CB_DOMAIN_DRIVER_API, id);
          status != CUPTI_SUCCESS)
        worst = status;
    return worst;
  };
  seen_->thread = std::this_thread::get_id();
  seen_->kernels.clear();
  seen_->lost = false;
  {
    const Finally end([&] { (void)enable(0); });
    check_cupti(enable(1), "asking CUPTI for launches");
    launch();
  }
  if (seen_->lost) throw Denial{"watching a launch: out of memory"};
  return std::move(seen_->kernels);
}

}  // namespace xpose
