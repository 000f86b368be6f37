// An engine and a plan of the C API, for attempts in which allocations fail.
#pragma once

#include <cstdint>
#include <utility>

#include "xpose/xpose.h"
#include "xpose/xpose.hpp"

namespace xpose {

// The use of attempt.cpp by the C API, whose failures are thrown here as the Error that they were.
class CCaller {
  // Made ahead, because allocations fail still where it is thrown.
  static inline const Error kNoMemory{ErrorKind::no_memory, "of the C API"};

 public:
  CCaller() = default;
  ~CCaller() { close(); }
  CCaller(const CCaller&) = delete;  // owns the handles
  CCaller& operator=(const CCaller&) = delete;

  void open(const EngineOptions& same) {
    close();
    const char* const folder = same.plugin_folders.front().c_str();
    xpose_engine_options_t options{};
    options.size = sizeof options;
    options.threads = same.threads;
    options.plugin_folders = &folder;
    options.plugin_folder_count = 1;
    options.worker = same.worker.c_str();
    options.forget = 1;
    options.in_process = same.in_process ? 1 : 0;
    check(xpose_engine_create(&options, &engine_));
  }
  void prepare() {
    xpose_plan_destroy(plan_);
    check(xpose_prepare(engine_, &in_, &out_, kAxes, XPOSE_POLICY_ESTIMATE, nullptr, &plan_));
  }
  void execute(const void* in, void* out) { check(xpose_execute(plan_, in, out, nullptr)); }
  void permute(const void* in, void* out) {
    check(xpose_permute(engine_, &in_, in, &out_, out, kAxes, XPOSE_POLICY_ESTIMATE, nullptr));
  }

 private:
  // The problem of attempt.cpp. The alignment is more than buffers have, so that execute() needs a
  // second plan.
  static constexpr std::int64_t kExtents[] = {3, 2, 5, 7}, kStrides[] = {120, 50, 8, 1};
  static constexpr std::int64_t kOutExtents[] = {3, 2, 7, 5}, kOutStrides[] = {140, 60, 6, 1};
  static constexpr std::int32_t kAxes[] = {0, 1, 3, 2};

  static xpose_tensor_t tensor(const std::int64_t* extents, const std::int64_t* strides) {
    xpose_tensor_t made{};
    made.size = sizeof made;
    made.element_bits = 32;
    made.extents = extents;
    made.strides = strides;
    made.rank = 4;
    made.alignment = 256;
    return made;
  }
  static void check(xpose_status_t status) {
    if (status == XPOSE_STATUS_OK) return;
    if (status == XPOSE_STATUS_NO_MEMORY) throw Error(kNoMemory);
    if (status == XPOSE_STATUS_NO_STRATEGY) throw Error(ErrorKind::no_strategy, xpose_last_error());
    throw Error(ErrorKind::failed, xpose_last_error());
  }
  void close() {
    xpose_plan_destroy(std::exchange(plan_, nullptr));
    xpose_engine_destroy(std::exchange(engine_, nullptr));
  }

  const xpose_tensor_t in_ = tensor(kExtents, kStrides);
  const xpose_tensor_t out_ = tensor(kOutExtents, kOutStrides);
  xpose_engine_t* engine_ = nullptr;
  xpose_plan_t* plan_ = nullptr;
};

}  // namespace xpose
